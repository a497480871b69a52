#!/usr/bin/env python3
"""Tests of a language whose compiler was missing at configure time are skipped, and print the missing
program.

    check_skips.py SOURCE_FOLDER CMAKE TIME_LIMIT
"""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = CMAKE = TIME_LIMIT = None
# A machine without programs, as far as CMake can find: the two languages and a reason with a semicolon.
PROJECT = """
cmake_minimum_required(VERSION 3.18)
project(skips LANGUAGES NONE)
enable_testing()
add_executable(time_limit IMPORTED)
set_target_properties(time_limit PROPERTIES IMPORTED_LOCATION "{time_limit}")
set(CMAKE_FIND_ROOT_PATH "${{CMAKE_CURRENT_BINARY_DIR}}/nothing")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)
set(TC_PYTHON "{python}")
include("{source}/cmake/TcTests.cmake")
add_subdirectory("{source}/tests/fortran" fortran)
add_subdirectory("{source}/tests/d" d)
tc_add_skipped_test(reason unit "no one; no other")
"""


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return done.returncode, done.stdout.decode()


class Skips(unittest.TestCase):
    def test_what_is_missing_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write(PROJECT.format(source=SOURCE, time_limit=TIME_LIMIT, python=sys.executable))
            build = os.path.join(folder, "build")
            status, text = run(CMAKE, "-S", folder, "-B", build, f"-DTC_PYTHON={sys.executable}")
            self.assertEqual(status, 0, text)
            status, text = run(os.path.join(os.path.dirname(CMAKE), "ctest"), "--test-dir", build, "-V")
            self.assertEqual(status, 0, text)
            self.assertEqual(text.count("***Skipped"), 4, text)
            for reason in ("no flang-new-19: package flang-19", "no ldc2: package ldc", "no one: no other"):
                self.assertIn("skipped: " + reason + "\n", text)


if __name__ == "__main__":
    SOURCE, CMAKE, TIME_LIMIT = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
