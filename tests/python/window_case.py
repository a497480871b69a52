"""An owner of windows, served by a thread of this process or a process of its own, and a peer of it."""
import os
import signal
import threading

import tchains
from python_case import PythonCase, wait_until
from tchains import Rights

IDENTITY = f"uid:{os.getuid()}"
ALL = Rights.READ | Rights.WRITE | Rights.ATOMIC | Rights.ALLOCATE
TIMEOUT = 60

# An owner as a program: prints its port and its window's pointer, and serves until SIGTERM.
OWNER = """
import os, sys, tchains
with tchains.Context() as context:
    window = context.window(int(sys.argv[1]), int(sys.argv[2]), identity=f"uid:{os.getuid()}", shared=sys.argv[3] == "shared")
    print(context.listen(), bytes(window.pointer).hex(), flush=True)
    context.serve()
"""


class WindowCase(PythonCase):
    """`owner` is served by a thread; `peer` is an endpoint of `context` to it."""

    def setUp(self):
        self.owner = self.opened_context()
        self.port = self.owner.listen()
        self.serve(self.owner)
        self.context = self.opened_context(call_timeout=f"{TIMEOUT}s")
        self.peer = self.context.connect(f"127.0.0.1:{self.port}", timeout=TIMEOUT)

    def opened_context(self, **options):
        context = tchains.Context(**options)
        self.addCleanup(context.close)
        return context

    def serve(self, context):
        """Has a thread run the context's messages until the test is over."""
        over = threading.Event()
        thread = threading.Thread(target=context.serve, kwargs={"until": over.is_set})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(over.set)

    def window(self, memory=4096, rights=ALL, **more):
        """One of the owner's, for this user."""
        return self.owner.window(memory, rights, identity=IDENTITY, **more)

    def owner_process(self, size=4096, rights=ALL, kind="own"):
        """(process, context, endpoint, pointer) of an owner that is a process."""
        process = self.python("-c", OWNER, str(size), str(int(rights)), kind)
        self.addCleanup(lambda: process.running() and process.signal(signal.SIGCONT))
        wait_until(lambda: process.out.endswith("\n") or not process.running(), "a port")
        self.assertTrue(process.running(), process.err)
        port, pointer = process.out.split()
        context = self.opened_context(call_timeout=f"{TIMEOUT}s")
        peer = context.connect(f"127.0.0.1:{port}", timeout=TIMEOUT)
        return process, context, peer, tchains.GlobalPointer.from_bytes(bytes.fromhex(pointer))
