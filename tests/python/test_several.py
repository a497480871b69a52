#!/usr/bin/env python3
"""Functions in Python with several arrays, structs and answers of several values."""


import numpy as np
import tchains
from python_case import PythonCase, main, needs_numba
from tchains import here
from tchains.prototype import text_of

LIMITS = np.dtype([("low", np.float64), ("set", np.bool_), ("numbers", np.int32)], align=True)


@tchains.ifunc
def product(a: tchains.Payload(np.float64, shape=(None, 2)), start: np.int8, seen: tchains.State(np.int64, 1),
            b: tchains.Payload(np.int16, ndim=2), scale: tchains.Payload(np.uint8, shape=3)):
    """Arrays of several shapes, with a number and memory of its own between them."""
    seen[0] += 1
    return a.sum() + start, b.shape[0], b.shape[1], b.sum(), scale[2], len(a), seen[0]


@tchains.ifunc
def within(limits: LIMITS, values: tchains.Payload(np.float64), more: tchains.Payload(LIMITS)):
    count = 0
    for value in values:
        count += value > limits.low and limits.set
    total = 0
    for one in more:
        total += one.numbers
    return count + limits.numbers, total, (np.int8(1), values.sum()), values[:1] * 2, np.full(3, np.int8(7))


@tchains.ifunc
def circle(left: int, names: tchains.Payload(np.uint8), limits: LIMITS, values: tchains.Payload(np.float64)):
    """Sends itself on, with longer arrays each time."""
    if left > 0:
        here.forward(here.rank(), left - 1, np.append(names, np.uint8(left)), limits, np.append(values, limits.low))
    else:
        here.reply(np.append(values, np.float64(names.sum())))


class Several(PythonCase):
    """Calls."""

    @needs_numba
    def test_arrays_of_several_shapes(self):
        _, node = self.connected()
        self.assertEqual(product.prototype, "(f64[],i8,i64,i64,i16[],u8[])->{f64,i64,i64,i64,u8,i64,i64}")
        b = np.arange(6, dtype=np.int16).reshape(2, 3)
        for times in (1, 2):
            self.assertEqual(node.call(product, [[1.0, 2], [3, 4]], -1, b, b"abc"), (9, 2, 3, 15, 99, 2, times))
        self.assertEqual(node.call(product, np.zeros((0, 2)), 5, np.zeros((0, 9), np.int16), b"abc"), (5, 0, 9, 0, 99, 0, 3))
        with self.assertRaisesRegex(TypeError, r"scale has the shape \(4,\), expected \(3,\)"):
            node.call(product, np.zeros((1, 2)), 5, b, np.zeros(4, np.uint8))
        with self.assertRaisesRegex(TypeError, "argument a is an array of float32"):
            node.call(product, np.zeros((1, 2), np.float32), 5, b, b"abc")

    @needs_numba
    def test_messages_of_anybody(self):
        """No bytes reach the function unless every number of them fits."""
        context, node = self.connected()
        raw = context.open_archive(product.archive())
        raw.typed = False
        good = bytearray(product.signature.payload(([[1.0, 2]], -1, np.ones((1, 1), np.int16), b"abc"), {}))
        self.assertEqual(len(node.call(raw, bytes(good))), 56)
        for size in range(len(good)):
            with self.assertRaises(tchains.Invalid):
                node.call(raw, bytes(good[:size]))
        for offset in (0, 16, 24, 32):
            for value in (0, 5, 2**63, 2**64 - 1, 2**60 + 1):
                lie = bytearray(good)
                lie[offset:offset + 8] = value.to_bytes(8, "little")
                with self.subTest(f"{value} at {offset}"), self.assertRaises(tchains.Invalid):
                    node.call(raw, bytes(lie))
        self.assertEqual(len(node.call(raw, bytes(good))), 56)

    @needs_numba
    def test_structs_and_answers(self):
        context, node = self.connected()
        self.assertEqual(within.prototype, "({f64,bool,i32},f64[],{f64,bool,i32}[])->*")
        more = np.array([(0, True, 3), (0, False, 4)], LIMITS)
        count, total, pair, first, bytes_of = node.call(within, (1.5, True, 10), [1.0, 2, 3], more)
        self.assertEqual((count, total, pair, first.tolist(), bytes_of.tolist()), (12, 7, (1, 6.0), [2.0], [7, 7, 7]))
        self.assertEqual(node.call(within, more[0], np.zeros(0), more[:0])[0], 3)
        for wrong in ((1.5, True), 3, np.zeros(1, [("low", np.float64)])[0], ("a", True, 1)):
            with self.subTest(str(wrong)), self.assertRaisesRegex(TypeError, "argument limits"):
                node.call(within, wrong, [1.0], more)
        with self.assertRaisesRegex(TypeError, "lies as in C"):
            @tchains.ifunc
            def packed(limits: np.dtype([("a", np.int8), ("b", np.float64)])):
                return limits.b

    @needs_numba
    def test_they_are_sent_on(self):
        with tchains.Context() as context, context.join() as group:
            found = np.zeros(4)
            group[0].call(circle, 3, b"", (0.5, True, 1), [], into=found)
            self.assertEqual(found.tolist(), [0.5, 0.5, 0.5, 6.0])

    @needs_numba
    def test_payloads_that_are_made(self):
        def write(a, b, source: tchains.Payload(np.float64)):
            a[0] = source[0]

        with self.assertRaisesRegex(TypeError, "makes a message of numbers and of one array"):
            @tchains.ifunc(payload=(None, write))
            def made(a: tchains.Payload(np.float64, shape=1), b: tchains.Payload(np.float64, shape=1)):
                return a[0] + b[0]


class Texts(PythonCase):
    """Prototypes of answers of several values."""

    def test_answers(self):
        class Message:
            """Parameters: an array of f64, a u64 and one of bytes."""
            sent = ["a", "n", "text"]
            parameters = {"a": tchains.Payload(np.float64), "n": type("Number", (), {"dtype": np.dtype(np.uint64)})(),
                          "text": tchains.Payload(np.uint8)}
        for results, expected in ((["f64", "f64[]"], "(inout f64[],u64,u8[])->f64"), (["f64", "i32[]"], "(f64[],out i32[],u8[])->f64"),
                                  (["i8", "i16", "text"], "(out i16,f64[],out text,u8[])->i8"), (["f64", "i16[]", "i16[]"], "(f64[],u64,u8[])->*"),
                                  (["f64[]"], "(f64[],u64,u8[])->f64[]"), (["*"], "(f64[],u64,u8[])->*"), ([], "(f64[],u64,u8[])"),
                                  (["bool", "f64[]", "u8"], "(inout f64[],out u8,u64,u8[])->bool")):
            self.assertEqual(text_of(Message, results), expected)


if __name__ == "__main__":
    main()
