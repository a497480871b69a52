#!/usr/bin/env python3
"""Prototypes: those of functions in Python, and calls of functions in C by them."""
import importlib.util
import os
import subprocess
import tempfile
import unittest

import numpy
import tchains
from python_case import BUILD, ROOT, PythonCase, main, needs_numba
from tchains.prototype import Prototype

# (prototype, arguments, the message in hexadecimal)
GOLDEN = [
    ("()", (), ""),
    ("(i32,f64)", (7, 0.5), "0700000000000000" "000000000000e03f"),
    ("(f64,i32)", (0.5, 7), "000000000000e03f" "0700000000000000"),
    ("(f64,i32,f32[])", (0.5, 7, [1.5, 2.25]), "000000000000e03f" "07000000" "0000c03f" "00001040"),
    ("(i32,f64[])", (1, []), "0100000000000000"),
    ("(u8,text)", (1, "ab"), "01" "6162"),
    ("(f32[],u8)", ([1.5], 9), "09000000" "0000c03f"),
    ("(u16[],u8,f64[])", ([1, 2], 9, [0.5]), "0200000000000000" "09" "00" "01000200" "0000" "000000000000e03f"),
    ("(text,text,u32)", ("a", "bc", 3), "0100000000000000" "03000000" "61" "6263"),
    ("({i32,u8}[2],bool)", ([(1, 2), (3, 4)], True), "0100000002000000" "0300000004000000" "01000000"),
    ("(i16[3],i8)", ([1, 2, 3], -1), "010002000300" "ff00"),
    ("(?4:4,i64)", (b"abcd", 1), "6162636400000000" "0100000000000000"),
    ("(inout i8,out f64[],out i32,i8)", (1, 5, 2), "01" "00000000000000" "0500000000000000" "0200000000000000"),
]

ECHO = """
#include <tc/entry.h>
TC_PROTOTYPE(echo, "(inout f64[],inout {i32,u8},inout text,inout i16[3],inout u32[])");
void echo_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    tc_reply(payload, size);
}
"""


class Texts(PythonCase):
    """Layouts, without a node."""

    def test_golden_messages(self):
        for text, arguments, expected in GOLDEN:
            with self.subTest(text):
                self.assertEqual(Prototype("f", text).payload(arguments).tobytes().hex(), expected)

    def test_arguments_that_do_not_fit(self):
        for text, arguments, error in (
                ("(i32)", (), TypeError), ("(i32)", (1, 2), TypeError), ("(i32)", (1.5,), TypeError), ("(i32)", (1 << 31,), OverflowError),
                ("(u8)", (-1,), OverflowError), ("(f64[])", (numpy.zeros(2, numpy.float32),), TypeError), ("(f64[2])", ([1.0],), TypeError),
                ("(?8:8)", (b"abc",), TypeError), ("(u32[])", (b"abc",), TypeError), ("(f64)", ("text",), ValueError)):
            with self.subTest(text), self.assertRaises(error):
                Prototype("f", text).payload(arguments)

    def test_answers_of_any_size(self):
        """Whatever a peer sends, the result is of the types stated, or ValueError."""
        for text in ("()->i32", "()->f64[]", "(out u16[],out u8)->{f64,i8}", "(inout text)->text", "()"):
            types = Prototype("f", text)
            for size in range(40):
                for fill in (0, 1, 255):
                    try:
                        types.result(bytes([fill]) * size)
                    except ValueError:
                        pass
        with self.assertRaisesRegex(ValueError, "the reply of f has 3 bytes, expected 4"):
            Prototype("f", "()->i32").result(b"abc")

    def test_other_texts(self):
        for text in ("", "(", "f64", "(f65)", "(f64", "(f64)->", "(f64)x", "({f64)"):
            with self.subTest(text), self.assertRaises(ValueError):
                Prototype("f", text)


class Calls(PythonCase):
    """Calls of functions with a prototype."""

    def test_values_come_back(self):
        context, node = self.connected()
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "echo.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(ECHO)
            subprocess.run([self.tool("tc-clang"), f"-I{ROOT}/include", source, "-o", source[:-2] + ".tca"], check=True, timeout=60)
            echo = context.open_file(source[:-2] + ".tca")
        self.assertEqual(echo.prototype, "(inout f64[],inout {i32,u8},inout text,inout i16[3],inout u32[])")
        for doubles, word, numbers in (([0.5, 1.5], "caf\u00e9", [1]), ([], "", []), ([1.0] * 1000, "x" * 1000, range(3))):
            result = node.call(echo, doubles, (-3, 200), word, [1, 2, 3], list(numbers))
            self.assertEqual(result[0].tolist(), list(doubles))
            self.assertEqual(result[1], (-3, 200))
            self.assertEqual(result[2], word)
            self.assertEqual(result[3].tolist(), [1, 2, 3])
            self.assertEqual(result[4].tolist(), list(numbers))
        with self.assertRaises(TypeError):
            node.call(echo, b"bytes of a message")
        with self.assertRaisesRegex(tchains.Invalid, "found 'f65\\)' at 1, expected a type"):
            context.open_bitcode("f", [("x86_64-linux", b"BC")], prototype="(f65)")

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "tests", "stubs", "blend.tca")), "this build has no stubs")
    def test_functions_of_stubs(self):
        """Functions whose entries tc-clang --stubs has made of a C header."""
        context, node = self.connected()

        def call(name, *arguments):
            return node.call(context.open_file(os.path.join(BUILD, "tests", "stubs", name + ".tca")), *arguments)
        self.assertEqual(call("dot", [1, 2], [3.0, 4.0]), 11)
        self.assertEqual(call("scale", [1, 2], 1.5).tolist(), [1.5, 3])
        self.assertEqual(call("find", "there", ord("e")), 2)
        self.assertEqual(call("measure", [3, 1, 2]), (1.0, 3.0))
        self.assertIsNone(call("nothing"))
        self.assertEqual(call("flip", True, 2, 5), (False, -3))
        result, changed, limits, found = call("blend", [2, 4], 0.5, [1, 1], "abc", 5, True)
        self.assertEqual((result, limits), (8.0, (5.0, 1.0)))
        self.assertEqual(changed.tolist(), [2, 3])
        self.assertEqual(found.tolist(), [97, 98, 99, -1, -1])
        self.assertEqual(call("turn", [1, 2, 3], [4, 5, 6])[1].size, 3)
        with self.assertRaisesRegex(tchains.Invalid, "dot: "):
            call("dot", [1, 2], [3.0])
        with self.assertRaisesRegex(tchains.Invalid, "find: "):
            call("find", "a\0b", 98)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "tests", "stubs", "deeds_calls.py")), "this build has no stubs")
    def test_callers_that_were_made(self):
        """HEADER_calls.py: names, numbers of elements, and the prototype of the header."""
        context, node = self.connected(ifunc_path=os.path.join(BUILD, "tests", "stubs"))
        spec = importlib.util.spec_from_file_location("deeds_calls", os.path.join(BUILD, "tests", "stubs", "deeds_calls.py"))
        deeds = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(deeds)
        of = {name: deeds.open_function(context, name) for name in deeds.PROTOTYPES}
        self.assertEqual(deeds.dot(node, of["dot"], a=[1, 2], b=[3.0, 4.0], timeout=60), 11)
        self.assertEqual(deeds.scale(node, of["scale"], [1, 2], factor=1.5).tolist(), [1.5, 3])
        self.assertIsNone(deeds.nothing(node, of["nothing"]))
        self.assertEqual(deeds.squares(node, of["squares"], n=4).tolist(), [0, 1, 4, 9])
        self.assertEqual(deeds.turn(node, of["turn"], in_=[1, 2, 3], both=[4, 5, 6])[1].tolist(), [6, 5, 5])
        result, changed, limits, found = deeds.blend(node, of["blend"], a=[2, 4], scale=0.5, b=[1, 1], label="abc", m=5, flag=True)
        self.assertEqual((result, changed.tolist(), limits, found.tolist()), (8.0, [2, 3], (5.0, 1.0), [97, 98, 99, -1, -1]))
        started = deeds.mix_start(node, of["mix"], a=-1, b=2, c=3, d=4, e=1.5)
        self.assertEqual(started.result(), 9)
        with self.assertRaisesRegex(ValueError, "dot: the number of elements of 'b' is 1, expected that of 'a', 2"):
            deeds.dot(node, of["dot"], [1, 2], [3.0])
        with self.assertRaisesRegex(ValueError, "note: the number of elements of 'bytes' is 65536, expected at most 65535"):
            deeds.note(node, of["note"], "", bytes(65536))
        with self.assertRaisesRegex(tchains.Error, r"\(f64\[\],f64\[\]\)->f64.*\(text,i32\)->i32"):
            of["find"].check_prototype(deeds.PROTOTYPES["dot"])
        self.assertEqual(deeds.find(node, of["find"], "there", ord("e")), 2)
        with self.assertRaises(ValueError):
            of["find"].check_prototype("(f65)")

    def test_a_function_without_one_takes_that_of_its_caller(self):
        context, node = self.connected()
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "echo.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write("".join(line for line in ECHO.splitlines(True) if "TC_PROTOTYPE" not in line))
            subprocess.run([self.tool("tc-clang"), f"-I{ROOT}/include", source, "-o", source[:-2] + ".tca"], check=True, timeout=60)
            echo = context.open_file(source[:-2] + ".tca")
        self.assertIsNone(echo.prototype)
        echo.check_prototype("(inout {i32,f64})")
        self.assertEqual(node.call(echo, (1, 2.5)), (1, 2.5))

    @needs_numba
    def test_functions_in_python_have_one(self):
        context, node = self.connected()

        @tchains.ifunc
        def area(width: float, height: numpy.int32) -> float:
            return width * height

        @tchains.ifunc
        def scaled(values: tchains.Payload(numpy.float32), factor: numpy.float32):
            return values * factor

        @tchains.ifunc
        def both(flag: bool, rows: tchains.Payload(numpy.int16, ndim=2)):
            return len(rows), flag

        @tchains.ifunc
        def nothing(rows: tchains.Payload(complex)):
            rows[0]

        texts = {area: "(f64,i32)->f64", scaled: "(f32[],f32)->f32[]", both: "(bool,i64,i64,i16[])->{i64,bool}",
                 nothing: "(?16:8[])"}
        for function, text in texts.items():
            self.assertEqual(function.prototype, text)
            self.assertEqual(function.opened(context).prototype, text)
        again = context.open_archive(scaled.archive())
        self.assertEqual(again.prototype, texts[scaled])
        self.assertEqual(node.call(again, [1.5, 2.0], 2).tolist(), [3.0, 4.0])
        self.assertEqual(node.call(scaled, numpy.array([1.5], numpy.float32), 2).tolist(), [3.0])
        self.assertEqual(node.call(context.open_archive(both.archive()), True, 2, 1, [1, 2]), (2, True))


if __name__ == "__main__":
    main()
