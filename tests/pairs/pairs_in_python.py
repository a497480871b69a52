#!/usr/bin/env python3
"""Writes functions in Python to FOLDER, and then sends the messages of MESSAGES to the functions of every language.

    pairs_in_python.py MESSAGES SEVERAL FOLDER      on its input then: ADDRESS LANGUAGE..., and a line of those with several arrays
"""
import os
import sys

import numpy as np
import several_in_python
import tchains
from tchains.parameters import packed

MESSAGES, SEVERAL, FOLDER = sys.argv[1:]


@tchains.ifunc(name="over_python")
def over(limit: float, values: tchains.Payload(np.float64)):
    total = 0.0
    for value in values:
        if value > limit:
            total += value
    return total


@tchains.ifunc(name="weigh_python")
def weigh(scale: float, shift: np.int32, values: tchains.Payload(np.float32)):
    total = 0.0
    for value in values:
        total += value
    return total * scale + shift, np.int32(len(values))


@tchains.ifunc(name="mixed_python")
def mixed(a: np.int8, b: float, c: np.int16):
    return a + b * c


@tchains.ifunc(name="letters_python")
def letters(every: bool, text: tchains.Payload(np.uint8)):
    count = 0
    for letter in text:
        if every or letter == 97:
            count += 1
    return count


@tchains.ifunc(name="grid_python")
def grid(size: int):
    return np.ones((size, size))


CASES = [
    ("over", over, 107.0, (2.5, [100.0, 1, 2, 3, 4])),
    ("over_none", over, 0.0, (2.5, [])),
    ("weigh", weigh, (8.875, 2), (0.5, np.int32(7), np.array([1.5, 2.25], np.float32))),
    ("weigh_none", weigh, (7.0, 0), (0.5, np.int32(7), np.zeros(0, np.float32))),
    ("mixed", mixed, 9.0, (np.int8(-1), 2.5, np.int16(4))),
    ("letters", letters, 6, (True, b"banana")),
    ("letters_a", letters, 3, (False, b"banana")),
    ("letters_none", letters, 0, (True, b"")),
]


def answer_of(reply, expected):
    """A reply of a function in any language, as the expected type."""
    if isinstance(expected, tuple):
        return np.frombuffer(reply, np.dtype([("sum", np.float64), ("count", np.int32)], align=True))[0].item()
    return np.frombuffer(reply, np.float64 if isinstance(expected, float) else np.int64)[0].item()


def main():
    for function in (over, weigh, mixed, letters, grid):
        function.save(os.path.join(FOLDER, function.name + ".tca"))
    several_in_python.save(FOLDER)
    print("made", flush=True)
    with open(MESSAGES, encoding="utf-8") as file:
        expected = dict(line.rstrip("\n").split(" ", 1) for line in file if not line.startswith("#"))
    address, *languages = sys.stdin.readline().split()
    several = sys.stdin.readline().split()
    with tchains.Context() as context, context.connect(address, timeout=60) as node:
        for name, own, answer, arguments in CASES:
            golden = bytes.fromhex(expected[name])
            assert bytes(packed(arguments)) == golden, name
            assert bytes(own.signature.payload(arguments, {})) == golden, name
            assert node.call(own, *arguments) == answer, name
            for language in languages:
                path = os.path.join(FOLDER, f"{own.name.split('_')[0]}_{language}.tca")
                if os.path.exists(path):
                    function = context.open_file(path)
                    found = node.call(function, *arguments)
                    found = answer_of(found, answer) if isinstance(found, bytes) else found
                    assert found == answer, f"Python to {language}, {name}: found {found}, expected {answer}"
        assert node.call(grid, 3).shape == (3, 3)
        several_in_python.check(context, node, SEVERAL, FOLDER, several)


main()
