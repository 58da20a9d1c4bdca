"""PRUDEnce risks against scikit-mobility, on the same input in one run.

    python benchmarks/prudence.py [--people 100] [--records 10] [--targets 2] [--full]

scikit-mobility runs in an environment of its own, ``.venv-skmob``, which is made on first use from
``peers/constraints-skmob.txt``. Where it cannot be had, that is said, and only our own times are printed.

First all risks of small random data are compared, attack by attack. Then both sides attack the same people of the same
data; scikit-mobility only a few of them, because it needs up to a minute for each. Both start from a table in memory
whose times are times: scikit-mobility's is a TrajDataFrame already. Ours is any table; checking it and putting it on
the grid is within the CPU seconds that are shown, for the same few targets and for everybody. *Attack alone* is what
both sides do from what they read: ours builds its index. What everybody takes is for the most part the same whoever
they are and however few, so the attacks that are quick with scikit-mobility are also made on more people.

Two slips of scikit-mobility 1.3.1 stand in the way of a comparison and are stepped around: its precision "Hour" looks
at the day only, so days are compared; and its home and work are the two *least* visited places, so it is also run with
the visits sorted as its documentation says.
"""

import argparse
import json
import tempfile
import time
from operator import itemgetter
from pathlib import Path

from figures.noted import note
from peers.environment import SKMOB, asked, python_of

CLASSES = {
    "location": "LocationAttack",
    "sequence": "LocationSequenceAttack",
    "location-time": "LocationTimeAttack",
    "unique-location": "UniqueLocationAttack",
    "frequency": "LocationFrequencyAttack",
    "probability": "LocationProbabilityAttack",
    "proportion": "LocationProportionAttack",
    "home-work": "HomeWorkAttack",
}
TOLERANT = ("frequency", "probability", "proportion")
DAY_MINUTES = 1440
QUICK = (*TOLERANT, "home-work")
AIM, MUST = 10_000, 1_000
ROUNDS = 5


# ---------------------------------------------------------------------------------- inside the other environment


def answer(folder: Path) -> None:
    """Do the tasks with scikit-mobility; runs in its environment."""
    import warnings

    warnings.filterwarnings("ignore")
    from skmob.core.trajectorydataframe import TrajDataFrame
    from skmob.privacy import attacks

    as_it_is = attacks.frequency_vector
    answers = []
    for task in json.loads((folder / "tasks.json").read_text()):
        data = TrajDataFrame.from_file(str(folder / task["data"]))
        more = {"knowledge_length": task["size"]}
        if task["attack"] == "location-time":
            more["time_precision"] = "Day"
        if task["attack"] in TOLERANT:
            more["tolerance"] = task["tolerance"]
        attack = getattr(attacks, CLASSES[task["attack"]])(**more)

        def most_first(trajectory):
            return as_it_is(trajectory).sort_values(by=["uid", "freq"], ascending=[True, False], kind="stable")

        attacks.frequency_vector = most_first if task["attack"] == "home-work" and task["mended"] else as_it_is
        start = time.process_time()
        found = attack.assess_risk(data, targets=task["targets"])
        answers.append({"seconds": time.process_time() - start, "risk": found["risk"].tolist()})
    print(json.dumps(answers))


# ------------------------------------------------------------------------------------------------------ our side


def make_people(path: Path, people: int, records: int, places: int, seed: int) -> None:
    """Write people who share popular places; times of a person differ, all in one month."""
    import numpy as np

    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, places + 1)
    lines = ["uid,datetime,lat,lng"]
    for uid in range(1, people + 1):
        moments = np.sort(rng.choice(20 * 1440, records, replace=False))
        for minute, place in zip(moments, rng.choice(places, records, p=popularity / popularity.sum()), strict=True):
            day, rest = divmod(int(minute), 1440)
            lines.append(f"{uid},2020-06-{day + 1:02} {rest // 60:02}:{rest % 60:02}:00,{6 + place / 64},{-5.5}")
    path.write_text("\n".join(lines) + "\n")


def ours(frame, task, targets=None):
    """Return CPU seconds of our side, those of the attack alone, and risks; of some targets, or of everybody."""
    import numpy as np

    from shoal.attacks.prudence import prudence
    from shoal.attacks.sources import read_records
    from shoal.data.options import ReadOptions

    start = time.process_time()
    uids, records, *_ = read_records(frame, ReadOptions(tz="UTC"), None)
    read = time.process_time()
    everybody = np.argsort(uids.cast(int).to_numpy())
    chosen = everybody if targets is None else everybody[np.array(targets) - 1]
    size = None if task["attack"] == "home-work" else task["size"]
    options = {"step_s": DAY_MINUTES * 60, "tolerance": task["tolerance"]}
    found = prudence(records, task["attack"], size, chosen, **options)
    assert found.exact.all()
    end = time.process_time()
    return end - start, end - read, found.risk.tolist()


def task_of(attack: str, data: str, size: int, *, targets=None, tolerance=0.0, mended=True) -> dict:
    return {
        "attack": attack,
        "data": data,
        "size": size,
        "targets": targets,
        "tolerance": tolerance,
        "mended": mended,
    }


def answers_of(python: Path, folder: Path, tasks: list[dict]) -> list[dict]:
    (folder / "tasks.json").write_text(json.dumps(tasks))
    return json.loads(asked(python, SKMOB, Path(__file__), "--answer", str(folder)))


def compare_risks(python: Path, folder: Path, sets: int) -> None:
    """Compare all risks on small random data."""
    import polars as pl

    tasks = []
    for number in range(sets):
        data = f"small-{number}.csv"
        make_people(folder / data, 6, 3 + number % 4, 4, seed=number)
        for attack in CLASSES:
            if attack == "home-work":
                tasks += [task_of(attack, data, 1, mended=mended) for mended in (True, False)]
                continue
            tasks += [task_of(attack, data, size) for size in (1, 2, 3, 9)]
            if attack in TOLERANT:
                tasks += [task_of(attack, data, size, tolerance=0.5) for size in (2, 3)]
    equal: dict[str, list[int]] = {}
    for task, theirs in zip(tasks, answers_of(python, folder, tasks), strict=True):
        *_, mine = ours(pl.read_csv(folder / task["data"]), task)
        name = task["attack"] + (" as it is" if not task["mended"] else "")
        same = sum(abs(a - b) < 1e-9 for a, b in zip(mine, theirs["risk"], strict=True))
        row = equal.setdefault(name, [0, 0])
        row[0] += same
        row[1] += len(mine)
    print(f"risks equal to {SKMOB.name} {SKMOB.version} on {sets} small random data sets")
    for name, (same, total) in equal.items():
        print(f"  {name:24} {same:5} of {total}")


def compare_times(python: Path | None, folder: Path, args: argparse.Namespace, people: int, attacks: list[str]) -> None:
    import polars as pl

    make_people(folder / "people.csv", people, args.records, args.places, seed=99)
    frame = pl.read_csv(folder / "people.csv", try_parse_dates=True)
    targets = list(range(1, args.targets + 1))
    tasks = [
        task_of(attack, "people.csv", size, targets=targets)
        for attack in attacks
        for size in ((1,) if attack == "home-work" else args.sizes)
    ]
    ours(frame, tasks[0])  # imports
    theirs = answers_of(python, folder, tasks) if python else [None] * len(tasks)
    print(f"\n{people:,} people × {args.records} records; must {MUST:,}×, aim {AIM:,}×; CPU seconds")
    print(f"{'':16} {'size':>4} | {f'{len(targets)} targets: theirs':>20} {'ours':>8} {'ratio':>9}", end=" | ")
    print(f"{'a person, of all: theirs':>24} {'ours':>10} {'ratio':>10} {'attack alone':>13} {'ratio':>10}")
    for task, other in zip(tasks, theirs, strict=True):
        same, _, risk = min((ours(frame, task, targets) for _ in range(ROUNDS)), key=itemgetter(0))
        rounds = [ours(frame, task) for _ in range(ROUNDS)]
        everybody, alone = (min(seconds) / people for seconds in list(zip(*rounds, strict=True))[:2])
        line = f"{task['attack']:16} {'-' if task['attack'] == 'home-work' else task['size']:>4} | "
        if other is None:
            print(line + f"{'':20} {same:8.4f} {'':9} | {'':24} {everybody:10.6f} {'':10} {alone:13.6f}")
            continue
        assert all(abs(a - b) < 1e-9 for a, b in zip(risk, other["risk"], strict=True)), task["attack"]
        each = other["seconds"] / len(targets)
        line += f"{other['seconds']:20.2f} {same:8.4f} {other['seconds'] / same:8,.0f}× | "
        line += f"{each:24.2f} {everybody:10.6f} {each / everybody:9,.0f}× {alone:13.6f} {each / alone:9,.0f}×"
        print(line, flush=True)
        work = f"PRUDEnce {task['attack']}, size {task['size']}, {people:,} people"
        note(work, ratio=each / everybody, to=f"faster than {SKMOB.name}, a person of all", cpu_s=everybody * people)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--more", type=int, default=1_000, help=f"people for {', '.join(QUICK)} as well")
    parser.add_argument("--records", type=int, default=10)
    parser.add_argument("--places", type=int, default=20)
    parser.add_argument("--targets", type=int, default=1, help="people whom scikit-mobility attacks")
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=[2])
    parser.add_argument("--attacks", type=lambda text: text.split(","), default=list(CLASSES), help="for the times")
    parser.add_argument("--sets", type=int, default=4, help="small data sets to compare all risks on")
    parser.add_argument("--full", action="store_true", help="sizes 2 and 3, 20 small data sets")
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.answer:
        answer(args.answer)
        return
    if args.full:
        args.sizes, args.sets = [2, 3], 20
    python = python_of(SKMOB)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if python and args.sets:
            compare_risks(python, folder, args.sets)
        compare_times(python, folder, args, args.people, args.attacks)
        compare_times(python, folder, args, args.more, [attack for attack in args.attacks if attack in QUICK])


if __name__ == "__main__":
    main()
