"""What the paper says of its Figs. 5 to 9, beside what came out."""

from collections.abc import Mapping
from statistics import median

from shoal.reproduce.findings import CURVE_POINTS, Finding
from shoal.reproduce.primule.piece import Figures
from shoal.reproduce.primule.plan import FIGURE_8, KS, Job
from shoal.reproduce.primule.raw import Raw
from shoal.usefulness.sociometer.archetypes import LABELS

MEASURED, RESEEDED = "measured", "reseeded"
Pieces = Mapping[Job, Figures]
_NEAR = 0.1
_KEPT, _LOST, _VERY_LOW = 1 / 2, 1 / 3, 0.2
"""What words of the paper are taken for: kept is more than half, lost less than a third, a very low F below 0.2."""


def findings_of(raw: Raw, pieces: Pieces) -> list[Finding]:
    """Set every statement beside its figure; reseeded is what another start of k-means keeps on the raw profiles."""
    by_words = {job.words: figures for job, figures in pieces.items()}
    return [
        *_similarity(by_words),
        *_losses(raw, by_words),
        *_kept(raw, by_words),
        *_noisy(raw, by_words),
        *_scores(by_words),
        *_truth(raw, by_words),
    ]


def _similarity(by_words: Mapping[str, Figures]) -> list[Finding]:
    rows = []
    for words, printed in (("k = 10", 0.7), ("k = 20", None), ("k = 50", None), ("k = 100", 0.5)):
        share = by_words[words]["above"]["0.95"]
        told = "" if printed is None else f"about {printed:.0%}"
        rows.append(_finding("Fig. 5a", f"similarity above 0.95, {words}", told, f"{share:.0%}", _near(printed, share)))
    for words, limit, printed in (("ε = 10", "0.8", 0.1), ("ε = 3", "0.7", 0.03)):
        share = by_words[words]["above"][limit]
        told = f"less than {printed:.0%}" if limit == "0.8" else f"{printed:.0%}"
        verdict = ("as printed" if share < printed else "not met") if limit == "0.8" else _near(printed, share)
        rows.append(_finding("Fig. 5b", f"similarity of {limit} or more, {words}", told, f"{share:.0%}", verdict))
    for words, printed in (("ε = 10", 0.7), ("ε = 3", 0.4)):
        value = _at(by_words[words], 0.8)
        rows.append(
            _finding("Fig. 5b", f"80 % are below, {words}", f"about {printed}", f"{value:.2f}", _near(printed, value))
        )
    for words, low, high in (("ε = 2", 0.25, 0.4), ("ε = 1", 0.2, 0.3)):
        found = _at(by_words[words], 0.1), _at(by_words[words], 0.9)
        inside = low <= found[0] and found[1] <= high
        off = max(low - found[0], found[1] - high)
        verdict = "as printed" if inside else "near" if off <= _NEAR / 2 else "not met"
        told = f"{found[0]:.2f}–{found[1]:.2f}"
        rows.append(_finding("Fig. 5b", f"most are between, {words}", f"{low}–{high}", told, verdict))
    return rows


def _losses(raw: Raw, by_words: Mapping[str, Figures]) -> list[Finding]:
    rows = [
        _finding("§6", f"information loss, {words}", "", f"{figures['information_loss']:.3f}")
        for words, figures in by_words.items()
    ]
    return [*rows, _finding("§6", "its bound: one group in each municipality", "", f"{raw.bound:.3f}")]


def _kept(raw: Raw, by_words: Mapping[str, Figures]) -> list[Finding]:
    """Fig. 6: what the Sociometer finds again under PRIMULE."""
    rows = []
    for k in KS:
        beside = by_words[f"k = {k}"]["against_original"]
        for label, printed, wanted in (
            ("resident", "kept", _mostly(beside, "resident")),
            ("visitor", "kept", _mostly(beside, "visitor")),
            ("dynamic_resident", "kept" if k <= 20 else "visitors", None),
            ("commuter", "lost", (beside["kept"]["commuter"] or 0) < _LOST),
            ("passing_by", "visitors", None),
        ):
            goes_to = _most(beside, label)
            verdict = wanted if wanted is not None else goes_to == ("visitor" if printed == "visitors" else label)
            rows.append(
                Finding(
                    "Fig. 6",
                    f"{_words(label)}, k = {k}",
                    printed,
                    {
                        MEASURED: f"{_share(beside['kept'][label])}, most are {_words(goes_to)}",
                        RESEEDED: _share(raw.reseeding["kept"][label]),
                    },
                    "as printed" if verdict else "not met",
                )
            )
    return rows


def _noisy(raw: Raw, by_words: Mapping[str, Figures]) -> list[Finding]:
    """Fig. 7: what it makes of noise."""
    rows = []
    for epsilon in (1, 2, 3):
        matrix = by_words[f"ε = {epsilon}"]["against_original"]["matrix"]
        total = sum(sum(row.values()) for row in matrix.values())
        share = sum(row["resident"] for row in matrix.values()) / total
        verdict = "as printed" if share > 1 - _NEAR else "not met"
        rows.append(_finding("Fig. 7", f"found as residents, ε = {epsilon}", "almost all", f"{share:.0%}", verdict))
    kept = by_words["ε = 10"]["against_original"]["kept"]
    for label, printed in (("resident", "kept"), ("visitor", "not well")):
        fine = (kept[label] or 0) > _KEPT
        rows.append(
            Finding(
                "Fig. 7",
                f"{_words(label)}, ε = 10",
                printed,
                {MEASURED: _share(kept[label]), RESEEDED: _share(raw.reseeding["kept"][label])},
                "as printed" if fine == (printed == "kept") else "not met",
            )
        )
    return rows


def _scores(by_words: Mapping[str, Figures]) -> list[Finding]:
    """Fig. 8: the median over municipalities."""
    printed = {
        FIGURE_8[0]: {"resident": 0.7, "dynamic_resident": 0.9, "commuter": None, "visitor": 0.5, "passing_by": None},
        FIGURE_8[1]: dict.fromkeys(LABELS),
    }
    rows = []
    for words, wanted in printed.items():
        for i, label in enumerate(LABELS):
            scores = [row[i] for row in by_words[words]["f_score_by_place"] if row[i] is not None]
            value, target = median(scores) if scores else 0.0, wanted[label]
            limit = 0.5 if words == FIGURE_8[1] else _VERY_LOW
            told = "below 0.5" if words == FIGURE_8[1] else "very low" if target is None else f"about {target}"
            verdict = ("as printed" if value < limit else "not met") if target is None else _near(target, value)
            rows.append(_finding("Fig. 8", f"median F of {_words(label)}, {words}", told, f"{value:.2f}", verdict))
    return rows


def _truth(raw: Raw, by_words: Mapping[str, Figures]) -> list[Finding]:
    """What the paper could not have: the true classes."""
    if raw.truth is None:
        return []
    share = float((raw.truth == raw.labels[0]).mean())
    rows = [_finding("truth", "found as they are, raw profiles", "", f"{share:.0%}")]
    for words, figures in by_words.items():
        share = figures["against_truth"]["accuracy"]
        rows.append(_finding("truth", f"found as they are, {words}", "", f"{share:.0%}"))
    return rows


def _finding(where: str, what: str, printed: str, measured: str, note: str = "") -> Finding:
    return Finding(where, what, printed, {MEASURED: measured, RESEEDED: ""}, note)


def _near(printed: float | None, measured: float) -> str:
    if printed is None:
        return ""
    off = abs(measured - printed)
    return "as printed" if off <= _NEAR / 2 else "near" if off <= _NEAR else "not met"


def _at(figures: Figures, share: float) -> float:
    return float(figures["similarity"][round(share * (CURVE_POINTS - 1))])


def _mostly(beside: Figures, label: str) -> bool:
    return (beside["kept"][label] or 0) > _KEPT


def _most(beside: Figures, label: str) -> str:
    row = beside["matrix"][label]
    return max(LABELS, key=lambda other: row[other])


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _words(label: str) -> str:
    return label.replace("_", " ")
