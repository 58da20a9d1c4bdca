"""A nation, command by command, from file to result: CPU seconds, seconds, peak memory; and how measuring it grows.

    python benchmarks/nation.py                                     2,000 people
    python benchmarks/nation.py --full                              20,000 and 82,728, the size of the paper's data set
    python benchmarks/nation.py --people 1000000 --partition 5000   a million, beside their originals

Synthetic civ, two weeks; each command runs in a process of its own, with kernels that are compiled already. *Growth* is
the exponent of CPU seconds between two sizes. With ``--partition`` people are grouped within neighbourhoods of so many,
with 5 % left out, and neither are k-gaps measured nor groups of five made: all pairs of a million are too many.
"""

import argparse
import math
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from figures.command import used
from figures.noted import note
from shoal import synth

SHORT, FULL = (2_000,), (20_000, 82_728)
AT_ONCE = 50_000
"""People who are made in one go: a million do not fit beside what makes them."""


def write_people(people: int, path: Path) -> None:
    """Write so many people, in pieces of other seeds and names."""
    writer = None
    for number, low in enumerate(range(0, people, AT_ONCE)):
        events = synth.cdr(min(AT_ONCE, people - low), 14, preset="civ", seed=number + 1)
        if people > AT_ONCE:
            uid = pc.binary_join_element_wise(events["uid"].cast(pa.string()), str(number), "-")
            events = events.set_column(events.schema.get_field_index("uid"), "uid", uid)
        writer = writer or parquet.ParquetWriter(path, events.schema)
        writer.write_table(events)
    writer.close()


def commands(data: Path, folder: Path, partition: str | None) -> dict[str, list[str]]:
    """What is run, in this order, by the words that it is told by."""
    release, five = folder / "release", folder / "five"
    protect = ["protect", "glove", str(data), "--ledger", str(folder / "ledger"), "--again", "-q"]
    beside = [str(release), "--original", str(data), "-q"]
    rest = {"audit with originals": ["audit", *beside], "utility": ["utility", *beside]}
    if partition:
        within = [*protect, "--k", "2", "--partition", partition, "--suppress-share", "0.05", "--out", str(release)]
        return {f"protect glove --k 2 --partition {partition}": within, **rest}
    return {
        "measure --k 2": ["measure", str(data), "--k", "2", "--out", str(folder / "measured"), "-q"],
        "protect glove --k 2": [*protect, "--k", "2", "--out", str(release)],
        "protect glove --k 5": [*protect, "--k", "5", "--out", str(five)],
        **rest,
    }


def one_size(people: int, partition: str | None) -> dict[str, float]:
    """Print a row for each command; CPU seconds of each."""
    found = {}
    with tempfile.TemporaryDirectory() as made:
        data = Path(made) / "people.parquet"
        write_people(people, data)
        samples = parquet.read_metadata(data).num_rows
        print(f"\n{people:,} people, {samples:,} events{'':15} {'CPU s':>9} {'wall s':>9} {'peak GB':>9}", flush=True)
        for work, arguments in commands(data, Path(made), partition).items():
            spent = used(*arguments)
            print(f"    {work:<44} {spent.cpu_s:>9.1f} {spent.wall_s:>9.1f} {spent.gb:>9.2f}", flush=True)
            note(f"{work}, {people:,} people, as a command", cpu_s=spent.cpu_s, gb=spent.gb)
            found[work] = spent.cpu_s
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20,000 and 82,728 people")
    parser.add_argument("--people", type=lambda text: [int(part) for part in text.split(",")], help="other sizes")
    parser.add_argument("--partition", help="of protect")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:  # compile
        few = Path(made) / "few.parquet"
        write_people(200, few)
        for arguments in commands(few, Path(made), None).values():
            used(*arguments)
    sizes = args.people or (FULL if args.full else SHORT)
    found = [one_size(people, args.partition) for people in sizes]
    for work in found[0] if len(sizes) > 1 else ():
        growth = math.log(found[-1][work] / found[0][work]) / math.log(sizes[-1] / sizes[0])
        print(f"growth of {work} from {sizes[0]:,} to {sizes[-1]:,} people: {growth:.2f}")


if __name__ == "__main__":
    main()
