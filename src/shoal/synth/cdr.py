"""Call detail records of a country or a city, calibrated to the papers' printed statistics."""

import numpy as np
import pyarrow as pa

from shoal.progress import Progress
from shoal.synth.network import build_network
from shoal.synth.people import settle
from shoal.synth.presets import Preset, find_preset
from shoal.synth.randomness import blocks, opaque_ids, require_counts, stream, uid_column
from shoal.synth.rhythm import sample_times
from shoal.synth.whereabouts import sample_antennas

FIRST_DAY = np.datetime64("2024-01-01", "us")
"""Midnight, local time, of the first day: a Monday."""


def cdr(
    users: int,
    days: int,
    *,
    preset: str | Preset = "civ",
    seed: int = 0,
    progress: Progress | None = None,
) -> pa.Table:
    """Make the records of `users` people over `days` days.

    The same arguments give the identical table, whatever the machine's number of processors.

    Parameters
    ----------
    users, days
        How many; the preset's own numbers are those of the papers.
    preset
        A name in ``PRESETS``, or a `Preset` of your own.
    seed
        Of everything: geography, people and times.
    progress
        Called as ``progress(phase, done, total)``.

    Returns
    -------
    pyarrow.Table
        ``uid`` (dictionary of strings), ``datetime`` (UTC, whole minutes), ``lat``, ``lng`` (an antenna's);
        person after person, each in order of time, nobody twice in one minute.

    Examples
    --------
    >>> table = cdr(20, 2, seed=1)
    >>> table.column_names
    ['uid', 'datetime', 'lat', 'lng']
    >>> table.equals(cdr(20, 2, seed=1)), table.equals(cdr(20, 2, seed=2))
    (True, False)
    """
    chosen = find_preset(preset)
    require_counts(users=users, days=days, seed=seed)
    network = build_network(chosen, seed)
    people = settle(users, days, chosen, network, seed)

    rows = int(people.samples.sum())
    time = np.empty(rows, np.int64)
    antenna = np.empty(rows, np.int16)
    written = 0
    for block, first, last in blocks(users):
        rng = stream(seed, "samples", block)
        times = sample_times(rng, people.samples[first:last], days)
        part = slice(written, written + len(times.minute))
        time[part] = times.minute
        antenna[part] = sample_antennas(rng, times, first, people, network, days)
        written = part.stop
        if progress is not None:
            progress("making samples", last, users)

    time *= 60_000_000
    time += FIRST_DAY.astype(np.int64) - chosen.utc_offset_h * 3_600_000_000
    return pa.table(
        {
            "uid": uid_column(opaque_ids(stream(seed, "uids"), users), people.samples),
            "datetime": pa.array(time.view("datetime64[us]"), pa.timestamp("us", "UTC")),
            "lat": network.lat[antenna],
            "lng": network.lng[antenna],
        }
    )
