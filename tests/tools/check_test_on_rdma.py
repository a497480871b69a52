#!/usr/bin/env python3
"""scripts/test-on-rdma.sh on machines that are made up: without an adapter it reports that, and the packages to install, and
ends with 77.

    check_test_on_rdma.py SOURCE
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

NEEDED = ("bash", "basename", "dirname", "grep", "id", "ls", "pkg-config", "tr", "uname")


class TestOnRdma(unittest.TestCase):
    source = None

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.sysfs, self.devices = (os.path.join(self.folder, name) for name in ("infiniband", "devices"))

    def adapter(self, name, *states):
        for port, state in enumerate(states, 1):
            folder = os.path.join(self.sysfs, name, "ports", str(port))
            os.makedirs(folder)
            with open(os.path.join(folder, "state"), "w", encoding="ascii") as file:
                file.write(state + "\n")

    def device(self):
        os.makedirs(self.devices)
        with open(os.path.join(self.devices, "uverbs0"), "w", encoding="ascii"):
            pass

    def run_script(self, status, *arguments, **environment):
        done = subprocess.run([os.path.join(self.source, "scripts", "test-on-rdma.sh"), *arguments], capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "RDMA_SYSFS": self.sysfs, "RDMA_DEVICES": self.devices, **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_an_adapter(self):
        self.adapter("mlx5_0", "1: DOWN", "4: ACTIVE")
        self.device()
        self.assertIn("mlx5_0:2 with UCX", self.run_script(0, "--check"))
        self.assertIn("mlx5_0:2 with UCX", self.run_script(0, "--check", "--device", "mlx5_0"))
        self.assertIn("no active port at mlx5_0:1", self.run_script(77, "--check", "--device", "mlx5_0:1"))

    def test_an_adapter_without_a_cable(self):
        self.adapter("mlx5_0", "1: DOWN")
        self.adapter("bnxt_re0", "2: INIT")
        said = self.run_script(77)
        self.assertIn("(bnxt_re0 mlx5_0 )", said)
        self.assertIn("none of its ports is active", said)

    def test_an_adapter_that_is_not_there(self):
        self.adapter("mlx5_0", "4: ACTIVE")
        self.assertIn("no active port at mlx5_7", self.run_script(77, "--device", "mlx5_7"))

    def test_no_device_for_programs(self):
        self.adapter("mlx5_0", "4: ACTIVE")
        said = self.run_script(77)
        self.assertIn("apt install rdma-core", said)
        self.assertIn("modprobe ib_uverbs", said)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_rights(self):
        self.adapter("mlx5_0", "4: ACTIVE")
        self.device()
        os.chmod(os.path.join(self.devices, "uverbs0"), 0)
        self.assertIn("no right to read and write", self.run_script(77))

    def test_no_programs_for_soft_roce(self):
        """Nor the module's, as far as this machine has not loaded it."""
        for name in NEEDED:
            os.symlink(shutil.which(name), os.path.join(self.folder, name))
        said = self.run_script(77, "--soft", "--check", PATH=self.folder)
        self.assertIn("apt install iproute2", said)
        if not os.path.isdir("/sys/module/rdma_rxe"):
            self.assertIn("no module rdma_rxe", said)
            self.assertIn("linux-image-amd64", said)

    def test_this_machine(self):
        """Nothing was made up, and nothing is done."""
        environment = {"RDMA_SYSFS": "/sys/class/infiniband", "RDMA_DEVICES": "/dev/infiniband"}
        done = subprocess.run([os.path.join(self.source, "scripts", "test-on-rdma.sh"), "--check"], capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL, check=False, env={**os.environ, **environment})
        self.assertIn(done.returncode, (0, 77))
        self.assertIn("test-on-rdma: ", done.stdout + done.stderr)

    def test_arguments(self):
        self.assertIn("usage:", self.run_script(2, "--hard"))
        self.assertIn("usage:", self.run_script(2, "--device"))


if __name__ == "__main__":
    TestOnRdma.source = sys.argv.pop(1)
    unittest.main()
