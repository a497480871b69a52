#!/usr/bin/env python3
"""Functions in Python, compiled here for both architectures, at a node of the other one.

    check_python.py ROOT HOST_BUILD NODE
"""
import importlib.util
import math
import os
import sys
import unittest

DEBIANS = "/usr/bin/python3"
ROOT, BUILD, NODE = sys.argv[1:4]


def skip_where_missing():
    """The distribution's own Python has its packages; an earlier one in PATH may not."""
    missing = [name for name in ("cffi", "numpy", "numba") if importlib.util.find_spec(name) is None]
    if missing and os.path.exists(DEBIANS) and os.path.realpath(sys.executable) != os.path.realpath(DEBIANS):
        os.execv(DEBIANS, [DEBIANS, "-B", *sys.argv])
    if not missing and importlib.util.find_spec("tchains._binding") is None:
        missing = [f"the package of the build {BUILD}"]
    if missing:
        print(f"skipped: this Python lacks {' and '.join(missing)} (Debian: apt-get install python3-numba)")
        sys.exit(77)


sys.path[:0] = [os.path.join(BUILD, "python"), os.path.join(ROOT, "tests", "integration")]
skip_where_missing()
import numpy as np  # noqa: E402
import tchains  # noqa: E402
from tchains import here  # noqa: E402
from tool_process import Node  # noqa: E402


@tchains.ifunc
def figures(scale: float, offset: np.int16, points: tchains.Payload(np.float64, shape=(None, 2)), seen: tchains.State(np.int64, 1)):
    """Numbers of several sizes, a view, functions of libm, memory of its own, and an exception."""
    seen[0] += len(points)
    if scale == 0:
        raise ValueError("no scale")
    total = 0.0
    for x, y in points:
        total += math.exp(x / scale) * math.sin(y) + math.hypot(x, y)
    return total + offset, points[:, 0].mean(), seen[0], offset // 4


@tchains.ifunc
def positive(block: tchains.Payload(np.float32, ndim=2), power: np.uint8):
    """An array that the node allocates, of a shape that comes back."""
    out = np.empty((block.shape[1], block.shape[0]))
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            out[j, i] = max(block[i, j], np.float32(0)) ** power
    return out


def bound(source: tchains.Payload(np.int64)):
    return len(source) - 1


def differences(steps, first, source: tchains.Payload(np.int64)):
    first[0] = source[0]
    for i in range(len(steps)):
        steps[i] = source[i + 1] - source[i]


@tchains.ifunc(payload=(bound, differences))
def last(steps: tchains.Payload(np.int16), first: np.int64):
    """Its payload is made here, by this machine's code."""
    return first + steps.sum(), here.rank() == 2**32 - 1


class Answers(unittest.TestCase):
    """The replies are the functions' results here."""

    def test_they_are_those_of_this_machine(self):
        node = Node(self, NODE)
        with tchains.Context(call_timeout="120s") as context, context.connect(node.address, timeout=60) as peer:
            self.assertNotEqual(peer.info()["peer_triple"], f"{os.uname().machine}-linux")
            points = np.random.default_rng(7).normal(size=(100, 2))
            for times in (1, 2):
                expected = figures(3.0, -7, points, np.full(1, 100 * (times - 1)))
                np.testing.assert_allclose(peer.call(figures, 3.0, -7, points), expected, rtol=1e-12)
            with self.assertRaisesRegex(tchains.Raised, r"ValueError: no scale \(check_python.py:\d+\)"):
                peer.call(figures, 0.0, 0, points)
            block = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
            np.testing.assert_array_equal(peer.call(positive, block, 3), positive(block, 3))
            self.assertEqual(peer.call(last, [5, 7, 4, 20]), (20, True))
            raw = context.open_archive(positive.archive())
            raw.typed = False
            with self.assertRaisesRegex(tchains.Invalid, "which its dimensions do not need"):
                peer.call(raw, np.array([2, 3], np.int64).tobytes() + b'\1' + bytes(3 + 20))
        node.stop()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
