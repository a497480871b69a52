"""Filters a column where it is: at a node that has no Python.

    run.sh BUILD filter [--rows N] [--compare [--rounds N]]

The node (column_node.c) holds a column of numbers. `above` goes there, runs there, and brings back its results.

--compare measures against the two other ways: the column comes here over TCP and NumPy filters it, and the same filter written in C
(above_c.c). `above_by_blocks` is a faster way to write it in Python, and `total` reads the column and does hardly more, which no
filter can beat. Rounds take turns, so that ratios hold on a busy machine; the least time of each counts.
"""
import argparse
import contextlib
import os
import subprocess
import time

import numpy as np
import tchains

FOUND_MAX = 1024
BLOCK = 64
PAGE_ROWS = 1 << 17


@tchains.ifunc
def above(limit: float, column: tchains.Data("column", np.float64)):
    found = np.empty(FOUND_MAX)
    count = 0
    for value in column:
        if value > limit:
            if count == FOUND_MAX:
                raise ValueError("more than 1024 values are above the limit")
            found[count] = value
            count += 1
    return found[:count]


@tchains.ifunc
def above_by_blocks(limit: float, column: tchains.Data("column", np.float64)):
    """The same, faster: a loop without a branch counts a block's hits, several values at once, and few blocks have any."""
    found = np.empty(FOUND_MAX)
    count = 0
    for first in range(0, len(column), BLOCK):
        last = min(first + BLOCK, len(column))
        hits = 0
        for i in range(first, last):
            hits += column[i] > limit
        if hits == 0:
            continue
        for i in range(first, last):
            if column[i] > limit:
                if count == FOUND_MAX:
                    raise ValueError("more than 1024 values are above the limit")
                found[count] = column[i]
                count += 1
    return found[:count]


@tchains.ifunc(fastmath=True)
def total(column: tchains.Data("column", np.float64)):
    sum = 0.0
    for i in range(len(column)):
        sum += column[i]
    return sum


@tchains.ifunc
def page(first: int, rows: int, column: tchains.Data("column", np.float64)):
    return column[first:first + rows]


@contextlib.contextmanager
def column_node(build, rows):
    """A node of its own; gives its address."""
    program = os.path.join(build, "examples", "python", "column_node")
    with subprocess.Popen([program, str(rows)], stdout=subprocess.PIPE, text=True) as node:
        try:
            yield "127.0.0.1:" + node.stdout.readline().strip()
        finally:
            node.terminate()


def fetch(node, column):
    """Brings the whole column here, each page to its index, eight pages under way."""
    calls = []
    for first in range(0, len(column), PAGE_ROWS):
        part = column[first:first + PAGE_ROWS]
        calls.append(node.start(page, first, len(part), into=part))
        if len(calls) > 8:
            calls.pop(0).result()
    for call in calls:
        call.result()


def warm(way, seconds):
    """The first call brings the code, which the node soon makes better where it runs for long."""
    end = time.monotonic() + seconds
    while True:
        answer = way()
        if time.monotonic() > end:
            return answer


def compare(build, node, limit, rows, rounds, seconds):
    """Ratios of rounds that take turns."""
    in_c = node.context.open_file(os.path.join(build, "examples", "python", "above_c.tca"))
    column, query = np.empty(rows), np.array([limit])

    def by_numpy():
        fetch(node, column)
        return column[column > limit]
    ways = {"at the node, Python": lambda: node.call(above, limit),
            "Python, by blocks": lambda: node.call(above_by_blocks, limit),
            "at the node, C": lambda: np.frombuffer(node.call(in_c, query)),
            "a pass alone": lambda: node.call(total),
            "here, NumPy": by_numpy}
    least = dict.fromkeys(ways, float("inf"))
    answers = {name: warm(way, seconds) for name, way in ways.items()}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            least[name] = min(least[name], time.perf_counter() - begin)
    answers.pop("a pass alone")
    assert all(np.array_equal(answer, answers["here, NumPy"]) for answer in answers.values())
    for name, seconds in least.items():
        print(f"{name:20} {seconds * 1e3:9.3f} ms")
    print(f"Python at the node is {least['here, NumPy'] / least['at the node, Python']:.1f} times as fast as NumPy here, "
          f"and takes {least['at the node, Python'] / least['at the node, C']:.2f} of the time of C; "
          f"a pass alone is {least['here, NumPy'] / least['a pass alone']:.1f} times as fast")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--warm", type=float, default=1, help="seconds of each way before the rounds")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        # The node gets these too: TCP, and space for the pages that are under way; bitcode of either
        # language.
        os.environ.update(UCX_TLS="tcp,self", TC_SEND_QUEUE_BYTES="64M", TC_FORM="bitcode")
    limit = 1 - 20 / options.rows
    with column_node(options.build, options.rows) as address, tchains.Context() as context, context.connect(address) as node:
        found = node.call(above, limit)
        print(f"{len(found)} of {options.rows} values are above {limit}; the largest is {found.max(initial=0)}")
        if options.compare:
            compare(options.build, node, limit, options.rows, options.rounds, options.warm)


if __name__ == "__main__":
    main()
