#!/usr/bin/env python3
"""Functions in Python, at nodes without Python: accepted and refused ones, and the source of the text."""
import os
import subprocess
import sys
import unittest

import tchains
from python_case import ROOT, Process, PythonCase, main, needs_numba

try:
    import numpy as np
    from tchains import here
except ImportError:  # every class here is skipped
    np = None

if np is not None:
    @tchains.ifunc
    def above(limit: float, column: tchains.Payload(np.float64)):
        total = 0.0
        for value in column:
            if value > limit:
                total += value
        if total < 0:
            raise ValueError("negative total", 7)
        return total

    @tchains.ifunc
    def moments(column: tchains.Payload(np.float64)):
        return len(column), column.mean(), np.sqrt(column.var())

    @tchains.ifunc
    def table(rows: np.int32, wide: bool):
        out = np.zeros(rows * 2 if wide else rows, np.int64)
        for i in range(out.size):
            out[i] = i * i
        return out

    @tchains.ifunc
    def count(state: tchains.State(np.int64, 2), step: int):
        state[0] += 1
        state[1] += step
        return state[0], state[1]

    @tchains.ifunc
    def lookup(column: tchains.Data("column", np.float64, writable=True), index: int):
        column[index] += 1
        return column[index]

    @tchains.ifunc(boundscheck=True)
    def element(column: tchains.Payload(np.float32), index: int):
        return column[index]

    @tchains.ifunc
    def divide(a: int, b: int):
        return a // b

    @tchains.ifunc
    def pause(column: tchains.Payload(np.uint8)):
        return None

    @tchains.ifunc
    def place(column: tchains.Payload(np.uint32, writable=True)):
        if column[0] > 0:
            column[0] -= 1
            here.forward((here.rank() + 1) % here.size(), column)
            return
        here.reply(np.array([here.rank(), here.origin(), here.hops()], np.uint32))


    @tchains.ifunc
    def walk(left: np.int16, sum: float, table: tchains.Payload(np.float32, ndim=2)):
        """Goes around, adding up a table that grows by a row at each rank; rank 0 is notified by another message."""
        total = sum + table.sum()
        if left > 0:
            grown = np.ones((len(table) + 1, table.shape[1]), np.float32)
            return here.forward((here.rank() + 1) % here.size(), left - 1, total, grown) * 1.0
        return total

    @tchains.ifunc
    def echo(step: int, ticket: tchains.Payload(np.uint64)):
        """From the node to its caller, and back to the node, which answers."""
        if step == 0:
            mine = np.zeros(2, np.uint64)
            if here.detach(mine) < 0 or here.send(0, 1, mine) >= 0 or here.send_back(1, mine) < 0:
                raise ValueError("send_back")
        elif step == 1:
            here.send_back(2, ticket)
        elif here.reply_to(ticket, np.full(1, step)) < 0:
            raise ValueError("reply_to")

    @tchains.ifunc
    def answer(step: int, ticket: tchains.Payload(np.uint64), kept: tchains.State(np.int64, 1)):
        """Keeps the call, sends a message of its own to the other rank and then back; the returning message answers the call."""
        kept[0] += 1
        if step == 0:
            mine = np.zeros(2, np.uint64)
            if here.detach(mine[:1]) >= 0 or here.detach(mine) < 0 or here.detach(mine) >= 0:
                raise ValueError("detach")
            if here.send(1, 1, mine) < 0 or here.send(here.size(), 1, mine) >= 0:
                raise ValueError("send")
        elif step == 1:
            if here.send_back(2, ticket) < 0:
                raise ValueError("send_back")
        elif here.reply_to(ticket, np.array([here.rank(), here.origin(), kept[0]])) < 0:
            raise ValueError("reply_to")

    @tchains.ifunc
    def distances(points: tchains.Payload(np.float64, shape=(None, 3)), scale: float):
        return np.sqrt(points[:, 0] ** 2 + points[:, 1] ** 2 + points[:, 2] ** 2) * scale

    @tchains.ifunc
    def turned(block: tchains.Payload(np.int32, ndim=2), sign: np.int8):
        return np.ascontiguousarray(block.T) * sign

    @tchains.ifunc
    def reshaped(flat: tchains.Payload(np.int16), rows: int):
        block = flat.reshape((rows, -1))
        return block[rows - 1, 0], block.shape[1], flat.argmax()

    @tchains.ifunc
    def doubled(block: tchains.Payload(np.float32, shape=(2, None, 2))) -> tchains.Reply(shape=(None, 2)):
        return block[0] * np.float32(2)

    @tchains.ifunc
    def cut(block: tchains.Payload(np.float64, shape=(None, 2)), columns: int) -> tchains.Reply(shape=(None, 2)):
        return np.ascontiguousarray(block[:, :columns])

    @tchains.ifunc
    def accumulate(block: tchains.Payload(np.float64, shape=(2, 3)), total: tchains.State(np.float64, (2, 3)),
                   columns: tchains.Data("columns", np.float64, shape=(None, 3))):
        total += block
        return total + columns[len(columns) - 1]


@needs_numba
class Shapes(PythonCase):
    """Arrays of several dimensions."""

    def test_they_keep_their_shapes(self):
        _, node = self.connected()
        points = np.array([[3.0, 4.0, 0.0], [0.0, 6.0, 8.0]])
        np.testing.assert_array_equal(node.call(distances, points, 2), [10, 20])
        np.testing.assert_array_equal(node.call(distances, [[1, 2, 2]], 1), [3])
        block = np.arange(12, dtype=np.int32).reshape(4, 3)
        np.testing.assert_array_equal(node.call(turned, block, -1), -block.T)
        np.testing.assert_array_equal(node.call(turned, block.T, 1), block)
        self.assertEqual(node.call(turned, np.zeros((0, 5), np.int32), 1).shape, (5, 0))
        self.assertEqual(node.call(reshaped, np.arange(12, dtype=np.int16), 3), (8, 4, 11))
        with self.assertRaisesRegex(tchains.Raised, "total size of new array must be unchanged"):
            node.call(reshaped, np.arange(11, dtype=np.int16), 3)
        cube = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
        np.testing.assert_array_equal(node.call(doubled, cube), cube[0] * 2)
        room = np.zeros((3, 2), np.float32)
        self.assertEqual(node.call(doubled, cube, into=room), room.nbytes)
        np.testing.assert_array_equal(room, cube[0] * 2)

    def test_they_are_checked_here(self):
        _, node = self.connected()
        for function, array in ((distances, np.zeros((3, 2))), (distances, np.zeros(3)), (distances, bytes(24)),
                                (turned, np.zeros((1, 2, 3), np.int32)), (turned, np.zeros(4, np.int32))):
            with self.assertRaisesRegex(TypeError, "has the shape .*, expected"):
                node.call(function, array, 1)
        with self.assertRaisesRegex(TypeError, "has to be declared"):
            node.call(turned, np.zeros((1, 1), np.int32), 1, into=np.zeros(1, np.int32))

    def test_they_are_checked_at_the_node(self):
        context, node = self.connected()
        raw = context.open_archive(distances.archive())
        raw.typed = False
        with self.assertRaisesRegex(tchains.Invalid, "points has 32 bytes, expected a multiple of 24"):
            node.call(raw, bytes(8 + 32))
        raw = context.open_archive(turned.archive())
        raw.typed = False

        def message(rows, columns, size):
            return np.array([rows, columns], np.int64).tobytes() + b'\1' + bytes(3 + size)
        self.assertEqual(len(node.call(raw, message(2, 3, 24))), 24 + 16 + 1)
        for rows, columns, size in ((2, 3, 20), (-2, -3, 24), (2**62, 2, 0), (2**32, 2**32, 0), (0, 2**62, 0), (0, -1, 0),
                                    (2, 3, 28), (2**32, 1, 24), (2**40, 3, 24), (2**61 + 3, 2, 24), (2**63 - 1, 2**63 - 1, 24),
                                    (-2**63, 1, 0), (-2**63, -2**63, 24), (3, -2, 24), (1, 6 - 2**63, 24)):
            with self.assertRaisesRegex(tchains.Invalid, f"block has {size} bytes, which its dimensions do not need"):
                node.call(raw, message(rows, columns, size))
        for size in (0, 15, 19):
            with self.assertRaisesRegex(tchains.Invalid, f"payload of {size} bytes, expected at least 20"):
                node.call(raw, message(2**40, 1, 0)[:size])
        self.assertEqual(len(node.call(raw, message(2, 3, 24))), 24 + 16 + 1)
        with self.assertRaisesRegex(tchains.Invalid, "not of the shape .None, 2."):
            node.call(cut, np.zeros((3, 2)), 1)
        self.assertEqual(node.call(cut, np.zeros((3, 2)), 2).shape, (3, 2))

    def test_data_and_state_have_them_too(self):
        with tchains.Context() as context:
            context.publish("columns", np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
            with context.join() as group:
                block = np.ones((2, 3))
                for i in (1.0, 2.0):
                    np.testing.assert_array_equal(group[0].call(accumulate, block), [[10 + i, 20 + i, 30 + i]] * 2)
                context.publish("columns", np.zeros(4))
                with self.assertRaisesRegex(tchains.Invalid, "'columns' has 32 bytes, expected a multiple of 24"):
                    group[0].call(accumulate, block)
                raw = context.open_archive(accumulate.archive())
                raw.typed = False
                with self.assertRaisesRegex(tchains.Invalid, "block has 40 bytes, expected 48"):
                    group[0].call(raw, bytes(40))

    def test_declarations(self):
        for wrong in (lambda: tchains.Payload(np.int8, shape=(None, 0)), lambda: tchains.Payload(np.int8, shape=(2, 3), ndim=1),
                      lambda: tchains.Payload(np.int8, ndim=0), lambda: tchains.Data("d", np.int8, shape=(None, None)),
                      lambda: tchains.State(np.int8, (None, 2)), lambda: tchains.Reply(shape=(None, None))):
            self.assertRaises(ValueError, wrong)

        @tchains.ifunc
        def flat(column: tchains.Payload(np.float64)) -> tchains.Reply(shape=(None, 2)):
            return column * 2
        self.assertRaisesRegex(tchains.CompileError, "declared is an array of the shape", flat.compile)


@needs_numba
class Results(PythonCase):
    """A message that goes there and comes back."""

    def setUp(self):
        self.context, self.endpoint = self.connected()

    def test_scalars_and_arrays(self):
        call = self.endpoint.call
        self.assertEqual(call(above, 2.5, np.arange(10.0)), 42.0)
        self.assertEqual(call(above, column=[1, 2, 3.5], limit=2), 3.5)
        self.assertEqual(call(above, 2.5, np.arange(0.0)), 0.0)
        self.assertEqual(call(moments, [1.0, 2.0, 3.0, 4.0]), (4, 2.5, np.sqrt(1.25)))
        np.testing.assert_array_equal(call(table, 5, True), np.arange(10) ** 2)
        np.testing.assert_array_equal(call(table, 0, False), [])
        self.assertIsNone(call(pause, b"\1\2"))
        room = np.zeros(100)
        self.assertEqual(call(table, 50, True, into=room), 800)
        self.assertEqual(room.view(np.int64)[99], 99 * 99)

    def test_it_is_a_function_here_too(self):
        self.assertEqual(above(2.5, np.arange(10.0)), 42.0)
        self.assertRaisesRegex(RuntimeError, "", here.rank)

    def test_state_stays_at_the_node(self):
        for i in range(1, 4):
            self.assertEqual(self.endpoint.call(count, 10), (i, 10 * i))

    def test_exceptions_become_statuses(self):
        name = os.path.basename(__file__)
        with self.assertRaisesRegex(tchains.Raised, rf"TC_E_THROWN: ValueError: negative total, 7 \({name}:\d+\)"):
            self.endpoint.call(above, -9, [-1.0])
        with self.assertRaisesRegex(tchains.Raised, "ZeroDivisionError"):
            self.endpoint.call(divide, 1, 0)
        with self.assertRaisesRegex(tchains.Raised, "IndexError"):
            self.endpoint.call(element, np.zeros(4, np.float32), 4)
        self.assertEqual(self.endpoint.call(divide, 7, 2), 3)

    def test_payloads_are_checked_at_the_node(self):
        """From a peer that sends any bytes: here the same function, as one of bytes."""
        raw = self.context.open_archive(above.archive())
        raw.typed = False
        for payload, found in ((b"", "payload of 0 bytes, expected at least 8"),
                               (bytes(7), "payload of 7 bytes, expected at least 8"),
                               (bytes(13), "the array column has 5 bytes, expected a multiple of 8")):
            with self.assertRaisesRegex(tchains.Invalid, "above: " + found):
                self.endpoint.call(raw, payload)
        raw = self.context.open_archive(divide.archive())
        raw.typed = False
        with self.assertRaisesRegex(tchains.Invalid, "payload of 3 bytes, expected 16"):
            self.endpoint.call(raw, b"abc")
        with self.assertRaisesRegex(tchains.NotFound, "published no data as 'column'"):
            self.endpoint.call(lookup, 0)

    def test_arguments_are_checked_here(self):
        call = self.endpoint.call
        for wrong in ((above,), (above, 1.0), (above, 1.0, [1.0], 2), (above, "1", [1.0]), (above, 1.0, [object()]),
                      (above, 1.0, np.zeros(2, np.int32)), (table, 1.5, True), (divide, None, 1)):
            with self.assertRaises(TypeError, msg=wrong[1:]):
                call(*wrong)
        self.assertRaises(OverflowError, call, table, 2**31, False)
        self.assertRaises(TypeError, call, above, 1.0, unknown=2)


@needs_numba
class Places(PythonCase):
    """Published data, groups, and archives for other programs."""

    def test_published_data_are_changed_in_place(self):
        program = ("import numpy, tchains\n"
                   "column = numpy.arange(5.0)\n"
                   "with tchains.Context() as context:\n"
                   "    context.publish('column', column)\n"
                   "    print(context.listen(), flush=True)\n"
                   "    context.serve(lambda: column[3] > 4)\n"
                   "print(column.tolist())\n")
        server = self.python("-c", program)
        from python_case import wait_until
        wait_until(lambda: server.out.endswith("\n") or not server.running(), "a port")
        with tchains.Context() as context, context.connect(f"127.0.0.1:{int(server.out)}") as node:
            self.assertEqual(node.call(lookup, 3), 4.0)
            self.assertEqual(node.call(lookup, 3), 5.0)
        server.expect(0)
        self.assertIn("[0.0, 1.0, 2.0, 5.0, 4.0]", server.out)

    def job(self, ranks, lines):
        """The output of a job with these lines run by rank 0."""
        program = ("import sys\nsys.path[:0] = sys.argv[1:]\n"
                   "import numpy, tchains, test_ifuncs\n"
                   "with tchains.Context() as context, context.join() as group:\n"
                   "    group.barrier()\n"
                   "    if group.rank == 0:\n" + "".join(f"        {line}\n" for line in lines) +
                   "    group.barrier()\n")
        return Process(self, [self.tool("tc-run"), "-n", ranks, sys.executable, "-B", "-c", program, os.path.dirname(__file__)],
                       PYTHONPATH=os.environ["PYTHONPATH"], TC_TEST_BUILD=os.environ["TC_TEST_BUILD"]).expect(0).out.split()

    def test_a_function_sends_itself_on(self):
        said = self.job(3, ("room = numpy.zeros(3, numpy.uint32)",
                            "assert group[0].call(test_ifuncs.place, [4], into=room) == 12",
                            "print(*room.tolist())",
                            "table = numpy.ones((2, 3), numpy.float32)",
                            "print(group[1].call(test_ifuncs.walk, 2, 0.5, table))",
                            "call = group[0].start(test_ifuncs.answer, 0, [], into=(kept := numpy.zeros(3, numpy.int64)))",
                            "assert call.result(60) == 24",
                            "print(*kept.tolist())"))
        self.assertEqual(said, ["1", "0", "4", "27.5", "0", "1", "2"])

    def test_a_function_comes_back_without_a_group(self):
        _, node = self.connected()
        room = np.zeros(1, np.int64)
        self.assertEqual((node.call(echo, 0, [], into=room), room[0]), (8, 2))

    def test_what_is_sent_on_is_what_the_function_takes(self):
        def two(a: int, b: tchains.Payload(np.float32)):
            here.forward(1, b, a)

        def wide(a: int, b: tchains.Payload(np.float32)):
            here.send_back(1.5, b)

        def gaps(a: int, b: tchains.Payload(np.float32)):
            here.send(1, a, b[::2])
        for function in (two, wide, gaps):
            with self.assertRaisesRegex(tchains.CompileError, r"(?s)the function takes \(a, b\), contiguous.*found \(.*line"):
                tchains.ifunc(function).compile()

    def test_an_archive_is_sent_by_other_programs(self):
        folder = self._folder()
        path = pause.save(os.path.join(folder, "pause.tca"))
        node = self.node()
        Process(self, [self.tool("tc-send"), node.address, path, "--text", "abc"]).expect(0)
        self.assertEqual(node.stop()["messages_run"], 1)
        shown = subprocess.run([self.tool("tc-ar"), "list", path], capture_output=True, text=True, check=True).stdout
        self.assertIn("x86_64-linux", shown)
        self.assertIn("aarch64-linux", shown)

    def _folder(self):
        import tempfile
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def test_the_same_function_has_the_same_bytes_everywhere(self):
        program = ("import sys\nsys.path[:0] = sys.argv[1:]\n"
                   "import hashlib, tchains, test_ifuncs\n"
                   "test_ifuncs.moments.compile(), test_ifuncs.table.compile()\n"
                   "print(hashlib.sha256(test_ifuncs.above.archive()).hexdigest())\n")
        first = self.python("-c", program, os.path.dirname(os.path.abspath(__file__)), PYTHONHASHSEED="1",
                            TC_TEST_BUILD=os.environ["TC_TEST_BUILD"]).expect(0).out
        second = self.python("-c", program.replace("test_ifuncs.moments.compile(), ", ""),
                             os.path.dirname(os.path.abspath(__file__)), PYTHONHASHSEED="2",
                             TC_TEST_BUILD=os.environ["TC_TEST_BUILD"]).expect(0).out
        self.assertEqual(first, second)


@needs_numba
class Refusals(PythonCase):
    """Functions that cannot travel."""

    def refused(self, function, pattern):
        with self.assertRaisesRegex(tchains.CompileError, pattern) as caught:
            function.compile()
        return str(caught.exception)

    def line_of(self, text, mark):
        with open(__file__, encoding="utf-8") as file:
            number = next(i for i, line in enumerate(file, 1) if line.endswith(f"  # {mark}\n"))
        self.assertRegex(text, rf"test_ifuncs.py\", line {number}\b")

    def test_numbas_words_and_the_line(self):
        @tchains.ifunc
        def untyped(n: int):
            return undefined_name + n  # line: untyped

        @tchains.ifunc
        def stores(column: tchains.Payload(np.float64)):
            column[0] = 1  # line: stores

        self.line_of(self.refused(untyped, "NameError: name 'undefined_name' is not defined|undefined_name"), "line: untyped")
        self.line_of(self.refused(stores, "Cannot modify readonly array"), "line: stores")

    def test_the_python_runtime(self):
        @tchains.ifunc
        def prints(n: int):
            m = n + 1
            print(m)  # line: prints

        @tchains.ifunc
        def draws(n: int):
            return np.random.random() * n  # line: draws

        self.line_of(self.refused(prints, "prints needs the Python runtime"), "line: prints")
        self.refused(draws, "draws needs the Python runtime .*numba_get")

    def test_results_without_bytes(self):
        @tchains.ifunc
        def words(n: int):
            return "a" * n

        @tchains.ifunc
        def gaps(column: tchains.Payload(np.float64)):
            return column[::2]

        self.refused(words, "words returns .*unicode_type.*; expected")
        self.refused(gaps, "numpy.ascontiguousarray")

    def test_operations_of_active_messages(self):
        def mixed(unit: tchains.Unit, column: tchains.Payload(np.float64)):
            return None

        @tchains.ifunc
        def returns(sums: tchains.Persistent(np.int64)):
            return len(sums)

        @tchains.ifunc
        def stores(input: tchains.Input(np.int64)):
            input[0, 0] = 1

        with self.assertRaisesRegex(TypeError, "parameters of Unit, .* alone; found column"):
            tchains.ifunc(mixed)
        with self.assertRaisesRegex(TypeError, "its payloads are their units"):
            tchains.ifunc(returns.function, payload=(None, lambda sums: None))
        self.refused(returns, "returns returns .*; an operation of active messages writes its output")
        self.refused(stores, "Cannot modify readonly array")
        self.assertIsNone(returns.prototype)

    def test_annotations(self):
        def missing(n):
            return n

        def text(n: str):
            return n

        def objects(column: "tchains.Payload(object)"):
            return len(column)

        for function, words in ((missing, "parameter n has no annotation"), (text, "parameter n is annotated"),
                                (objects, "pointers to Python objects")):
            with self.assertRaisesRegex(TypeError, words):
                tchains.ifunc(function)
        with self.assertRaisesRegex(ValueError, "C identifier"):
            tchains.ifunc(lambda n: n)


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(ROOT, "tests", "python"))
    main()
