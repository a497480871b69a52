#!/usr/bin/env python3
"""Senders and functions of every pair of languages agree on the bytes of a message with several values.

    check_pairs.py ROOT BUILD FOLDER NODE LANGUAGE...

FOLDER has the archives of C and C++ and the two senders; NODE is tc-node, perhaps of another architecture. Functions and
senders of the LANGUAGEs (python, julia, rust) are made here, but for those that are not installed.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD, FOLDER, NODE, *LANGUAGES = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
MESSAGES, SEVERAL = (os.path.join(HERE, name) for name in ("messages.txt", "several.txt"))
sys.path.insert(0, os.path.join(ROOT, "tests", "integration"))
from tool_process import Node  # noqa: E402
PYTHON = os.environ.get("PAIRS_PYTHON", "/usr/bin/python3")
JULIA = os.path.join(ROOT, "tests", "julia", "run.sh")
HAS_FOREIGN_NODE = not NODE.startswith(BUILD)


def is_there(*command, environment=None):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False,
                              env=environment).returncode == 0
    except FileNotFoundError:
        return False


class Pairs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for language in ("c", "cpp", "stubs"):
            for path in glob.glob(os.path.join(FOLDER, f"*_{language}.tca")):
                shutil.copy(path, self.folder)
        self.environment = {**os.environ, "TC_AR": os.path.join(BUILD, "bin", "tc-ar"), "PATH": f"{BUILD}/bin:{os.environ['PATH']}",
                            "TC_IFUNC_PATH": self.folder, "PYTHONPATH": os.path.join(BUILD, "python")}

    def begin(self, *command):
        """A sender, which makes its functions first."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def rust(self):
        """Returns whether there is a function in Rust. Only for a foreign node the core library may be missing."""
        targets = "x86_64,aarch64" if HAS_FOREIGN_NODE else os.uname().machine
        done = subprocess.run([os.path.join(ROOT, "bindings", "rust", "tc-rustc"), "--targets", targets,
                               os.path.join(HERE, "over_rust.rs"), "-o", os.path.join(self.folder, "over_rust.tca")],
                              env=self.environment, check=not HAS_FOREIGN_NODE, timeout=120)
        return done.returncode == 0

    def call_with(self, *command):
        done = subprocess.run(command, env=self.environment, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, command[0])

    def test_pairs(self):
        senders = {}
        # A host's build for a foreign node may be without the package.
        needed = "import cffi, numba" + (", tchains" if HAS_FOREIGN_NODE else "")
        if "python" in LANGUAGES and is_there(PYTHON, "-c", needed, environment=self.environment):
            senders["python"] = self.begin(PYTHON, "-B", os.path.join(HERE, "pairs_in_python.py"), MESSAGES, self.folder)
        if "julia" in LANGUAGES and is_there(os.path.join(ROOT, "scripts", "install-julia.sh"), "--where"):
            senders["julia"] = self.begin(JULIA, ROOT, BUILD, os.path.join(HERE, "pairs_in_julia.jl"), MESSAGES, self.folder)
        languages = ["c", "cpp", *senders]
        if "rust" in LANGUAGES and self.rust():
            languages.append("rust")
        for language, process in senders.items():
            self.assertEqual(process.stdout.readline(), "made\n", language)
        node = Node(self, NODE)
        print("pairs of", ", ".join(languages))
        for sender in ("send_in_c", "send_in_cpp"):
            self.call_with(os.path.join(FOLDER, sender), MESSAGES, node.address, self.folder, *languages)
        several = [*languages[:2], "stubs", *languages[2:]]
        for sender in ("several_from_c", "several_from_cpp"):
            if os.path.exists(os.path.join(FOLDER, sender)):
                self.call_with(os.path.join(FOLDER, sender), SEVERAL, node.address, self.folder, *several)
        for language, process in senders.items():
            process.communicate(" ".join([node.address, *languages]) + "\n", timeout=120)
            self.assertEqual(process.returncode, 0, language)
        node.stop()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
