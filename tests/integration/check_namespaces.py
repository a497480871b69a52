#!/usr/bin/env python3
"""Two hosts on one machine: network namespaces with an address each, joined by a pair of virtual interfaces.

    check_namespaces.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]

Needs root, ip and unshare; exits with 77 and the reason where it cannot work. All names begin with tcns and this process's
id; leftovers of a killed earlier run are removed first.
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

from tool_process import ENDLESS, Process, ToolTest, main, wait_until

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
    """None, or the part that is missing here."""
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


class Hosts(ToolTest):
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
                       TC_LOG_LEVEL="info", **environment)


class Namespaces(Hosts):
    def run_at(self, *arguments, **more):
        return super().run_at(*arguments, TC_LISTEN_ANY="yes", **more)

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
        node = self.exchange("stream", UCX_TLS="tcp,self")
        self.stop(node)

    def test_ucx_between_two_hosts(self):
        self.stop(self.exchange("am", TC_DELIVERY="am", UCX_TLS="tcp,self"))

    def test_a_source_that_asks_for_ucx(self):
        """As the HELLO of an earlier release, it offers no connection: the target opens its port for it."""
        node = self.node_at(0)
        self.assertNotIn("UCX's network port is open", node.err)
        sender = self.send_to(0, "--text", "x", TC_DELIVERY="am").expect(0)
        self.assertRegex(sender.err, "open, am to")
        self.assertIn("UCX's network port is open, because a peer of another host has no other way", node.err)

    def stop(self, node):
        node.signal(2)
        node.expect(0)
        self.assertIn("1000 messages run, 0 dropped, 1 functions received, 0 refused, 2 peers, 0 failed", node.out)

    def test_puts_between_two_hosts(self):
        """Without an adapter, where UCX would emulate them."""
        environment = {"UCX_TLS": "tcp,self", "TC_DELIVERY": "put"}
        self.node_at(0, **environment)
        sender = self.send_to(0, "--text", "x", **environment)
        sender.wait()
        self.assertNotEqual(sender.process.returncode, 0)
        self.assertIn("delivery put: no RDMA adapter carries it", sender.err)

    def test_mixed_messages_both_ways(self):
        """Sizes from 0 to several frames, from both hosts at once."""
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
        stream = self.send_to(0, "--text", "x", "--count", ENDLESS, UCX_TLS="tcp,self")
        wait_until(lambda: node.out_size() > 1000 or not stream.running(), "the first messages")
        node.kill()
        wait_until(lambda: not stream.running(), "an end of the source")
        if stream.died_of_ucx():
            self.skipTest("UCX's wireup defect ended the source")
        stream.expect(3, "peer lost")

    def test_memory_that_is_not_shared(self):
        """Both are process 1 of their own, and neither sees the other's memory: the choice is left to the library."""
        node = self.exchange("stream", apart=APART)
        self.assertNotIn("UCX's network port is open", node.err)

    def test_namespaces_that_share_something(self):
        """Whatever way is chosen, it has to work."""
        self.exchange("(direct|stream)").kill()
        self.exchange("(direct|stream)", apart=["unshare", "--ipc"])


class Jobs(Hosts):
    """Jobs over two hosts, which have a key of their own: by PMIx, or its replacement here."""

    def build(self, *parts):
        return os.path.join(os.path.dirname(self.tools), *parts)

    def start_job(self, *arguments, count=2, stdin=subprocess.DEVNULL, **more):
        """Ranks alternate between the hosts; each listens at a port of its own, and cannot map another's memory."""
        folder = self.folder()
        return [self.run_at(rank % 2, self.build("tests", "group", "join_main"), *arguments,
                            apart=APART, stdin=stdin if rank == 0 else subprocess.DEVNULL,
                            PMIX_RANK=str(rank), PMIX_NAMESPACE="job", FAKE_PMIX=folder, FAKE_PMIX_SIZE=str(count),
                            LD_LIBRARY_PATH=self.build("tests", "bootstrap", "fakes"),
                            **{"TC_GROUP_ADDRESS": f"{self.addresses[rank % 2]}:{PORT + rank}", "TC_FORM": "image",
                               "TC_IFUNC_PATH": self.functions, "TC_ENGINE_PATH": self.build("lib"), **more})
                for rank in range(count)]

    def meet(self, *arguments, **more):
        members = self.start_job(*arguments, **more)
        for member in members:
            member.expect(0)
        return members

    def assert_ways(self, members, *expected):
        for member in members:
            self.assertEqual(re.findall(r"^\d+ meets \d+ as '([^']*)' by (\w+)$", member.out, re.MULTILINE), list(expected),
                             member.out + member.err)

    def test_members_on_two_hosts(self):
        members = self.meet()
        self.assert_ways(members, ("job:job", "stream"))
        for member in members:
            self.assertIn("group: members authenticate by the key of job:job", member.err)
            self.assertNotIn("UCX's network port is open", member.err)

    def test_again_with_another_key(self):
        self.assert_ways(self.meet(2), *[("job:job", "stream")] * 2)

    def test_three_members(self):
        self.assert_ways(self.meet(count=3), *[("job:job", "stream")] * 2)

    def test_ucx_carries_messages_when_asked_to(self):
        self.assert_ways(self.meet(TC_DELIVERY="am", UCX_TLS="tcp,self"), ("job:job", "am"))

    def test_who_lets_everybody_in_needs_no_key(self):
        self.assert_ways(self.meet(TC_LISTEN_ANY="yes", UCX_TLS="tcp,self"), ("", "stream"))

    def test_keys_of_the_options_come_first(self):
        self.assert_ways(self.meet(TC_KEY_FILE=self.key_file("cluster")), ("key:cluster", "stream"))

    def test_without_tls(self):
        """Modules are looked for in a folder that has PMIx's alone."""
        folder = self.folder()
        shutil.copy(self.build("lib", "libtchains-pmix.so"), folder)
        for member in self.start_job(TC_ENGINE_PATH=folder):
            member.expect(1)
            self.assertRegex(member.out, "join: TC_E_UNSUPPORTED: members of this job can be reached by others, so they need a "
                                         "key.*listen_any=yes")

    def key_file(self, name):
        path = os.path.join(self.folder(), name)
        with open(path, "w", encoding="ascii", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
            file.write(f"tchains-key {name} {'5a' * 32}\n")
        return path

    def stranger(self, host, **more):
        return self.run_at(host, self.tool("tc-send"), f"{self.addresses[0]}:{PORT}", self.function("transcript"), "--text", "x",
                           **more).expect((1, 3, 4))

    def test_a_stranger_is_refused_and_counted(self):
        members = self.start_job("stay", stdin=subprocess.PIPE)
        wait_until(lambda: "joined" in members[0].out or not members[0].running(), "the group")
        self.assertIn("only members of job:job are taken here", self.stranger(1).err)
        self.assertIn("only members of job:job are taken here", self.stranger(0).err)
        self.assertIn("it has no key of the name", self.stranger(1, TC_KEY_FILE=self.key_file("cluster")).err)
        self.assertIn("key:job, is another", self.stranger(1, TC_KEY_FILE=self.key_file("job")).err)
        members[0].process.stdin.close()
        for member in members:
            member.expect(0)
        self.assertIn("strangers refused: 4\n", members[0].out)

    def test_tc_run_beyond_loopback(self):
        """All on one host, and another can reach them."""
        job = self.run_at(0, self.tool("tc-run"), "-n", 2, "sh", "-c", 'if [ $TC_RUN_RANK = 0 ]; then export TC_GROUP_ADDRESS='
                          f'{self.addresses[0]}:{PORT}; fi; exec "$0" stay', self.build("tests", "group", "join_main"),
                          stdin=subprocess.PIPE, TC_GROUP_ADDRESS=self.addresses[0], TC_FORM="image",
                          TC_IFUNC_PATH=self.functions, TC_ENGINE_PATH=self.build("lib"))
        wait_until(lambda: "joined" in job.out or not job.running(), "the group")
        self.assertIn("only members of job:tc-run-", self.stranger(1).err)
        job.process.stdin.close()
        job.expect(0)
        self.assertIn("strangers refused: 1\n", job.out)
        self.assertEqual(len(re.findall("meets [01] as 'job:tc-run-.*' by direct", job.out)), 2, job.out)


if __name__ == "__main__":
    reason = why_not()
    if reason is not None:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    main()
