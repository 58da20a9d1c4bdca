"""What the auditor's self-test covers: every condition, the releases that break it, and what happens without it.

python benchmarks/selftest.py            counts, and the conditions that can be removed unseen (none)
python benchmarks/selftest.py --full     the whole table
"""

import argparse
import time

from figures.noted import note
from shoal.auditor.conditions import COMPLETED, without
from shoal.auditor.registry import ORDER, conditions
from shoal.auditor.selftest.run import ALL, SOUND, trials


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="the whole table")
    full = parser.parse_args().full
    start = time.process_time()
    found = {trial.broken: trial.to_dict() for trial in trials((*SOUND, *ALL)) if trial.broken}
    spent = time.process_time() - start
    print(f"self-test: {spent:.1f} CPU s, {len(SOUND)} sound and {len(ALL)} broken releases")
    note(f"self-test, {len(SOUND) + len(ALL)} releases", cpu_s=spent)
    missed = [row["broken"] for row in found.values() if not row["ok"]]
    print(f"not rejected by the very condition: {', '.join(missed) or 'none'}")

    unseen = []
    for name in conditions():
        aimed = [broken for broken in ALL if broken.condition == name]
        if not aimed:
            # Every check is held to its end by a crash that the tests inject.
            assert name.endswith(f".{COMPLETED}")
            continue
        only = ORDER if name.startswith("claim.") else {aimed[0].expected_id}
        with without(name):
            still = [trial.broken.words for trial in trials(aimed, only=only) if trial.to_dict()["ok"]]
        unseen += still
        if full:
            for broken in aimed:
                by = ", ".join(found[broken]["rejected_by"])
                print(f"{name:36} {broken.words:44} rejected by {by}; without it: {'seen' if still else 'missed'}")
    print(f"conditions: {len(conditions())}; removed one by one and not missed: {', '.join(unseen) or 'none'}")


if __name__ == "__main__":
    main()
