#!/usr/bin/env python3
"""Two hosts on one machine: network namespaces with an address each, joined by a pair of virtual interfaces.

    check_namespaces.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]

Needs root, ip and unshare; exits with 77 and says why where it cannot work. All names begin with tcns and this process's id;
what an earlier run left that was killed is removed first.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

from tool_process import Process, ToolTest, main, wait_until

SKIPPED = 77
PREFIX = "tcns"
PORT = 7000
APART = ["unshare", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True, timeout=30).stdout


def remove_leftovers():
    for name in re.findall(rf"^{PREFIX}\d+[ab]\b", ip("netns", "list", check=False), re.MULTILINE):
        if not os.path.exists(f"/proc/{name[len(PREFIX):-1]}"):
            ip("netns", "delete", name, check=False)


def why_not():
    """None, or what is missing here."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    for tool in ("ip", "unshare"):
        if shutil.which(tool) is None:
            return f"{tool} is missing: install iproute2 and util-linux (scripts/install-deps.sh --tests)"
    remove_leftovers()
    name = f"{PREFIX}{os.getpid()}a"
    try:
        ip("netns", "add", name)
        ip("link", "add", f"{name}v", "netns", name, "type", "veth", "peer", "name", f"{name}w", "netns", name)
        subprocess.run(["ip", "netns", "exec", name, *APART, "true"], check=True, capture_output=True, timeout=30)
    except subprocess.CalledProcessError as error:
        return f"{' '.join(error.cmd)}: {error.stderr.strip()}"
    finally:
        ip("netns", "delete", name, check=False)
    return None


class Namespaces(ToolTest):
    def setUp(self):
        self.hosts = [f"{PREFIX}{os.getpid()}{side}" for side in "ab"]
        self.addresses = ["10.213.77.1", "10.213.77.2"]
        for host in self.hosts:
            ip("netns", "add", host)
            self.addCleanup(ip, "netns", "delete", host, check=False)
        a, b = self.hosts
        ip("link", "add", a, "netns", a, "type", "veth", "peer", "name", b, "netns", b)
        for host, address in zip(self.hosts, self.addresses):
            ip("-n", host, "address", "add", f"{address}/30", "dev", host)
            ip("-n", host, "link", "set", "lo", "up")
            ip("-n", host, "link", "set", host, "up")
        for host in self.hosts:  # the carrier comes a moment later, and UCX counts interfaces once
            wait_until(lambda h=host: "state UP" in ip("-n", h, "link", "show", h), "the interfaces")

    def run_at(self, host, *command, apart=(), stdin=subprocess.DEVNULL, **environment):
        return Process(self, ["ip", "netns", "exec", self.hosts[host], *apart, *command], stdin=stdin,
                       TC_LISTEN_ANY="yes", TC_LOG_LEVEL="info", **environment)

    def node_at(self, host, **more):
        node = self.run_at(host, self.tool("tc-node"), "--listen", f"{self.addresses[host]}:{PORT}", **more)
        node.wait_for_line("listening at")
        return node

    def send_to(self, host, *arguments, **more):
        return self.run_at(1 - host, self.tool("tc-send"), f"{self.addresses[host]}:{PORT}", self.function("transcript"),
                           *arguments, **more)

    def exchange(self, delivery, **more):
        node = self.node_at(0, **more)
        for text in ("first", "second"):
            sender = self.send_to(0, "--text", text, "--count", 500, **more).expect(0)
            self.assertRegex(sender.err, f"open, {delivery} to")
            self.assertEqual(len(re.findall(rf":{text}$", node.out, re.MULTILINE)), 500)
        return node

    def test_two_hosts(self):
        node = self.exchange("am", UCX_TLS="tcp,self")
        node.signal(2)
        node.expect(0)
        self.assertIn("1000 messages run, 0 dropped, 1 functions received, 0 refused, 2 peers, 0 failed", node.out)

    def test_puts_between_two_hosts(self):
        self.exchange("put", UCX_TLS="tcp,self", TC_DELIVERY="put")

    def test_mixed_messages_both_ways(self):
        """Sizes from none to several frames, from both hosts at once."""
        environment = {"UCX_TLS": "tcp,self", "TC_IFUNC_PATH": self.functions,
                       "TC_ENGINE_PATH": os.path.join(os.path.dirname(self.tools), "lib")}
        targets, sources = [], []
        for host, address in enumerate(self.addresses):
            targets.append(self.run_at(host, self.peer(), "tally", f"{address}:{PORT}", stdin=subprocess.PIPE, **environment))
            wait_until(lambda t=targets[-1]: "port " in t.out or not t.running(), "a target")
        for host in (0, 1):
            sources.append(self.run_at(1 - host, self.peer(), "source", f"{self.addresses[host]}:{PORT}", 0, 5000, "mixed",
                                       stdin=subprocess.PIPE, **environment))
        for process in sources:
            wait_until(lambda p=process: "flushed 5000" in p.out or not p.running(), "the messages")
            process.process.stdin.close()
            process.expect(0)
        for process in targets:
            process.process.stdin.close()
            process.expect(0)
            self.assertIn("next 5000\n", process.out)
            self.assertIn("wrong 0\n", process.out)

    def test_a_host_that_goes_away(self):
        node = self.node_at(0, UCX_TLS="tcp,self")
        stream = self.send_to(0, "--text", "x", "--count", 10 ** 12, UCX_TLS="tcp,self")
        wait_until(lambda: node.out_size() > 1000 or not stream.running(), "the first messages")
        node.kill()
        wait_until(lambda: not stream.running(), "an end of the source")
        if stream.died_of_ucx():
            self.skipTest("UCX's wireup defect ended the source")
        stream.expect(1, "peer lost")

    def test_memory_that_is_not_shared(self):
        """Both are process 1 of their own, and neither sees the other's memory: the choice is left to the library."""
        self.exchange("am", apart=APART)

    def test_namespaces_that_share_something(self):
        """Whatever way is chosen, it has to work."""
        self.exchange("(direct|am)").kill()
        self.exchange("(direct|am)", apart=["unshare", "--ipc"])


if __name__ == "__main__":
    reason = why_not()
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    main()
