#!/usr/bin/env python3
"""The statements of docs/security.md on open ports: on one host only the listener listens; every setting that opens UCX's
port is reported, and UCX_NET_DEVICES keeps it to one network.

    check_security.py BIN_FOLDER ARCHIVE
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import time
import unittest

DEADLINE_S = 120
LISTENING = "0A"
OPEN = "UCX's network port is open, because"
BIN_FOLDER, ARCHIVE = sys.argv[1:3]
KEPT = {name: value for name, value in os.environ.items()
        if not name.startswith(("TC_", "UCX_")) or name == "UCX_MEM_MMAP_HOOK_MODE"}  # sanitizers need it


def sockets_of(pid):
    links = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            links.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return {link[len("socket:["):-1] for link in links if link.startswith("socket:[")}


def ports_of(pid):
    """Address and port, as the kernel writes them in hexadecimal, of every socket that takes unrequested data."""
    sockets = sockets_of(pid)
    found = []
    for family in ("tcp", "tcp6", "udp", "udp6", "udplite", "raw", "raw6"):
        if not os.path.exists(f"/proc/{pid}/net/{family}"):
            continue
        with open(f"/proc/{pid}/net/{family}", encoding="ascii") as file:
            for row in list(file)[1:]:
                columns = row.split()
                if columns[9] in sockets and (columns[3] == LISTENING or not family.startswith("tcp")):
                    found.append(columns[1])
    return found


def is_loopback(port):
    return port.split(":")[0] in ("0100007F", "7F000001", "00000000000000000000000001000000",
                                  "00000000000000000000000000000001")


def has_other_addresses():
    with open("/proc/net/dev", encoding="ascii") as file:
        return any(":" in row and not row.strip().startswith("lo:") for row in file)


class Ports(unittest.TestCase):
    def setUp(self):
        self.folder = self.temporary()

    def temporary(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def start(self, tool, *arguments, **environment):
        log = open(os.path.join(self.folder, f"{tool}.log"), "a+", encoding="utf-8")
        self.addCleanup(log.close)
        process = subprocess.Popen([os.path.join(BIN_FOLDER, tool), *arguments],
                                   env={**KEPT, "TC_CACHE_DIR": "", "TC_LOG_LEVEL": "info", **environment},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)

        def end():
            process.kill()
            process.wait(timeout=DEADLINE_S)

        self.addCleanup(end)
        return process

    def log_of(self, tool):
        with open(os.path.join(self.folder, f"{tool}.log"), encoding="utf-8") as file:
            return file.read()

    def await_log(self, tool, text):
        """A process writes its line when it is its turn, which may be after its peer has ended."""
        deadline = time.monotonic() + DEADLINE_S
        while text not in self.log_of(tool):
            self.assertLess(time.monotonic(), deadline, f"'{text}' is not in: {self.log_of(tool)}")
            time.sleep(0.005)

    def node(self, listen="127.0.0.1:0", **environment):
        """A running tc-node and its port."""
        port_file = os.path.join(self.folder, "port")
        node = self.start("tc-node", "--listen", listen, "--port-file", port_file, **environment)
        deadline = time.monotonic() + DEADLINE_S
        while not os.path.exists(port_file):
            self.assertIsNone(node.poll(), self.log_of("tc-node"))
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        with open(port_file, encoding="ascii") as file:
            return node, int(file.read())

    def send(self, port, *arguments, **environment):
        sender = self.start("tc-send", f"127.0.0.1:{port}", ARCHIVE, "--text", "x", *arguments, **environment)
        self.assertEqual(sender.wait(timeout=DEADLINE_S), 0, self.log_of("tc-send"))

    def ports_while_sending(self, port, **environment):
        """Ports of a process that has sent."""
        sender = self.start("tc-send", f"127.0.0.1:{port}", ARCHIVE, "--text", "x", "--count", str(10 ** 12), **environment)
        deadline = time.monotonic() + DEADLINE_S
        while "open, " not in self.log_of("tc-send"):
            self.assertIsNone(sender.poll(), self.log_of("tc-send"))
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        ports = ports_of(sender.pid)
        sender.kill()
        sender.wait(timeout=DEADLINE_S)
        return ports

    def test_nothing_listens_but_the_listener(self):
        for delivery in ("direct", "am", "put", "stream"):
            with self.subTest(delivery):
                node, port = self.node(TC_DELIVERY=delivery)
                own = [f"0100007F:{port:04X}"]
                self.assertEqual(ports_of(node.pid), own)
                self.send(port, TC_DELIVERY=delivery)
                self.assertEqual(self.ports_while_sending(port, TC_DELIVERY=delivery), [])
                self.assertEqual(ports_of(node.pid), own)
                self.assertIn(f"open, {delivery} to", self.log_of("tc-send"))
                self.assertNotIn(OPEN, self.log_of("tc-node") + self.log_of("tc-send"))
                node.kill()
                node.wait(timeout=DEADLINE_S)
                os.unlink(os.path.join(self.folder, "port"))

    def test_a_listener_beyond_loopback_opens_none(self):
        node, port = self.node(listen="0.0.0.0:0", TC_LISTEN_ANY="yes")
        self.send(port)
        self.assertEqual(ports_of(node.pid), [f"00000000:{port:04X}"])
        self.assertNotIn(OPEN, self.log_of("tc-node") + self.log_of("tc-send"))

    def test_a_listener_beyond_loopback_for_ucx_opens_it_and_says_so(self):
        node, port = self.node(listen="0.0.0.0:0", TC_LISTEN_ANY="yes", UCX_NET_DEVICES="lo", TC_DELIVERY="am")
        self.assertIn(f"warn: {OPEN} it listens beyond loopback", self.log_of("tc-node").replace("]", ":"))
        self.assertGreater(len(ports_of(node.pid)), 1)
        self.send(port, UCX_NET_DEVICES="lo")

    def test_the_option_opens_it(self):
        node, port = self.node(TC_NETWORK="yes")
        self.assertIn(f"{OPEN} the option network is yes", self.log_of("tc-node"))
        if has_other_addresses():
            self.assertFalse(all(map(is_loopback, ports_of(node.pid))))
        self.send(port)

    def test_one_device(self):
        """Also how a test of the project has it: by the environment."""
        for environment in ({"TC_NETWORK": "yes"}, {"UCX_TLS": "tcp,self"}):
            with self.subTest(environment):
                environment = {**environment, "UCX_NET_DEVICES": "lo", "TC_DELIVERY": "am"}
                node, port = self.node(**environment)
                found = ports_of(node.pid)
                self.assertGreater(len(found), 1)
                self.assertTrue(all(map(is_loopback, found)), found)
                self.assertIn(OPEN, self.log_of("tc-node"))
                self.send(port, **environment)
                node.kill()
                node.wait(timeout=DEADLINE_S)
                os.unlink(os.path.join(self.folder, "port"))

    def test_a_listener_beyond_loopback_with_keys_opens_none(self):
        key = os.path.join(self.folder, "cluster.key")
        self.assertEqual(self.start("tc-node", "--make-key", key).wait(timeout=DEADLINE_S), 0, self.log_of("tc-node"))
        node, port = self.node(listen="0.0.0.0:0", TC_KEY_FILE=key)
        self.send(port, TC_KEY_FILE=key)
        self.assertEqual(ports_of(node.pid), [f"00000000:{port:04X}"])
        self.assertNotIn(OPEN, self.log_of("tc-node") + self.log_of("tc-send"))

    def test_a_peer_beyond_shared_memory_is_served_by_the_connection(self):
        """UCX_TLS keeps one side from shared memory, as another host or container would."""
        node, port = self.node()
        self.send(port, UCX_TLS="tcp,self", UCX_NET_DEVICES="lo")
        self.await_log("tc-node", "open, stream to")
        self.assertEqual(ports_of(node.pid), [f"0100007F:{port:04X}"])

    def test_who_asks_for_ucx_without_a_way_is_told(self):
        node, port = self.node()
        sender = self.start("tc-send", f"127.0.0.1:{port}", ARCHIVE, "--text", "x", UCX_TLS="tcp,self", UCX_NET_DEVICES="lo",
                            TC_DELIVERY="am")
        self.assertNotEqual(sender.wait(timeout=DEADLINE_S), 0)
        for tool in ("tc-send", "tc-node"):
            self.await_log(tool, "delivery am: the two sides have no UCX in common")


if __name__ == "__main__":
    sys.exit(not unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful())
