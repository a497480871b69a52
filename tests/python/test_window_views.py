#!/usr/bin/env python3
"""Windows that peers map: words as instructions, rights, and memory that outlives windows, views and contexts."""
import gc
import os
import signal
import threading

import tchains
from python_case import Process, main, wait_until
from tchains import GlobalPointer, Rights
from window_case import ALL, IDENTITY, TIMEOUT, WindowCase

WORD_MAX = 2**64 - 1


class Views(WindowCase):
    """A view of a shared window of the owner's."""

    def setUp(self):
        super().setUp()
        self.shared = self.window(4096, shared=True)

    def test_words(self):
        with self.peer.map(self.shared.pointer + 8) as view:
            self.assertEqual((view.size, view.rights, view.pointer), (4096, ALL, self.shared.pointer))
            view.put(8, WORD_MAX)
            self.assertEqual(view.fetch_add(8, 3), WORD_MAX)
            self.assertEqual(view.fetch_add(8, -2), 2)
            self.assertEqual(view.compare_swap(8, 1, 7), 0)
            self.assertEqual(view.compare_swap(8, 0, 7), 0)
            self.assertEqual(view.get(self.shared.pointer + 8), 7)
            self.assertEqual(self.peer.fetch_add(self.shared.pointer + 8, 1), 7)
            self.assertEqual(self.shared.memory[8], 8)
            view.put(4088, 1)
            self.assertEqual(view.memory[4088:], self.shared.memory[4088:])
        with self.assertRaisesRegex(tchains.Closed, "the view is closed"):
            view.get(8)

    def test_offsets_outside_are_refused(self):
        view = self.peer.map(self.window(4100, shared=True).pointer)
        self.assertEqual(view.size, 4100)
        for offset in (4, 4096, 4100, 2**63, WORD_MAX, WORD_MAX - 7):
            for use in (lambda: view.get(offset), lambda: view.put(offset, 1), lambda: view.fetch_add(offset, 1),
                        lambda: view.compare_swap(offset, 0, 1)):
                with self.assertRaisesRegex(tchains.Invalid, f"offset {offset}, expected a multiple of 8 .* 4100 bytes"):
                    use()
        for use, text in ((lambda: view.get(-8), "offset is -8"), (lambda: view.put(0, 2**64), "value is"),
                          (lambda: view.get(self.shared.pointer), "another window"),
                          (lambda: view.compare_swap(0, -1, 0), "expected is -1")):
            with self.assertRaisesRegex(tchains.Invalid, text):
                use()
        with self.assertRaises(TypeError):
            view.get(1.5)
        self.assertEqual(bytes(view.memory), bytes(4100))

    def test_rights(self):
        view = self.peer.map(self.window(64, Rights.READ, shared=True).pointer)
        self.assertEqual(view.get(0), 0)
        self.assertTrue(view.memory.readonly)
        for use in (lambda: view.put(0, 1), lambda: view.fetch_add(0, 1), lambda: view.compare_swap(0, 0, 1)):
            with self.assertRaisesRegex(tchains.Invalid, "with the rights READ, expected"):
                use()
        with self.assertRaises(TypeError):
            view.memory[0] = 1
        blind = self.peer.map(self.window(64, Rights.WRITE | Rights.ATOMIC, shared=True).pointer)
        blind.put(0, 5)
        self.assertEqual(blind.fetch_add(0, 1), 5)
        for use in (lambda: blind.get(0), lambda: blind.memory):
            with self.assertRaisesRegex(tchains.Invalid, "expected READ"):
                use()

    def test_some_windows_are_not_mapped(self):
        refused = self.owner.window(64, identity="uid:of nobody", shared=True)
        for pointer, status, text in ((self.window(64).pointer, tchains.Invalid, "opened as shared"),
                                      (refused.pointer, tchains.Refused, "not open to this peer"),
                                      (GlobalPointer(99, 1, None), tchains.NotFound, "is not open")):
            with self.assertRaisesRegex(status, text):
                self.peer.map(pointer)
        with self.assertRaises(TypeError):
            self.peer.map(bytes(16))

    def test_memory_outlives_what_it_is_of(self):
        view, again = self.peer.map(self.shared.pointer), self.peer.map(self.shared.pointer)
        seen, own = view.memory, self.shared.memory
        view.put(0, 5)
        view.close()
        view.close()
        self.assertEqual(again.get(0), 5)
        self.shared.close()
        with self.assertRaises(tchains.Closed):
            self.shared.memory  # pylint: disable=pointless-statement
        with self.assertRaises(tchains.NotFound):
            self.peer.map(self.shared.pointer)
        again.put(0, 6)
        self.assertEqual((seen[0], own[0]), (6, 6))
        self.context.close()
        with self.assertRaisesRegex(tchains.Closed, "the context is closed"):
            again.get(0)
        del again, view
        gc.collect()
        seen[0] = 7
        self.assertEqual(own[0], 7)

    def test_a_view_is_closed_while_threads_use_it(self):
        view, ended = self.peer.map(self.shared.pointer), []
        self.addCleanup(view.close)

        def count():
            try:
                while True:
                    view.fetch_add(0, 1)
            except tchains.Closed as error:
                ended.append(error)
        threads = [threading.Thread(target=count) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: self.shared.memory[1] > 0, "256 additions", seconds=TIMEOUT)
        view.close()
        for thread in threads:
            thread.join(TIMEOUT)
        self.assertEqual(len(ended), 3)

    def test_a_child_of_a_fork(self):
        view = self.peer.map(self.shared.pointer)
        child = os.fork()
        if child == 0:
            try:
                view.put(0, 9)
            except tchains.Invalid as error:
                view.close()
                os._exit("this is its child" in str(error))
            os._exit(3)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)
        self.assertEqual(view.fetch_add(0, 1), 0)


class Processes(WindowCase):
    """Owners and peers as processes."""

    def test_processes_count_together(self):
        shared = self.window(64, shared=True)
        program = ("import sys, tchains\n"
                   "with tchains.Context() as context, context.connect(sys.argv[1], timeout=60) as peer:\n"
                   "    with peer.map(tchains.GlobalPointer.from_bytes(bytes.fromhex(sys.argv[2]))) as view:\n"
                   "        for _ in range(1000):\n"
                   "            view.fetch_add(8, 1)\n")
        others = [self.python("-c", program, f"127.0.0.1:{self.port}", bytes(shared.pointer).hex()) for _ in range(2)]
        for other in others:
            other.expect(0)
        self.assertEqual(self.peer.fetch_add(shared.pointer + 8, 0), 2000)

    def test_a_slow_owner(self):
        process, _context, peer, pointer = self.owner_process(kind="shared")
        self.assertEqual(peer.get(pointer, 1), b"\0")
        process.signal(signal.SIGSTOP)
        with self.assertRaises(tchains.Timeout):
            peer.map(pointer, timeout=0.2)
        threading.Timer(0.3, process.signal, (signal.SIGCONT,)).start()
        self.assertEqual(peer.map(pointer, timeout=TIMEOUT).get(0), 0)

    def test_the_owner_dies(self):
        process, _context, peer, pointer = self.owner_process(kind="shared")
        view = peer.map(pointer)
        view.put(0, 4)
        process.kill()
        self.assertEqual(view.fetch_add(0, 1), 4)
        self.assertEqual(view.memory[0], 5)

    def test_an_interrupt_ends_mapping(self):
        process, _context, peer, pointer = self.owner_process(kind="shared")
        self.assertEqual(peer.get(pointer, 1), b"\0")
        process.signal(signal.SIGSTOP)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            peer.map(pointer, timeout=600)
        timer.join()
        process.signal(signal.SIGCONT)
        self.assertEqual(peer.map(pointer).get(0), 0)

    def test_a_member_maps(self):
        program = ("import os, tchains\n"
                   "with tchains.Context() as context, context.join() as group:\n"
                   "    window = context.window(64, 7, group=group, shared=True)\n"
                   "    group.barrier()\n"
                   "    if group.rank == 1:\n"
                   "        group[0].map(tchains.GlobalPointer(0, 1, 0)).put(0, 44)\n"
                   "    group.barrier()\n"
                   "    os.write(1, b'%d.' % window.memory[0])\n")
        job = Process(self, [self.tool("tc-run"), "-n", 2, os.sys.executable, "-B", "-c", program],
                      PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)
        self.assertIn(job.out, ("44.0.", "0.44."))

    def test_identities_are_those_that_are_shown(self):
        port = self.context.listen()
        self.serve(self.context)
        self.assertEqual(self.owner.connect(f"127.0.0.1:{port}", timeout=TIMEOUT).info()["peer_identity"], IDENTITY)


if __name__ == "__main__":
    main()
