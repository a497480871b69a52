#!/usr/bin/env python3
"""Puts where UCX would emulate them, over tcp. A sender that dies can then end the process that gets them, so they are refused,
with a text, by pairs and by groups, and the refused side goes on.

    check_puts.py TOOLS FUNCTIONS ARGS_LIBRARY [CLASS ...]
"""
import os
import re
import subprocess

from tool_process import Process, ToolTest, main, wait_until

EMULATED = {"TC_DELIVERY": "put", "UCX_TLS": "tcp,self"}
TEXT = "delivery put: no RDMA adapter carries it to this peer"
HAS_ADAPTER = os.path.isdir("/sys/class/infiniband") and bool(os.listdir("/sys/class/infiniband"))


class Puts(ToolTest):
    def ucx(self):
        said = Process(self, [self.tool("tc-info")]).expect(0).out
        major, minor = re.search(r"^ucx +(\d+)\.(\d+)", said, re.MULTILINE).groups()
        return int(major), int(minor)

    def setUp(self):
        if HAS_ADAPTER and self.ucx() < (1, 14):
            self.skipTest("an adapter is here, and this UCX cannot tell whether it carries the puts")

    def test_a_pair(self):
        node = self.node(**EMULATED)
        sender = self.send(node.address, "transcript", "--text", "x", **EMULATED)
        sender.wait()
        self.assertNotEqual(sender.process.returncode, 0)
        self.assertIn(TEXT, sender.err)
        # The node goes on, and serves peers that send by other ways.
        node.stop()

    def test_the_peer_that_does_not_ask(self):
        """One side's put is refused there, independent of the connecting side; the other receives the reason."""
        node = self.node(**EMULATED)
        sender = self.send(node.address, "transcript", "--text", "x", UCX_TLS="tcp,self")
        sender.wait()
        self.assertNotEqual(sender.process.returncode, 0)
        self.assertIn("put", sender.err)
        node.stop()

    def members(self, count):
        """Members of a group, each ready for commands."""
        program = os.path.join(os.path.dirname(self.args_library), "integration_member")
        places = {"TC_IFUNC_PATH": self.functions, "TC_ENGINE_PATH": os.path.join(os.path.dirname(self.tools), "lib"),
                  "TC_CONNECT_TIMEOUT": "20s", "TC_CALL_TIMEOUT": "20s"}
        members = [Process(self, [program], stdin=subprocess.PIPE, **places, **EMULATED) for _ in range(count)]
        addresses = []
        for member in members:
            wait_until(lambda m=member: "\n" in m.out or not m.running(), "an address")
            addresses.append(member.out.split("address ", 1)[1].split("\n", 1)[0])
        for rank, member in enumerate(members):
            self.tell(member, f"group {rank} {' '.join(addresses)}", f"joined {rank}")
        return members

    def tell(self, member, line, answer=None):
        member.process.stdin.write(line.encode() + b"\n")
        member.process.stdin.flush()
        if answer:
            wait_until(lambda: answer + "\n" in member.out or not member.running(), f"{answer} of {member}")
            self.assertIn(answer, member.out, member.err)

    def test_a_group(self):
        members = self.members(3)
        self.tell(members[0], "calls 1")
        members[0].wait()
        self.assertIn(TEXT, members[0].err)
        for member in members[1:]:
            self.assertTrue(member.running(), member.err)
            member.process.stdin.close()
            member.expect(0)


if __name__ == "__main__":
    main()
