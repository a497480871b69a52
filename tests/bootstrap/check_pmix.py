#!/usr/bin/env python3
"""Processes that PMIx started: by mpirun, and the errors when PMIx is missing or of another version.

    check_pmix.py MPIRUN MEMBER MODULES FAKES [CLASS ...]

MEMBER is rendezvous_main; MODULES the folder of libtchains-pmix.so; FAKES that of other things with its name, and libpmix's.
"""
import os
import subprocess
import sys
import tempfile
import unittest

DEADLINE_S = 120  # only ends processes that hang


class PmixTest(unittest.TestCase):
    mpirun = member = modules = fakes = None

    def run_to_end(self, command, **settings):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("TC_", "PMIX_", "OMPI_", "PRTE_"))}
        done = subprocess.run([str(part) for part in command], env={**kept, "TC_ENGINE_PATH": self.modules, **settings},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        return done.returncode, done.stdout + done.stderr


class Mpirun(PmixTest):
    def mpi(self, count, *arguments):
        # Its session folder has a short path: sockets in it have short names.
        with tempfile.TemporaryDirectory(prefix="tc-mpi-") as folder:
            return self.run_to_end([self.mpirun, "-n", count, "--oversubscribe", "--allow-run-as-root",
                                    "--timeout", DEADLINE_S - 10, self.member, *arguments], TMPDIR=folder)

    def test_members_meet_twice(self):
        status, out = self.mpi(4, 2)
        self.assertEqual(status, 0, out)
        lines = [line for line in out.splitlines() if line.startswith("PMIx ")]
        self.assertEqual(sorted(line.rpartition(" id ")[0] for line in lines),
                         sorted(2 * [f"PMIx {rank} of 4 local" for rank in range(4)]), out)
        self.assertEqual(len({line.split()[-1] for line in lines}), 2)

    def test_a_member_that_never_comes_is_named(self):
        status, out = self.mpi(3, 1, 1000, 1, "wait")
        self.assertNotEqual(status, 0)
        self.assertIn("TC_E_TIMEOUT: rank 1 has not joined", out)


class Others(PmixTest):
    """As mpirun would start it, but with one part changed."""

    def alone(self, **settings):
        return self.run_to_end([self.member, 1, 300], PMIX_RANK="0", PMIX_NAMESPACE="job", **settings)

    def fake(self, what):
        return self.alone(LD_LIBRARY_PATH=self.fakes, FAKE_PMIX=what)

    def test_no_module(self):
        with tempfile.TemporaryDirectory() as empty:
            status, out = self.alone(TC_ENGINE_PATH=empty)
        self.assertEqual(status, 1)
        self.assertIn("TC_E_UNSUPPORTED", out)
        self.assertIn("install libpmix2", out)
        self.assertIn(f"looked for libtchains-pmix.so in {empty}", out)

    def test_a_module_with_another_interface(self):
        status, out = self.alone(TC_ENGINE_PATH=self.fakes)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"TC_E_VERSION: PMIx module .*/libtchains-pmix.so has interface \d+, expected \d+")

    def test_no_libpmix(self):
        with tempfile.TemporaryDirectory() as broken:
            with open(os.path.join(broken, "libpmix.so.2"), "wb") as file:
                file.write(b"not a library")
            status, out = self.alone(LD_LIBRARY_PATH=broken)
        self.assertEqual(status, 1)
        self.assertIn("TC_E_UNSUPPORTED", out)
        self.assertIn("libpmix.so.2", out)

    def test_no_server(self):
        status, out = self.alone()
        self.assertEqual(status, 1)
        self.assertRegex(out, r"open: TC_E_UNREACHABLE: PMIx: client \d+\.\d+.*, server of a version that it does not say")

    def test_an_old_libpmix(self):
        status, out = self.fake("old")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"TC_E_UNSUPPORTED: libpmix is version 3\.1\.5, expected \d+ or newer: .* built with \d+\.\d+")

    def test_a_server_of_another_version(self):
        status, out = self.alone(LD_LIBRARY_PATH=self.fakes, FAKE_PMIX="refusing", PMIX_VERSION="2.0.1")
        self.assertEqual(status, 1)
        self.assertIn("TC_E_UNSUPPORTED: PMIx: client 99.0.1, server 2.0.1", out)

    def test_values_of_other_types(self):
        status, out = self.fake("strange")
        self.assertEqual(status, 1)
        self.assertIn("TC_E_CORRUPT: PMIx: the value of pmix.job.size is of another type", out)

    def test_nobody_comes(self):
        status, out = self.fake("several hosts")
        self.assertEqual(status, 1)
        self.assertIn("TC_E_TIMEOUT: rank 1 has not joined", out)


if __name__ == "__main__":
    PmixTest.mpirun, PmixTest.member, PmixTest.modules, PmixTest.fakes = sys.argv[1:5]
    del sys.argv[1:5]
    unittest.main()
