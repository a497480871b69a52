#!/usr/bin/env python3
"""Programs of every kind that C allows, compiled by tc-clang and run by a target in each form and tier.

    check_programs.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]

A program is a file of programs/, NAME.c, and has in its first lines its options and its output, call after call:

    /* with: OTHER.c */
    /* options: -lm */
    /* prints: 1 2 3 */
"""
import glob
import os
import re

from tool_process import Process, ToolTest, main

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "programs")
INCLUDE = os.path.join(HERE, "..", "..", "include")

# The ways that a target may run functions.
WAYS = {
    "image": {"TC_FORM": "image"},
    "quick": {"TC_FORM": "bitcode", "TC_TIER": "fast"},
    "best": {"TC_FORM": "bitcode", "TC_TIER": "best"},
    "auto": {"TC_FORM": "bitcode", "TC_TIER": "auto", "TC_TIER_CALLS": "1"},
}


class Program:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".c")]
        with open(path, encoding="ascii") as file:
            self.text = file.read()
        self.sources = [path, *(os.path.join(FOLDER, name) for name in self.words("with"))]
        self.options = self.words("options")
        self.lines = self.words("prints")

    def words(self, what):
        found = re.search(rf"^/\* {what}: (.*) \*/$", self.text, re.MULTILINE)
        return found.group(1).split() if found else []


def programs(start):
    found = (Program(path) for path in sorted(glob.glob(os.path.join(FOLDER, start + "*.c"))))
    return [program for program in found if program.lines]


class Programs(ToolTest):
    """The programs with names that begin with a word, compiled at these levels."""
    levels = ["-O2", "-O0"]

    def compile(self, program, *options):
        path = os.path.join(self.folder(), program.name + ".tca")
        command = [self.tool("tc-clang"), "-I", INCLUDE, *program.options, *options, *program.sources, "-o", path]
        Process(self, command).expect(0)
        return path

    def run_there(self, program, archive, way):
        """The second round finds what was compiled meanwhile instead of the first code."""
        node = self.node(**WAYS[way])
        for _ in range(2):
            self.send(node.address, archive, "--text", "xx", "--count", len(program.lines) // 2).expect(0)
        node.stop()
        return node.out.split("{")[0].split()

    def run_all(self, start):
        for program in programs(start):
            for level in self.levels:
                with self.subTest(f"{program.name} {level}"):
                    archive = self.compile(program, *level.split())
                    ran = {way: self.run_there(program, archive, way) for way in WAYS}
                    self.assertEqual(ran, {way: program.lines for way in WAYS})


class Labels(Programs):
    """Computed goto: addresses of labels in the code."""
    levels = ["-O2", "-O0", "-O1 -g", "-Os"]

    def test_they_do_what_the_source_says(self):
        self.run_all("label_")

    def test_a_label_in_a_variable_is_good_for_later_calls(self):
        program, = programs("label_kept")
        archive = self.compile(program)
        node = self.node(**WAYS["auto"])
        for _ in range(4):
            self.send(node.address, archive, "--count", 300).expect(0)
        summary = node.stop()
        self.assertEqual(node.out.split("{")[0].split(), ["1", "2", "3"] * 400)
        self.assertEqual(summary["code_improved"], 0)


class Sections(Programs):
    """Functions and variables in sections of their own."""

    def test_they_do_what_the_source_says(self):
        self.run_all("section_")


class Processors(Programs):
    """Instructions beyond a processor, or beyond the baseline."""

    def test_numbers_wider_than_registers(self):
        self.run_all("wide_")

    def test_functions_in_assembly(self):
        self.run_all("assembly_")

    def test_functions_for_better_processors(self):
        self.run_all("cpu_")


if __name__ == "__main__":
    main()
