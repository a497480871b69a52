#!/usr/bin/env python3
"""Windows, and operations under way, when memory, endpoints, contexts and processes end early."""
import gc
import mmap
import os
import signal
import threading
import weakref

import tchains
from python_case import main
from tchains import Rights, Step
from window_case import IDENTITY, TIMEOUT, WindowCase


class Ends(WindowCase):
    """Memory, windows, contexts and processes that end early."""

    def test_memory_stays_while_it_is_open(self):
        memory, mapped = bytearray(64), mmap.mmap(-1, 4096)
        windows = [self.window(memory), self.window(mapped)]
        with self.assertRaises(BufferError):
            memory.extend(bytes(1 << 20))
        with self.assertRaises(BufferError):
            mapped.close()
        self.assertEqual(self.peer.fetch_add(windows[1].pointer + 8, 4), 0)
        self.assertEqual(mapped[8], 4)
        for window in windows:
            window.close()
            window.close()
        memory.extend(bytes(1 << 20))
        mapped.close()
        pointer = windows[0].pointer
        with self.assertRaises(tchains.Closed):
            windows[0].memory  # pylint: disable=pointless-statement
        with self.assertRaisesRegex(tchains.NotFound, "is not open"):
            self.peer.get(pointer, 1)
        again = self.window(64)
        self.assertEqual(again.pointer.window, pointer.window)
        with self.assertRaisesRegex(tchains.NotFound, "is not open"):
            self.peer.put(pointer, b"stale")

    def test_memory_without_other_references_is_kept(self):
        class Memory(bytearray):
            """One that can be watched."""
        memory = Memory(b"kept here")
        watched = weakref.ref(memory)
        window = self.window(memory, Rights.READ)
        pointer = window.pointer
        del memory
        gc.collect()
        self.assertEqual(self.peer.get(pointer, 9), b"kept here")
        window.close()
        del window
        gc.collect()
        self.assertIsNone(watched())

    def test_a_window_stays_open_when_it_is_dropped(self):
        pointer = self.window(bytearray(b"kept here")).pointer
        gc.collect()
        self.owner.progress()
        self.assertEqual(self.peer.get(pointer, 9), b"kept here")

    def test_the_end_of_the_context_is_that_of_its_windows(self):
        owner = tchains.Context()
        memory = bytearray(64)
        with owner.window(memory, identity=IDENTITY) as window:
            owner.close()
            with self.assertRaisesRegex(tchains.Closed, "the context is closed"):
                window.memory  # pylint: disable=pointless-statement
        memory.append(1)
        window.close()
        with self.assertRaises(tchains.Closed):
            owner.window(64, identity=IDENTITY)

    def test_ends_while_operations_are_under_way(self):
        process, context, peer, pointer = self.owner_process()
        port = process.out.split()[0]
        for closed in (peer, context):
            other = context.connect(f"127.0.0.1:{port}", timeout=TIMEOUT) if closed is context else peer
            into = bytearray(512)
            self.assertEqual(other.get(pointer, into=into), 512)
            process.signal(signal.SIGSTOP)
            started = [other.start_get(pointer, into=into) for _ in range(30)]
            going_on = threading.Timer(0.2, process.signal, (signal.SIGCONT,))
            going_on.start()
            closed.close()
            going_on.join()
            self.assertTrue(all(operation.done() for operation in started))
            for operation in started:
                self.assertIsInstance(operation.exception(), (tchains.Closed, type(None)))
            into += bytes(1)
            with self.assertRaises(tchains.Closed):
                other.get(pointer, 1)

    def test_a_deadline(self):
        process, _context, peer, pointer = self.owner_process()
        self.assertEqual(peer.fetch_add(pointer, 1), 0)
        process.signal(signal.SIGSTOP)
        with self.assertRaises(tchains.Timeout):
            peer.get(pointer, 8, timeout=0.1)
        into = bytearray(8)
        late = peer.start_get(pointer, into=into)
        with self.assertRaisesRegex(tchains.Timeout, "still under way"):
            late.result(timeout=0.05)
        self.assertTrue(late.cancel())
        with self.assertRaisesRegex(tchains.Closed, "cancelled"):
            late.result()
        del late
        gc.collect()
        process.signal(signal.SIGCONT)
        self.assertEqual(peer.fetch_add(pointer, 1), 1)
        self.assertEqual(into, bytes(8))

    def test_an_operation_that_found_no_capacity_is_not_done(self):
        process, _context, peer, pointer = self.owner_process(1 << 20)
        steps = [Step.fetch_add(pointer, 1), Step.put(pointer + 8, bytes(256 << 10))]
        accepted = 0
        self.assertEqual(peer.fetch_add(pointer, 0), 0)
        process.signal(signal.SIGSTOP)
        with self.assertRaisesRegex(tchains.Timeout, "at the peer in 0.3 s"):
            for _ in range(1000):
                peer.start_chain(steps, timeout=0.3)
                accepted += 1
        process.signal(signal.SIGCONT)
        self.assertGreater(accepted, 0)
        self.assertEqual(peer.fetch_add(pointer, 0), accepted)

    def test_a_killed_owner(self):
        process, _context, peer, pointer = self.owner_process()
        self.assertEqual(peer.get(pointer, 4), bytes(4))
        process.signal(signal.SIGSTOP)
        started = [peer.start_get(pointer, 8) for _ in range(20)]
        process.kill()
        for operation in started:
            self.assertIsInstance(operation.exception(TIMEOUT), (tchains.PeerLost, tchains.Closed))
        with self.assertRaises((tchains.PeerLost, tchains.Closed)):
            peer.put(pointer, b"x")

    def test_the_end_of_the_interpreter(self):
        """Windows are open, views and operations are under way, a thread serves."""
        program = ("import os, sys, threading, tchains\n"
                   "me = f'uid:{os.getuid()}'\n"
                   "owner = tchains.Context()\n"
                   "port = owner.listen()\n"
                   "windows = [owner.window(bytearray(4096), 15, identity=me), owner.window(4096, 15, identity=me, shared=True)]\n"
                   "threading.Thread(target=owner.serve, daemon=True).start()\n"
                   "context = tchains.Context()\n"
                   "peer = context.connect(f'127.0.0.1:{port}', timeout=60)\n"
                   "peer.put(windows[0].pointer, b'x')\n"
                   "view = peer.map(windows[1].pointer)\n"
                   "memory = view.memory, windows[1].memory\n"
                   "started = [peer.start_get(windows[0].pointer, 512) for _ in range(50)]\n"
                   "os.write(1, b'reached')\n")
        self.assertEqual(self.python("-c", program).expect(0).out, "reached")

    def test_a_child_of_a_fork(self):
        window = self.window(64)
        child = os.fork()
        if child == 0:
            refused = 0
            for attempt in (lambda: window.memory, lambda: self.peer.get(window.pointer, 1), lambda: self.window(64)):
                try:
                    attempt()
                except tchains.Invalid as error:
                    refused += "this is its child" in str(error)
            window.close()
            os._exit(refused)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 3)
        self.assertEqual(self.peer.get(window.pointer, 1), b"\0")

    def test_interrupts_lose_no_operation(self):
        window = self.window(64)
        started = self.started_under_signals(lambda: self.peer.start_fetch_add(window.pointer, 1))
        for operation in started:
            self.assertLess(operation.result(TIMEOUT), 1000)


if __name__ == "__main__":
    main()
