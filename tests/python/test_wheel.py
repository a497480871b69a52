#!/usr/bin/env python3
"""The wheel: made by the standard tools without a network, installed elsewhere, used."""
import glob
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

from python_case import BUILD, ROOT, Process, PythonCase, main

MISSING = [name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]


@unittest.skipIf(MISSING, f"this Python lacks {' and '.join(MISSING)} (Debian: apt-get install python3-pip python3-wheel)")
class Wheel(PythonCase):
    """One wheel for every later Python."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copytree(os.path.join(ROOT, "bindings", "python"), self.path("source"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def pip(self, *arguments, status=0):
        return Process(self, [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments],
                       TCHAINS_PREFIX=self.path("prefix"), HOME=self.folder, PIP_BREAK_SYSTEM_PACKAGES="1").expect(status)

    def make(self, status=0):
        return self.pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", self.path("out"), self.path("source"),
                        status=status)

    def test_it_is_made_installed_and_used(self):
        os.mkdir(self.path("prefix"))
        os.symlink(os.path.join(BUILD, "lib"), self.path("prefix", "lib"))
        os.symlink(os.path.join(ROOT, "include"), self.path("prefix", "include"))
        self.make()
        (wheel,) = glob.glob(self.path("out", "tchains-*-cp311-abi3-linux_*.whl"))
        self.pip("install", "--no-index", "--no-deps", "--target", self.path("installed"), wheel)
        program = ("import sys, tchains\n"
                   "assert tchains.__file__.startswith(sys.argv[3]), tchains.__file__\n"
                   "with tchains.Context() as context, context.connect(sys.argv[1]) as node:\n"
                   "    print(len(node.call(context.open_file(sys.argv[2]))))\n")
        used = Process(self, [sys.executable, "-B", "-c", program, self.node().address, self.shipped("whoami"), self.folder],
                       PYTHONPATH=self.path("installed")).expect(0)
        self.assertEqual(used.out.strip(), "12")

    def test_without_the_library_it_says_what_to_install(self):
        os.mkdir(self.path("prefix"))
        failed = self.make(status=1)
        self.assertIn("where TCHAINS_PREFIX says", failed.err + failed.out)


if __name__ == "__main__":
    main()
