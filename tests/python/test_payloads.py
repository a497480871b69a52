#!/usr/bin/env python3
"""Functions in Python with payloads made where they are sent."""
import os
import sys
import tempfile

import tchains
from python_case import ROOT, Process, PythonCase, main, needs_numba

try:
    import numpy as np
except ImportError:  # every class here is skipped
    np = None

if np is not None:
    def length(source: tchains.Payload(np.float64)):
        return len(source)

    def narrow(steps, source: tchains.Payload(np.float64)):
        if len(source) == 3:
            raise ValueError("three numbers are refused")
        for i in range(len(source)):
            steps[i] = source[i]

    @tchains.ifunc(payload=(length, narrow))
    def total(steps: tchains.Payload(np.float32)):
        return steps.sum(), len(steps)

    def rows_above(limit: float, table: tchains.Payload(np.float64, shape=(None, 2))):
        if limit < 0:
            return -len(table)
        rows = 0
        for row in table:
            rows += row[0] > limit
        return rows

    def pack(scale, points, marked, limit: float, table: tchains.Payload(np.float64, shape=(None, 2))):
        rows = 0
        for row in table:
            if row[0] > limit:
                points[rows, 0], points[rows, 1] = row[0] * 4, row[1] * 4
                rows += 1
        scale[0] = 4
        marked[0] = rows > 1

    @tchains.ifunc(payload=(rows_above, pack))
    def unpacked(scale: np.int16, points: tchains.Payload(np.int32, shape=(None, 2)), marked: bool):
        return points / scale if marked else points * 1.0

    def two(low, high, bounds, values: tchains.Payload(np.float64)):
        low[0], high[0] = values.min(), values.max()
        bounds[0], bounds[1] = np.argmin(values), np.argmax(values)

    @tchains.ifunc(payload=(None, two))
    def span(low: float, high: float, bounds: tchains.Payload(np.uint8, shape=2)):
        return high - low, bounds[0], bounds[1]

    def twice(n, number: int):
        n[0] = 2 * number

    @tchains.ifunc(payload=(None, twice))
    def plain(n: np.int32):
        return n


@needs_numba
class Made(PythonCase):
    """Payloads that the functions make arrive."""

    def setUp(self):
        self.context, self.endpoint = self.connected()

    def test_an_array(self):
        call = self.endpoint.call
        self.assertEqual(call(total, [1.5, 2.5]), (4, 2))
        self.assertEqual(call(total, np.full(100_000, 2.0)), (200_000, 100_000))
        self.assertEqual(call(total, []), (0, 0))
        self.assertEqual(call(total, memoryview(bytes(17))[1:]), (0, 2))
        self.assertEqual(total(np.ones(3, np.float32)), (3, 3))

    def test_numbers_beside_it(self):
        table = np.array([[1.0, 2.0], [5.0, 6.0], [7.0, 8.0]])
        np.testing.assert_array_equal(self.endpoint.call(unpacked, 3, table), table[1:])
        np.testing.assert_array_equal(self.endpoint.call(unpacked, limit=6, table=table), [[28, 32]])
        self.assertEqual(self.endpoint.call(unpacked, 9, table).shape, (0, 2))

    def test_what_has_always_one_size(self):
        self.assertEqual(self.endpoint.call(span, [3.0, 1.0, 9.0, 4.0]), (8.0, 1, 2))
        self.assertEqual(self.endpoint.call(plain, 21), 42)

    def test_what_they_raise_cancels_the_message(self):
        for send in (self.endpoint.call, self.endpoint.send):
            with self.assertRaisesRegex(tchains.Error, "TC_E_PAYLOAD: total: .*ValueError: three numbers") as caught:
                send(total, [1.0, 2.0, 3.0])
            self.assertIsInstance(caught.exception.__cause__, ValueError)
            with self.assertRaisesRegex(tchains.Error, "TC_E_PAYLOAD: .*rows_above returned -1"):
                send(unpacked, -1, [[1.0, 2.0]])
        with self.assertRaisesRegex(TypeError, "array of int32, expected float64"):
            self.endpoint.call(total, np.zeros(2, np.int32))
        self.assertEqual(self.endpoint.call(total, [1.0]), (1, 1))

    def test_other_programs_send_it(self):
        """The arguments are laid out as a payload is; one that does not fit cancels the message."""
        node = self.node()
        with tempfile.TemporaryDirectory() as folder:
            archive, source = total.save(os.path.join(folder, "total.tca")), os.path.join(folder, "source")
            for values, expected in (([1.0, 2.0, 3.5, 4.0], 0), ([1.0, 2.0, 3.0], 1)):
                np.array(values).tofile(source)
                send = [self.tool("tc-send"), node.address, archive, "--payload", source]
                said = Process(self, send).expect(expected)
            self.assertIn("payload_init", said.err)
            with open(source, "wb") as file:
                file.write(bytes(15))
            self.assertIn("payload_get_max_size", Process(self, send).expect(1).err)
        self.assertEqual(node.stop()["messages_run"], 1)


@needs_numba
class Refused(PythonCase):
    """Pairs of functions that make no payload."""

    def refused(self, error, words, pair, function=None):
        def numbers(steps: tchains.Payload(np.float32)):
            return len(steps)
        with self.assertRaisesRegex(error, words):
            tchains.ifunc(function or numbers, payload=pair).compile()

    def test_the_pair(self):
        self.refused(TypeError, "expected payload=.BOUND, INIT., two functions; found", length)
        self.refused(TypeError, "expected payload=.BOUND, INIT., two functions; found", (length, 4))
        self.refused(TypeError, "has no BOUND, which says how long", (None, narrow))
        self.refused(TypeError, "always the same size; expected payload=.None, INIT.", (length, twice), plain.function)
        self.refused(TypeError, r"expected \(steps, ...\), without annotations; found \(n, ...\)", (length, twice))

        def table(block: tchains.Payload(np.int8, ndim=2)):
            return block.size
        self.refused(ValueError, "one dimension at most is open", (length, narrow), table)

    def test_their_arguments(self):
        def annotated(steps: tchains.Payload(np.float32), source: tchains.Payload(np.float64)):
            steps[0] = source[0]

        def other(source: tchains.Payload(np.float32)):
            return len(source)

        def stateful(source: tchains.State(np.float64, 2)):
            return len(source)

        def changing(source: tchains.Payload(np.float64, writable=True)):
            return len(source)
        self.refused(TypeError, "without annotations; found", (length, annotated))
        self.refused(TypeError, "other.* takes other arguments than narrow", (other, narrow))
        self.refused(TypeError, "runs at the sender: parameter source is State, which a node has", (stateful, narrow))
        self.refused(TypeError, "may not change what is sent", (changing, narrow))

    def test_what_numba_makes_of_them(self):
        def half(source: tchains.Payload(np.float64)):
            return len(source) / 2

        def returning(steps, source: tchains.Payload(np.float64)):
            return 0

        def printing(steps, source: tchains.Payload(np.float64)):
            print(steps[0], source[0])

        def storing(steps, source: tchains.Payload(np.float64)):
            source[0] = 1
        self.refused(tchains.CompileError, "half returns float64; expected how long the array is", (half, narrow))
        self.refused(tchains.CompileError, "returning returns .*int.*; expected nothing: it raises", (length, returning))
        line = printing.__code__.co_firstlineno + 1
        self.refused(tchains.CompileError, rf"(?s)printing needs the Python runtime.*line {line}", (length, printing))
        self.refused(tchains.CompileError, "(?s)Cannot modify readonly array.*storing", (length, storing))


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(ROOT, "tests", "python"))
    main()
