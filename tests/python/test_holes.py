#!/usr/bin/env python3
"""Functions with holes: filled by values of Python, and refused with the library's words."""
import ctypes
import os
import struct
import unittest

import tchains
from python_case import BUILD, MISSING, Process, PythonCase, main

FILL_IN_CPP = os.path.join(BUILD, "tests", "pairs", "fill_in_cpp")
FACTOR, OFFSET = struct.pack("Q", 3), struct.pack("I3Bx", 7, 1, 2, 3)


class Holes(PythonCase):
    """holed has two holes, an integer and a struct; sloped two numbers."""

    def setUp(self):
        self.context, self.peer = self.connected()
        self.holed = self.context.open_file(self.shipped("holed"))

    def sloped(self):
        """It states its prototype; without NumPy its payload is bytes."""
        function = self.context.open_file(self.shipped("sloped"))
        function.typed = not MISSING
        return function

    def at(self, function, x):
        """The value of a filled line."""
        answer = self.peer.call(function, x if function.typed else struct.pack("d", x))
        return answer if function.typed else struct.unpack("d", answer)[0]

    def refused(self, function, status, text, **values):
        with self.assertRaises(status) as raised:
            function.fill(**values)
        self.assertIn(text, str(raised.exception))

    def test_numbers_take_the_type_of_the_hole(self):
        line = self.sloped()
        self.assertEqual(line.holes, {"rise": 4, "slope": 8})
        steep, flat = line.fill(slope=2.5, rise=3), line.fill(rise=-1, slope=0)
        for _ in range(2):
            self.assertEqual(self.at(steep, 4.0), 13)
            self.assertEqual(self.at(flat, 4.0), -1)
        self.assertEqual(len({line.id, steep.id, flat.id}), 3)
        self.assertEqual(line.fill(slope=2.5, rise=3).id, steep.id)
        self.assertEqual((steep.name, steep.prototype, steep.holes), ("sloped", "(f64)->f64", {}))
        self.assertEqual(self.at(line.fill(slope=ctypes.c_double(1), rise=True), 4.0), 5)

    @unittest.skipIf(MISSING, "no NumPy")
    def test_scalars_of_numpy_are_as_they_are(self):
        import numpy
        line = self.sloped()
        self.assertEqual(self.at(line.fill(slope=numpy.float64(2), rise=numpy.uint32(1)), 4.0), 9)
        self.refused(line, tchains.Error, "hole slope has 8 bytes, its value 4", slope=numpy.float32(2), rise=3)
        self.refused(line, tchains.Error, "hole rise has 4 bytes, its value 8", slope=2, rise=numpy.int64(3))
        self.refused(line, tchains.Error, "hole slope is a floating-point number of 8 bytes, its value an integer", slope=numpy.int64(2), rise=3)
        offset = numpy.array([(7, [1, 2, 3])], dtype=numpy.dtype([("low", "u4"), ("high", "u1", 3)], align=True))
        self.assertEqual(self.holed.fill(factor=3, offset=offset).id, self.holed.fill(factor=FACTOR, offset=OFFSET).id)

    def test_bytes_are_a_value(self):
        line = self.sloped()
        self.assertEqual(line.fill(slope=struct.pack("d", 2.5), rise=memoryview(struct.pack("i", 3))).id, line.fill(slope=2.5, rise=3).id)
        self.assertEqual(self.holed.fill(factor=FACTOR, offset=OFFSET).id, self.holed.fill(offset=bytearray(OFFSET), factor=3).id)

    @unittest.skipUnless(os.path.exists(FILL_IN_CPP), "no program in C++ here")
    def test_values_of_cpp_are_the_same_functions(self):
        """A node runs a function that it knows of the other language, whichever came first."""
        node, line = self.node(), self.sloped()
        line.typed = False
        peer = self.context.connect(node.address, timeout=60)

        def in_cpp(slope, rise):
            program = Process(self, [FILL_IN_CPP, node.address, str(slope), str(rise), "4"],
                              TC_IFUNC_PATH=os.path.dirname(self.shipped("sloped")))
            value, content = program.expect(0).out.split()
            return float(value), content

        def in_python(slope, rise):
            filled = line.fill(slope=slope, rise=rise)
            return struct.unpack("d", peer.call(filled, struct.pack("d", 4)))[0], filled.id
        first, second = in_python(2.5, 3), in_cpp(0.5, -1)
        self.assertEqual((first[0], second[0]), (13, 1))
        self.assertEqual(in_cpp(2.5, 3), first)
        self.assertEqual(in_python(0.5, -1), second)

    def test_the_function_does_not_run_without_values(self):
        with self.assertRaises(tchains.Error) as raised:
            self.peer.call(self.sloped(), 4.0 if not MISSING else struct.pack("d", 4))
        self.assertIn("tc_ifunc_fill sets them", str(raised.exception))

    def test_values_that_do_not_fit_are_refused(self):
        line, holed = self.sloped(), self.holed
        self.refused(line, tchains.NotFound, "sloped has no hole 'slop'; is it slope", slop=2.5, rise=3)
        self.refused(line, tchains.Error, "hole rise has no value", slope=2.5)
        self.refused(line, tchains.Error, "hole rise is an integer of 4 bytes, its value a floating-point number", slope=2.5, rise=3.0)
        self.refused(line, OverflowError, "hole rise has 4 bytes, its value is 4294967296", slope=2.5, rise=2**32)
        self.refused(line, OverflowError, "its value is -2147483649", slope=2.5, rise=-2**31 - 1)
        self.refused(line, TypeError, "found a str", slope="2.5", rise=3)
        self.refused(holed, tchains.Error, "hole offset has 8 bytes, its value 3", factor=3, offset=b"123")
        self.refused(holed, TypeError, "of no stated kind", factor=3, offset=7)
        filled = line.fill(slope=1, rise=1)
        self.refused(filled, tchains.Error, "sloped has its values already", slope=1, rise=1)
        whoami = self.context.open_file(self.shipped("whoami"))
        self.assertEqual(whoami.holes, {})
        self.refused(whoami, tchains.Error, "whoami has no holes", slope=1)


if __name__ == "__main__":
    main()
