"""Map and reduce over the ranks of a job: each holds a part of the numbers, and a function goes to all of them.

    run.sh BUILD map_reduce [RANKS]

`histogram` is the map: it runs where the numbers are and brings back counts, not numbers. Rank 0 reduces them.
"""
import sys

import numpy as np
import tchains

ROWS = 100_000


@tchains.ifunc
def histogram(bins: int, low: float, high: float, part: tchains.Data("part", np.float64)):
    counts = np.zeros(bins, np.int64)
    for value in part:
        place = int((value - low) / (high - low) * bins)
        if 0 <= place < bins:
            counts[place] += 1
    return counts


def main():
    with tchains.Context() as context, context.join() as group:
        context.publish("part", np.random.default_rng(group.rank).normal(size=ROWS))
        group.barrier()
        if group.rank == 0:
            total = sum(group.call_all(histogram, 16, -4.0, 4.0))
            for i, count in enumerate(total):
                print(f"{i / 2 - 4:5.1f} {'*' * (60 * count // total.max())}")
            print(f"{total.sum()} of {ROWS * len(group)} values of {len(group)} ranks", file=sys.stderr)
        group.barrier()


if __name__ == "__main__":
    main()
