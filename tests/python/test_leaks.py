#!/usr/bin/env python3
"""A process holds the same resources after hundreds of contexts, endpoints, functions and calls as after the first few."""
import collections
import gc
import os
import re
import threading
import time

import tchains
from python_case import PythonCase, main

FIRST_ROUNDS, ROUNDS = 10, 200
# The C library may take some more memory of its own at any time.
MAY_GROW = collections.Counter({"anonymous mappings": 8})


def held(pid):
    """The data of /proc: descriptors and mapped files by their names, without numbers; shared memory; threads."""
    found = collections.Counter({"threads": len(os.listdir(f"/proc/{pid}/task"))})
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found["descriptors of " + re.sub(r"\d+", "N", os.readlink(f"/proc/{pid}/fd/{name}"))] += 1
        except FileNotFoundError:  # of the list itself
            pass
    with open(f"/proc/{pid}/maps", encoding="utf-8") as lines:
        for line in lines:
            name = line.split(None, 5)[5:]
            is_file = name and not name[0].startswith("[")
            found["mappings of " + re.sub(r"\d+", "N", name[0].strip()) if is_file else "anonymous mappings"] += 1
    with open("/proc/sysvipc/shm", encoding="utf-8") as lines:
        found["shared memory segments"] = sum(row.split()[4] == str(pid) for row in list(lines)[1:])
    return found


class Leaks(PythonCase):
    """A few hundred rounds in one process, and its and its node's resources afterwards."""

    def setUp(self):
        self.target = self.node()

    def held(self):
        gc.collect()
        return [held(pid) for pid in (os.getpid(), self.target.pid)]

    def rounds(self, one_round, count=ROUNDS):
        for _ in range(FIRST_ROUNDS):
            one_round()
        before = self.held()
        for _ in range(count):
            one_round()

        def more():
            return [dict(found - expected - MAY_GROW) for found, expected in zip(self.held(), before)]
        # The other one releases shared memory when it is notified of the end.
        until = time.monotonic() + 30
        while any(more()) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(more(), [{}, {}])

    def test_what_is_closed_is_given_back(self):
        whoami = self.shipped("whoami")

        def one_round():
            with tchains.Context() as context:
                self.assertEqual(len(context.connect(self.target.address, timeout=60).call(context.open_file(whoami))), 12)
        self.rounds(one_round)

    def test_what_is_dropped_is_given_back(self):
        """Endpoints and functions of one context, which are not closed."""
        with tchains.Context() as context:
            whoami = context.open_file(self.shipped("whoami")).archive()

            def one_round():
                context.connect(self.target.address, timeout=60).call(context.open_archive(whoami))
            self.rounds(one_round)

    def test_windows_are_given_back(self):
        """Windows, views and their memory, of two contexts that stay."""
        with tchains.Context() as owner, tchains.Context() as context:
            port, over = owner.listen(), threading.Event()
            serving = threading.Thread(target=owner.serve, kwargs={"until": over.is_set})
            serving.start()
            peer = context.connect(f"127.0.0.1:{port}", timeout=60)

            def one_round():
                with owner.window(1 << 16, 15, identity=f"uid:{os.getuid()}", shared=True) as window:
                    view = peer.map(window.pointer)
                    memory = view.memory
                    view.close()
                    peer.put(window.pointer, bytes(1 << 16))
                    peer.start_get(window.pointer, 1 << 16)
                self.assertEqual(memory[0], 0)
                with owner.window(bytearray(1 << 16), identity=f"uid:{os.getuid()}") as window:
                    self.assertEqual(peer.get(window.pointer, 1), bytes(1))
            try:
                self.rounds(one_round, count=30)  # each waits for the turn of the thread that serves
            finally:
                over.set()
                serving.join()


if __name__ == "__main__":
    main()
