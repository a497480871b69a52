#!/usr/bin/env python3
"""The wheel that holds the library: made by scripts/wheel.sh, installed into fresh environments without a network, and used there.

    check_wheel.py ROOT BUILD_OF_THE_WHEEL FUNCTIONS_FOLDER PYTHON
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = BUILD = FUNCTIONS = PYTHON = None
DEADLINE_S = 300
BUILD_S = 2000

ARCHIVE = """
import importlib.util, sys, tchains
for module in "numpy", "numba":
    assert importlib.util.find_spec(module) is None, module
with open("/proc/self/maps", encoding="utf-8") as maps:
    library, = {line.split()[-1] for line in maps if "libtchains" in line}
assert library.startswith(sys.prefix), library
with tchains.local(2) as workers:
    whoami = workers.context.open_file(sys.argv[1])
    endpoint = workers.endpoints[0]
    endpoint.send(whoami)
    endpoint.flush()
    print([len(reply) for reply in workers.map(whoami, [b""] * 4)])
try:
    tchains.ifunc
except ModuleNotFoundError as error:
    print(error)
"""
FUNCTION = """
import sys, tchains
import numpy as np

@tchains.ifunc
def above(limit: float, column: tchains.Payload(np.float64)):
    total = 0.0
    for value in column:
        if value > limit:
            total += value
    return total
with tchains.Context(call_timeout="60s") as context, context.connect(sys.argv[1], timeout=60) as node:
    print(node.call(above, 2.5, np.arange(10.0)))
with tchains.local(2) as workers:
    print(workers.map(above, [2.5, 8.5], [np.arange(10.0)] * 2))
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        done = subprocess.run([os.path.join(ROOT, "scripts", "wheel.sh"), "--output", cls.folder, "--build", BUILD, "--python", PYTHON],
                              capture_output=True, text=True, timeout=BUILD_S, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        (cls.wheel,) = glob.glob(os.path.join(cls.folder, "*.whl"))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = folder.name

    def path(self, *parts):
        return os.path.join(self.place, *parts)

    def run_it(self, *command, status=0):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.place, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd=self.place, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              stdin=subprocess.DEVNULL, env=environment)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def pip(self, *arguments, status=0):
        return self.run_it(PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments, status=status)

    def environment(self, *options):
        """A fresh environment with the wheel; the path of its Python. Without --system-site-packages it has one
        package more, this machine's cffi, as from an index."""
        self.run_it(PYTHON, "-m", "venv", "--without-pip", *options, self.path("venv"))
        (packages,) = glob.glob(self.path("venv", "lib", "python3*", "site-packages"))
        for pattern in ("cffi*", "_cffi_backend*", "pycparser*", "ply*") if not options else ():
            for found in glob.glob(os.path.join("/usr/lib/python3/dist-packages", pattern)):
                os.symlink(found, os.path.join(packages, os.path.basename(found)))
        python = self.path("venv", "bin", "python")
        self.pip("--python", python, "install", "--no-index", self.wheel)
        return python

    @staticmethod
    def guide(kind):
        """The text of that name in docs/python.md."""
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            return re.search(rf"^```{kind}\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL).group(1)

    def package(self):
        (found,) = glob.glob(self.path("venv", "lib", "python3*", "site-packages", "tchains"))
        return found

    def glibc(self):
        return tuple(int(number) for number in re.search(r"manylinux_(\d+)_(\d+)_", self.wheel).groups())

    def test_its_tag_is_what_its_files_need(self):
        self.assertRegex(os.path.basename(self.wheel), r"^tchains-[\d.]+-cp311-abi3-manylinux_2_\d+_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.path("content"))
            names = archive.namelist()
        tag = self.run_it(PYTHON, os.path.join(ROOT, "bindings", "python", "elf_needs.py"), self.path("content")).stdout.strip()
        self.assertTrue(self.wheel.endswith(f"-{tag}.whl"), tag)
        self.assertLess(self.glibc(), (2, 36))  # older than Debian 12: no packed relocations
        for name in ("tchains/py.typed", "tchains/__init__.pyi", "tchains/lib/libtchains.so.1", "tchains/bin/tc-node",
                     "tchains/licences/tchains", "tchains/licences/libsodium-dev"):
            self.assertIn(name, names)

    def test_archives_without_numba(self):
        python = self.environment()
        lines = self.run_it(python, "-c", ARCHIVE, os.path.join(FUNCTIONS, "whoami.tca")).stdout.splitlines()
        self.assertEqual(lines[0], "[12, 12, 12, 12]")
        self.assertIn("tchains.ifunc needs numpy and numba", lines[1])

    def test_a_python_function_runs_in_another_process(self):
        has = self.run_it(PYTHON, "-c", "import importlib.util as u; print(u.find_spec('numba') is not None)").stdout.strip()
        if has != "True":
            self.skipTest("this Python lacks numba (Debian: apt-get install python3-numba)")
        python = self.environment("--system-site-packages")
        port = self.path("port")
        node = subprocess.Popen([self.path("venv", "bin", "tc-node"), "--listen", "127.0.0.1:0", "--port-file", port], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "HOME": self.place})
        self.addCleanup(node.wait)
        self.addCleanup(node.send_signal, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while not os.path.exists(port):
            self.assertIsNone(node.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        with open(port, encoding="ascii") as file:
            address = f"127.0.0.1:{file.read().strip()}"
        with open(self.path("first.py"), "w", encoding="utf-8") as file:
            file.write(FUNCTION)
        self.assertEqual(self.run_it(python, "first.py", address).stdout, "42.0\n[42.0, 9.0]\n")
        with open(self.path("first.py"), "w", encoding="utf-8") as file:
            file.write(self.guide("python3 first"))
        self.assertEqual(self.run_it(python, "first.py").stdout, "42.0\n")
        self.assertEqual(len(self.guide("sh wheel").splitlines()), 5)

    def test_another_libc_is_refused(self):
        machine = "x86_64" if self.wheel.endswith("_x86_64.whl") else "aarch64"
        options = ["install", "--no-index", "--no-deps", "--only-binary", ":all:", "--python-version", "3.12", "--implementation", "cp",
                   "--abi", "abi3", "--abi", "none", "--target", self.path("there")]
        major, minor = self.glibc()
        for platform in f"musllinux_1_2_{machine}", f"manylinux_{major}_{minor - 1}_{machine}", f"linux_{machine}":
            refused = self.pip(*options, "--platform", platform, self.wheel, status=1)
            self.assertIn("is not a supported wheel on this platform", refused.stderr)
        self.pip(*options, "--platform", f"manylinux_{major}_{minor}_{machine}", self.wheel)

    def import_error(self, python):
        return self.run_it(python, "-c", "import tchains", status=1).stderr.splitlines()[-1]

    def test_a_library_that_cannot_be_loaded(self):
        python = self.environment()
        library = os.path.join(self.package(), "lib", "libtchains.so.1")
        with open(library, "rb") as file:
            data = file.read()
        newest = f"GLIBC_{self.glibc()[0]}.{self.glibc()[1]}"

        def elf_hash(text):
            value = 0
            for byte in text.encode():
                value = (value << 4) + byte
                value = (value ^ (value & 0xf0000000) >> 24) & 0x0fffffff
            return value.to_bytes(4, "little")
        other = newest[:-2] + "99"
        changed = data.replace(newest.encode() + b"\0", other.encode() + b"\0").replace(elf_hash(newest), elf_hash(other))
        os.remove(library)
        with open(library, "wb") as file:
            file.write(changed)
        text = self.import_error(python)
        self.assertIn("tchains: its shared library cannot be loaded", text)
        self.assertIn(f"glibc has {other}, and this one has glibc", text)
        os.remove(library)
        text = self.import_error(python)
        self.assertIn("libtchains.so.1: cannot open shared object file", text)
        self.assertIn("install the wheel again", text)


if __name__ == "__main__":
    ROOT, BUILD, FUNCTIONS, PYTHON = (os.path.abspath(path) for path in sys.argv[1:5])
    unittest.main(argv=sys.argv[:1])
