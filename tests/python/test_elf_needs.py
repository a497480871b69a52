#!/usr/bin/env python3
"""The platform tag of a wheel, from made ELF files; and the words for a library that cannot be loaded."""
import glob
import os
import random
import struct
import sys
import unittest

from python_case import BUILD, ROOT, main

sys.path.append(os.path.join(ROOT, "bindings", "python"))  # behind the build's package
sys.dont_write_bytecode = True
import elf_needs  # pylint: disable=wrong-import-position


def elf(needs, needed=(), soname=None, machine=62, name="lib.so"):
    """A shared object of a header, a segment and a dynamic section. `needs`: {library: [version]}."""
    strings, offsets = bytearray(b"\0"), {}

    def text(word):
        if word not in offsets:
            offsets[word] = len(strings)
            strings.extend(word.encode() + b"\0")
        return offsets[word]
    versions = bytearray()
    for place, (library, names) in enumerate(needs.items()):
        versions += struct.pack("<HHIII", 1, len(names), text(library), 16, 0 if place == len(needs) - 1 else 16 + 16 * len(names))
        for number, version in enumerate(names):
            versions += struct.pack("<IHHII", 0, 0, 2 + number, text(version), 0 if number == len(names) - 1 else 16)
    dynamic = [(1, text(word)) for word in needed] + ([(14, text(soname))] if soname else [])
    begin = 64 + 2 * 56
    end = begin + 16 * (len(dynamic) + 4)
    dynamic += [(0x6ffffffe, end), (0x6fffffff, len(needs)), (5, end + len(versions)), (0, 0)]
    table = b"".join(struct.pack("<qQ", *entry) for entry in dynamic)
    size = end + len(versions) + len(strings)
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096) + struct.pack("<IIQQQQQQ", 2, 4, begin, begin, begin, len(table), len(table), 8)
    return elf_needs.Elf(header + segments + table + bytes(versions) + bytes(strings), name)


class Tags(unittest.TestCase):
    def test_the_newest_version_counts(self):
        for versions, expected in ((["GLIBC_2.2.5"], (2, 17)), (["GLIBC_2.4", "GLIBC_2.34"], (2, 34)), (["GLIBC_2.9", "GLIBC_2.28"], (2, 28)),
                                   (["GLIBC_2.3.4"], (2, 17)), (["GLIBC_2.34", "GLIBC_ABI_DT_RELR"], (2, 36)), (["GLIBC_2.100"], (2, 100))):
            with self.subTest(versions):
                self.assertEqual(elf_needs.glibc_needed([elf({"libc.so.6": versions}, ["libc.so.6"])]), expected)
        self.assertEqual(elf_needs.glibc_needed([elf({"libc.so.6": ["GLIBC_2.33"]}), elf({"libm.so.6": ["GLIBC_2.35"]})]), (2, 35))

    def test_what_a_wheel_may_not_need(self):
        for needs, needed, text in (({"libc.so.6": ["GLIBC_PRIVATE"]}, (), "GLIBC_PRIVATE"), ({}, ["libucp.so.0"], "libucp.so.0, which is neither in"),
                                    ({}, ["libstdc++.so.6"], "libstdc"), ({"libgcc_s.so.1": ["GCC_12.0.0"]}, ["libgcc_s.so.1"], "GCC_12.0.0")):
            with self.subTest(text), self.assertRaisesRegex(elf_needs.NotPortable, text.replace("+", r"\+")):
                elf_needs.glibc_needed([elf(needs, needed)])
        beside = elf({}, soname="libtchains.so.1")
        self.assertEqual(elf_needs.glibc_needed([elf({"libgcc_s.so.1": ["GCC_3.0"]}, ["libtchains.so.1", "libgcc_s.so.1"]), beside]), (2, 17))

    def test_files_that_are_damaged(self):
        data = elf({"libc.so.6": ["GLIBC_2.34"]}, ["libc.so.6"], "lib.so.1")._data
        draw = random.Random(1)
        for _ in range(3000):
            changed = bytearray(data)
            for _ in range(draw.randint(1, 8)):
                changed[draw.randrange(len(changed))] = draw.randrange(256)
            try:
                elf_needs.Elf(bytes(changed[:draw.randrange(1, len(changed))] if draw.random() < 0.3 else changed))
            except elf_needs.NoElf:
                pass
        with self.assertRaises(elf_needs.NoElf):
            elf_needs.Elf(b"#!/bin/sh\n")

    def test_the_build_itself(self):
        """As readelf sees it."""
        (path,) = glob.glob(os.path.join(BUILD, "python", "tchains", "_binding*.so"))
        found, = elf_needs.elfs_of([path])
        self.assertIn("libtchains.so.1", found.needed)
        self.assertIn(("libtchains.so.1", "TCHAINS_1"), found.versions)
        self.assertTrue(any(library == "libc.so.6" and version.startswith("GLIBC_2.") for library, version in found.versions))
        with self.assertRaisesRegex(elf_needs.NotPortable, "libtchains.so.1"):
            elf_needs.platform_tag([path])


class Words(unittest.TestCase):
    def test_why_the_library_cannot_be_loaded(self):
        from tchains import loading
        for text, expected in (("/lib/libc.so.6: version `GLIBC_2.38' not found (required by x.so)", "glibc has GLIBC_2.38, and this one has"),
                               ("libtchains.so.1: cannot open shared object file", "install libtchains"),
                               ("Error loading shared library libc.so.6", "it needs glibc"), ("No module named '_cffi_backend'", "install cffi"),
                               ("No module named 'tchains._binding'", "has no compiled part"), ("out of memory", "this machine has")):
            with self.subTest(text):
                explained = str(loading.explained(ImportError(text)))
                self.assertIn("its shared library cannot be loaded: " + text, explained)
                self.assertIn(expected, explained)


if __name__ == "__main__":
    main()
