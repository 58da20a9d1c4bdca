"""Do synthetic calls have the statistics that PRIMULE prints?"""

import numpy as np
import polars as pl

from shoal.synth.call_presets import CallsPreset, find_calls_preset
from shoal.synth.calls import CallsData
from shoal.synth.check import Statistic
from shoal.synth.presence import LABELS

PRINTED_RECORDS, PRINTED_PEOPLE, PRINTED_WEEKS = 85e6, 3e6, 4
PRINTED_COMMUTERS = 0.03
SIGMA = 1.4

_CHOSEN = "not printed: chosen so that profiles are as easy to hide as the paper prints"
_WEEKS = "compared at 4 weeks, as in the paper"


def check_calls(data: CallsData, preset: str | CallsPreset, weeks: int) -> list[Statistic]:
    """Measure calls made by `calls`, and set the result beside what PRIMULE prints (§6) or what was chosen.

    Parameters
    ----------
    data
        Calls and the truth about them.
    preset, weeks
        What they were made with. The easy people imitate nothing: theirs is measured, and compared with nothing.

    Examples
    --------
    >>> from shoal.synth.calls import calls
    >>> [s.name for s in check_calls(calls(200, 1), "tuscany", 1)][:2]
    ['calls per person', 'logarithm of calls per person, standard deviation']
    """
    chosen = find_calls_preset(preset)
    like = chosen.share_of is not None
    per_person = pl.Series(data.events["uid"].combine_chunks().indices).value_counts()["count"].to_numpy()
    labels = pl.Series(data.truth["label"]).value_counts(normalize=True)
    share = dict(zip(labels.to_series(0).to_list(), labels.to_series(1).to_list(), strict=True))
    whole = like and weeks == PRINTED_WEEKS
    wanted = dict(zip(LABELS, chosen.share_of or (), strict=False))
    statistics = [
        Statistic(
            "calls per person",
            "calls",
            PRINTED_RECORDS / PRINTED_PEOPLE if whole else None,
            float(per_person.mean()),
            "" if whole else _WEEKS,
        ),
        Statistic(
            "logarithm of calls per person, standard deviation",
            "",
            SIGMA if whole else None,
            float(np.log(per_person).std()),
            _CHOSEN if whole else _WEEKS,
        ),
        Statistic("calls per person, median", "calls", None, float(np.median(per_person)), "not printed"),
    ]
    for label in LABELS:
        printed = label == "commuter"
        target = (PRINTED_COMMUTERS if printed else wanted.get(label)) if like else None
        note = "" if printed and like else _CHOSEN if like else "not compared: these people imitate nobody"
        statistics.append(Statistic(f"profiles of class {label}", "share", target, share.get(label, 0.0), note))
    statistics.append(
        Statistic(
            "municipalities", "", None, float(data.municipalities.num_rows), "139 in the paper; grows with people"
        )
    )
    return statistics
