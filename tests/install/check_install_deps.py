"""scripts/install-deps.sh on machines that lack something: its output, and whether it goes on.

    check_install_deps.py ROOT [unittest argument ...]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest


class Machine(unittest.TestCase):
    """Its programs are scripts of the test's own, which record their arguments."""
    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name
        for name in ("bash", "dirname", "env", "sed", "uname"):
            os.symlink(shutil.which(name), os.path.join(self.path, name))
        self.program("id", "echo 0")
        self.program("dpkg-query", "exit 1")
        self.program("apt-cache", "exit 0")
        self.program("apt-get", f'echo "$*" >>{self.path}/asked')

    def program(self, name, text):
        file = os.path.join(self.path, name)
        with open(file, "w", encoding="ascii") as script:
            script.write(f"#!{shutil.which('bash')}\n{text}\n")
        os.chmod(file, 0o755)

    def run_script(self, *arguments):
        return subprocess.run([self.script, *arguments], env={"PATH": self.path}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def asked(self):
        file = os.path.join(self.path, "asked")
        if not os.path.exists(file):
            return ""
        with open(file, encoding="ascii") as text:
            return text.read()

    def test_nothing_is_missing(self):
        self.program("dpkg-query", "echo installed")
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"all \d+ packages are installed")
        self.assertEqual(self.asked(), "")

    def test_what_is_missing_is_installed(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.asked(), r"install --no-install-recommends .*\bllvm-19-dev\b")

    def test_julia_is_fetched_from_where_the_machine_has_its_packages(self):
        self.program("dpkg-query", "echo installed")
        for name in ("cat", "sort", "head", "dpkg", "mktemp", "rm", "mkdir"):
            os.symlink(shutil.which(name), os.path.join(self.path, name))
        self.program("apt-get", f'echo "$*" >>{self.path}/asked; [ "$1" != indextargets ] || echo Debian http://here/debian;'
                     f' [ ! -f "${{APT_CONFIG-}}" ] || {{ cp "${{APT_CONFIG%/*}}/sources.list" {self.path}/source; exit 1; }}')
        os.symlink(shutil.which("cp"), os.path.join(self.path, "cp"))
        environment = {"PATH": self.path, "HOME": self.path, "TC_JULIA_ROOT": os.path.join(self.path, "root")}
        done = subprocess.run([self.script.replace("install-deps.sh", "install-julia.sh"), "--fetch"], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        with open(os.path.join(self.path, "source"), encoding="ascii") as source:
            self.assertRegex(source.read(), r"^deb \[signed-by=.*\] http://here/debian bullseye main$")
        self.assertFalse(os.path.exists(environment["TC_JULIA_ROOT"]))

    def test_without_dpkg_it_goes_on(self):
        os.unlink(os.path.join(self.path, "dpkg-query"))
        for arguments in ((), ("--tests",)):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("going on with what is there", done.stderr)
            self.assertIn("libucx-dev", done.stderr)

    def test_a_user_is_told_what_root_can_do(self):
        self.program("id", "echo 1000")
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"neither root nor sudo; as root, run: apt-get install .*\blibucx-dev\b")
        self.assertEqual(self.asked(), "")

    def test_an_archive_is_missing(self):
        self.program("apt-cache", 'case $2 in *-22*) exit 100 ;; esac')
        done = self.run_script("--tests")
        self.assertEqual(done.returncode, 1)
        self.assertIn("in none of this machine's archives: llvm-22-dev clang-22\n", done.stderr)
        self.assertRegex(done.stderr, r"deb http://deb.debian.org/debian-security \w+-security main")
        self.assertNotIn("--no-install-recommends", self.asked())


if __name__ == "__main__":
    Machine.script = os.path.join(sys.argv.pop(1), "scripts", "install-deps.sh")
    unittest.main()
