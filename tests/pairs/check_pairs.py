#!/usr/bin/env python3
"""Senders and functions of every pair of languages agree on the bytes of a message with several values.

    check_pairs.py ROOT BUILD FOLDER NODE LANGUAGE...

FOLDER has the archives of C and C++ and the senders; NODE is tc-node, perhaps of another architecture. Functions and
senders of the LANGUAGEs (python, julia, rust) and of Fortran are made here, but for those that are not installed.
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
SEVERAL_NAMES = ("blend", "gather", "join")
FLANG = shutil.which(os.environ.get("FLANG", "flang-new-19"))
FORTRAN_COMPILER = shutil.which("gfortran") or FLANG
FORTRAN = os.path.join(ROOT, "bindings", "fortran")
RUST = os.path.join(ROOT, "bindings", "rust")
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
        for language in ("c", "cpp", "stubs", "liar"):
            for path in glob.glob(os.path.join(FOLDER, f"*_{language}.tca")):
                shutil.copy(path, self.folder)
        for path in glob.glob(os.path.join(FOLDER, "several_calls.jl")):
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
        """Returns whether there are functions in Rust. Only for a foreign node the core library may be missing."""
        targets = "x86_64,aarch64" if HAS_FOREIGN_NODE else os.uname().machine
        for name in ("over", *SEVERAL_NAMES):
            done = subprocess.run([os.path.join(RUST, "tc-rustc"), "--targets", targets, os.path.join(HERE, f"{name}_rust.rs"),
                                   "-o", os.path.join(self.folder, f"{name}_rust.tca")],
                                  env=self.environment, check=not HAS_FOREIGN_NODE, timeout=120)
            if done.returncode != 0:
                return False
        return True

    def fortran(self):
        """Returns whether there are functions in Fortran, and makes them for both architectures."""
        if not FLANG:
            return False
        for name in SEVERAL_NAMES:
            bitcode = []
            for arch in ("x86_64", "aarch64"):
                bitcode.append(os.path.join(self.folder, f"{name}_fortran.{arch}.bc"))
                subprocess.run([FLANG, f"--target={arch}-linux-gnu", "-O2", "-emit-llvm", "-I", FORTRAN, "-module-dir", self.folder,
                                "-c", os.path.join(HERE, f"{name}_fortran.f90"), "-o", bitcode[-1]], check=True, timeout=120)
            archive = os.path.join(self.folder, f"{name}_fortran")
            subprocess.run([self.environment["TC_AR"], "create", os.path.basename(archive), *bitcode, "-o", archive + ".tca"],
                           check=True, timeout=120)
        return True

    def fortran_caller(self):
        """A program in Fortran that calls functions of every language."""
        program = os.path.join(self.folder, "several_from_fortran")
        with tempfile.TemporaryDirectory() as modules:
            flags = ["-module-dir", modules] if FORTRAN_COMPILER == FLANG else ["-J", modules, "-Wall", "-Werror"]
            subprocess.run([FORTRAN_COMPILER, *flags, "-I", FORTRAN, f"{HERE}/several_from_fortran.f90", "-o", program,
                            f"-L{BUILD}/lib", f"-Wl,-rpath,{BUILD}/lib", "-ltchains"], check=True, timeout=120)
        return program

    def rust_caller(self):
        """A program in Rust that calls functions of every language."""
        for crate, *more in (("tchains_sys", f"{RUST}/tchains-sys/src/lib.rs", "--crate-type", "rlib"),
                             ("tchains", f"{RUST}/tchains/src/lib.rs", "--crate-type", "rlib", "--extern", "tchains_sys"),
                             ("several_from_rust", f"{HERE}/several_from_rust.rs", "--extern", "tchains",
                              "-C", f"link-arg=-Wl,-rpath,{BUILD}/lib")):
            subprocess.run([os.environ["RUSTC"], "--edition", "2021", "-D", "warnings", "-L", self.folder, "-L", f"{BUILD}/lib",
                            "--out-dir", self.folder, "--crate-name", crate, *more], check=True, timeout=120)
        return os.path.join(self.folder, "several_from_rust")

    def call_with(self, *command):
        done = subprocess.run(command, env=self.environment, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, command[0])

    def test_pairs(self):
        senders = {}
        # A host's build for a foreign node may be without the package.
        needed = "import cffi, numba" + (", tchains" if HAS_FOREIGN_NODE else "")
        if "python" in LANGUAGES and is_there(PYTHON, "-c", needed, environment=self.environment):
            senders["python"] = self.begin(PYTHON, "-B", os.path.join(HERE, "pairs_in_python.py"), MESSAGES, SEVERAL, self.folder)
        if "julia" in LANGUAGES and is_there(os.path.join(ROOT, "scripts", "install-julia.sh"), "--where"):
            senders["julia"] = self.begin(JULIA, ROOT, BUILD, os.path.join(HERE, "pairs_in_julia.jl"), MESSAGES, SEVERAL, self.folder)
        languages = ["c", "cpp", *senders]
        if "rust" in LANGUAGES and self.rust():
            languages.append("rust")
        for language, process in senders.items():
            self.assertEqual(process.stdout.readline(), "made\n", language)
        node = Node(self, NODE)
        print("pairs of", ", ".join(languages))
        for sender in ("send_in_c", "send_in_cpp"):
            self.call_with(os.path.join(FOLDER, sender), MESSAGES, node.address, self.folder, *languages)
        several = [*languages[:2], "stubs", *languages[2:]] + (["fortran"] if self.fortran() else [])
        print("several arrays:", ", ".join(several))
        callers = [os.path.join(FOLDER, name) for name in ("several_from_c", "several_from_cpp")]
        callers += [self.rust_caller()] if "rust" in LANGUAGES else []
        for caller in filter(os.path.exists, callers):
            self.call_with(caller, SEVERAL, node.address, self.folder, *several)
        if FORTRAN_COMPILER:
            self.call_with(self.fortran_caller(), SEVERAL, node.address, *several)
        for language, process in senders.items():
            process.communicate(" ".join([node.address, *languages]) + "\n" + " ".join(several) + "\n", timeout=240)
            self.assertEqual(process.returncode, 0, language)
        node.stop()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
