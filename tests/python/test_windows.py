#!/usr/bin/env python3
"""Windows: memory of one process that another reads and changes by operations; and mistakes of both."""
import array
import asyncio
import os
import pickle
import threading
import unittest

import tchains
from python_case import Process, main
from tchains import Condition, GlobalPointer, Rights, Step
from tchains._binding import ffi, lib
from window_case import ALL, IDENTITY, TIMEOUT, WindowCase

WORD_MAX = 2**64 - 1


class Pointers(unittest.TestCase):
    """Global pointers by themselves."""

    def test_their_bytes_are_those_of_c(self):
        for rank in (None, 0, 7):
            pointer = GlobalPointer(3, 9, rank, 2**40 + 5)
            self.assertEqual(bytes(pointer), bytes(ffi.buffer(ffi.new("tc_gptr *", pointer.fields()))))
            self.assertEqual(GlobalPointer.from_bytes(bytes(pointer)), pointer)
            self.assertEqual(GlobalPointer.from_bytes(bytearray(bytes(pointer))), pointer)
            self.assertEqual(pickle.loads(pickle.dumps(pointer)), pointer)
        self.assertFalse(GlobalPointer.from_bytes(bytes(16)))
        for wrong in (b"", bytes(15), bytes(17)):
            with self.assertRaisesRegex(tchains.Invalid, f"of {len(wrong)} bytes, expected 16"):
                GlobalPointer.from_bytes(wrong)

    def test_they_count_bytes(self):
        pointer = GlobalPointer(1, 2, None, 100)
        self.assertEqual((pointer + 8).offset, 108)
        self.assertEqual(8 + pointer, pointer + 8)
        self.assertEqual(pointer - 100, pointer.at(0))
        self.assertEqual((pointer + 24) - pointer, 24)
        self.assertEqual(len({pointer, pointer + 0, pointer + 1}), 2)
        self.assertLess(pointer, pointer + 1)
        self.assertLess(pointer, GlobalPointer(2, 1, 0))
        self.assertEqual(repr(pointer), "GlobalPointer(window=1, generation=2, rank=None, offset=100)")

    def test_numbers_outside_their_limits_are_refused(self):
        pointer = GlobalPointer(1, 2, None, 100)
        for wrong in (lambda: pointer - 101, lambda: pointer + 2**64, lambda: GlobalPointer(2**16, 1, None),
                      lambda: GlobalPointer(1, -1, None), lambda: GlobalPointer(1, 1, 2**32 - 1), lambda: GlobalPointer(1, 1, None, -1)):
            with self.assertRaisesRegex(tchains.Invalid, r"is -?\d+, expected 0 to \d+"):
                wrong()
        with self.assertRaisesRegex(tchains.Invalid, "two windows"):
            _ = pointer - GlobalPointer(2, 2, None, 100)
        for wrong in (lambda: pointer + 1.5, lambda: pointer + "1", lambda: pointer < 5, lambda: GlobalPointer(1.0, 1, None)):
            with self.assertRaises(TypeError):
                wrong()


class Operations(WindowCase):
    """Each of them, alone and in chains."""

    def test_gets_and_puts(self):
        memory = bytearray(range(64))
        window = self.window(memory)
        pointer = window.pointer
        self.assertEqual(self.peer.get(pointer + 3, 5), bytes(range(3, 8)))
        self.assertIsNone(self.peer.put(pointer + 10, b"python"))
        self.assertEqual(memory[9:17], b"\x09python\x10")
        self.assertEqual(window.memory[10:16], b"python")
        self.peer.put(pointer, array.array("d", [1.5, 2.5]))
        into = array.array("d", [0, 0, 7])
        self.assertEqual(self.peer.get(pointer, 16, into=into), 16)
        self.assertEqual(into.tolist(), [1.5, 2.5, 7])
        self.assertEqual(self.peer.get(pointer + 48, into=(rest := bytearray(16))), 16)
        self.assertEqual(rest, bytes(range(48, 64)))

    def test_words(self):
        pointer = self.window(64).pointer
        self.assertEqual(self.peer.fetch_add(pointer, WORD_MAX), 0)
        self.assertEqual(self.peer.fetch_add(pointer, 3), WORD_MAX)
        self.assertEqual(self.peer.fetch_add(pointer, -2), 2)
        self.assertEqual(self.peer.compare_swap(pointer, 5, 9), 0)
        self.assertEqual(self.peer.compare_swap(pointer, 0, 0xff00), 0)
        self.assertEqual(self.peer.masked_compare_swap(pointer, 0, 0xff, 0xa5a5, 0xf0f), 0xff00)
        self.assertEqual(self.peer.masked_compare_swap(pointer, 1, 0xff, 0, WORD_MAX), 0xf505)
        self.assertEqual(self.peer.get(pointer, 8), (0xf505).to_bytes(8, "little"))

    def test_an_arena(self):
        arena = self.window(256, arena_begin=100).pointer
        first = self.peer.allocate(arena + 40, 20)
        self.assertEqual(first, arena + 112)
        self.assertEqual(self.peer.allocate(arena, 1), arena + 144)
        self.peer.put(arena, first.offset.to_bytes(8, "little"))
        self.peer.put(first + 4, b"indirect")
        self.assertEqual(self.peer.get_indirect(arena, 8, skip=4), b"indirect")
        self.assertEqual(self.peer.get_indirect(arena, skip=4, into=(into := bytearray(8))), 8)
        self.assertEqual(into, b"indirect")
        with self.assertRaisesRegex(tchains.NoMemory, "of 256 left"):
            self.peer.allocate(arena, 200)

    def test_a_chain(self):
        pointer = self.window(256, arena_begin=64).pointer
        claim = [Step.compare_swap(pointer, 0, 1),
                 Step.put(pointer + 8, b"mine", condition=Condition.IF_SUCCEEDED),
                 Step.get(pointer + 8, 4, condition=Condition.IF_FAILED)]
        self.assertEqual(self.peer.chain(claim), ((0, None, None), (True, True, False)))
        results, succeeded = self.peer.chain(claim)
        self.assertEqual(results, (1, None, b"mine"))
        self.assertEqual(succeeded, (False, False, True))

    def test_a_chain_takes_offsets_from_results(self):
        pointer = self.window(256, arena_begin=64).pointer
        made = self.peer.chain([Step.allocate(pointer, 32), Step.put(pointer + 8, b"new", base=0), Step.get(pointer + 8, 3, base=0),
                                Step.fetch_add(pointer, 5)])
        self.assertEqual(made.results, (pointer + 64, None, b"new", 0))
        self.assertEqual(made.succeeded, (True,) * 4)
        most = self.peer.chain(Step.fetch_add(pointer, 1) for _ in range(16))
        self.assertEqual(most.results, tuple(range(5, 21)))

    def test_the_largest_ones(self):
        size = 512 << 10
        window = self.window(size)
        data = os.urandom(size)
        self.peer.put(window.pointer, data, timeout=TIMEOUT)
        self.assertEqual(bytes(window.memory), data)
        self.assertEqual(self.peer.get(window.pointer, size), data)

    def test_many_are_started(self):
        window = self.window(64)
        heard = []
        started = [self.peer.start_fetch_add(window.pointer, 1) for _ in range(200)]
        for operation in started:
            operation.add_done_callback(heard.append)
        self.assertEqual([operation.result(TIMEOUT) for operation in started], list(range(200)))
        self.assertEqual(len(heard), 200)
        self.assertTrue(started[0].done())
        self.assertIsNone(started[0].exception())
        self.assertFalse(started[0].cancel())
        data = bytearray(b"kept")
        put = self.peer.start_put(window.pointer, data)
        data += b" and longer"  # it was copied
        put.result()
        self.assertEqual(self.peer.start_get(window.pointer, 8).result(), b"kept" + bytes(4))

    def test_asyncio(self):
        memory = bytearray(64)
        owner = self.opened_context()  # served by the same loop
        port = owner.listen()
        window = owner.window(memory, ALL, identity=IDENTITY)

        async def both():
            async with tchains.serving(owner):
                connecting = asyncio.to_thread(self.context.connect, f"127.0.0.1:{port}", TIMEOUT)
                peer = await connecting
                counted = await asyncio.gather(*(peer.fetch_add_async(window.pointer, 1) for _ in range(20)),
                                               peer.start_fetch_add(window.pointer, 1))
                await peer.put_async(window.pointer + 8, b"loop")
                result = await peer.chain_async([Step.get(window.pointer + 8, 4)], timeout=TIMEOUT)
                with self.assertRaises(tchains.Invalid):
                    await peer.get_async(window.pointer + 64, 1)
                task = asyncio.ensure_future(peer.get_async(window.pointer, 8))
                await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                return counted, result.results, await peer.get_async(window.pointer, 1)
        counted, results, newest = asyncio.run(both())
        self.assertEqual(sorted(counted), list(range(21)))
        self.assertEqual((results, newest), ((b"loop",), b"\x15"))

    def test_threads(self):
        window = self.window(64)
        threads = [threading.Thread(target=lambda: [self.peer.fetch_add(window.pointer, 1) for _ in range(25)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT)
        self.assertEqual(self.peer.fetch_add(window.pointer, 0), 100)


class Refusals(WindowCase):
    """Mistakes, found here or by the owner."""

    def test_sizes_and_numbers(self):
        pointer = self.window(64).pointer
        for wrong, status, text in (
                (lambda: self.peer.get(pointer, -1), tchains.Invalid, "size is -1, expected 1 to"),
                (lambda: self.peer.get(pointer, 0), tchains.Invalid, "size is 0, expected 1 to"),
                (lambda: self.peer.get(pointer, 2**70), tchains.Invalid, "expected 1 to"),
                (lambda: self.peer.get(pointer, (512 << 10) + 1), tchains.TooLarge, "524289 bytes, expected 524288"),
                (lambda: self.peer.get(pointer, 9, into=bytearray(8)), tchains.Invalid, "size is 9, expected 1 to 8"),
                (lambda: self.peer.get(pointer, into=bytearray()), tchains.Invalid, "size of `into` is 0"),
                (lambda: self.peer.get(pointer, into=bytearray(1 << 20)), tchains.TooLarge, "expected 524288"),
                (lambda: self.peer.put(pointer, b""), tchains.Invalid, "size is 0"),
                (lambda: self.peer.put(pointer, bytes(1 << 20)), tchains.TooLarge, "1048576 bytes, expected 524288"),
                (lambda: self.peer.get_indirect(pointer, 8, skip=-1), tchains.Invalid, "offset is -1"),
                (lambda: self.peer.fetch_add(pointer, 2**64), tchains.Invalid, "value is"),
                (lambda: self.peer.compare_swap(pointer, -1, 0), tchains.Invalid, "expected is -1"),
                (lambda: self.peer.allocate(pointer, -5), tchains.Invalid, "size is -5"),
                (lambda: self.peer.get(pointer, 8, timeout=-1), ValueError, "not below 0"),
                (lambda: self.peer.chain([]), tchains.TooLarge, "0 steps, expected 1 to 16"),
                (lambda: self.peer.chain([Step.get(pointer, 1)] * 17), tchains.TooLarge, "17 steps, expected 1 to 16"),
                (lambda: self.peer.chain([Step.get(pointer, 400 << 10)] * 2), tchains.TooLarge, "819200 bytes to get"),
                (lambda: self.peer.chain([Step.put(pointer, bytes(400 << 10))] * 2), tchains.TooLarge, "bytes to put"),
                (lambda: Step.get(pointer, 8, base=16), tchains.Invalid, "base is 16, expected 0 to 15"),
                (lambda: self.peer.chain([Step.get(pointer, 8, base=0)]), tchains.Invalid, "expected an earlier one"),
                (lambda: self.peer.chain([Step.get(pointer, 8, condition=Condition.IF_FAILED)]), tchains.Invalid, "there is none")):
            with self.assertRaisesRegex(status, text):
                wrong()
        for wrong in (lambda: self.peer.get(pointer, 1.5), lambda: self.peer.get(pointer), lambda: self.peer.get(bytes(16), 8),
                      lambda: self.peer.put(pointer, "text"), lambda: self.peer.put(pointer, 5), lambda: self.peer.chain([pointer]),
                      lambda: self.peer.get(pointer, into=b"read only"), lambda: self.peer.put(pointer, memoryview(bytes(8))[::2])):
            with self.assertRaises(TypeError):
                wrong()

    def test_the_owner_refuses(self):
        window = self.window(b"only to be read", Rights.READ)
        pointer = window.pointer
        self.assertEqual(self.peer.get(pointer + 8, 7), b"be read")
        other = self.owner.window(8, Rights.READ, identity="uid:of nobody").pointer
        for wrong, status, text in (
                (lambda: self.peer.put(pointer, b"x"), tchains.Refused, "rights 0x1, expected 0x2"),
                (lambda: self.peer.fetch_add(pointer, 1), tchains.Refused, "rights 0x1, expected 0x4"),
                (lambda: self.peer.allocate(pointer, 1), tchains.Refused, "rights 0x1, expected 0x8"),
                (lambda: self.peer.get(other, 1), tchains.Refused, "not open to this peer"),
                (lambda: self.peer.get(pointer + 15, 1), tchains.Invalid, "within the 15 of window"),
                (lambda: self.peer.get(pointer + WORD_MAX, 1), tchains.Invalid, "within the 15 of window"),
                (lambda: self.peer.fetch_add(self.window(64).pointer + 4, 1), tchains.Invalid, "a multiple of 8"),
                (lambda: self.peer.get(GlobalPointer.from_bytes(bytes(16)), 1), tchains.NotFound, "is not open")):
            with self.assertRaisesRegex(status, text):
                wrong()

    def test_a_window_without_its_parts(self):
        group = self.owner.join()
        for wrong, status, text in (
                (lambda: self.owner.window(8), tchains.Invalid, "no peer, group or identity"),
                (lambda: self.window(0), tchains.Invalid, "size is 0"),
                (lambda: self.window(-8), tchains.Invalid, "size is -8"),
                (lambda: self.window(bytearray()), tchains.Invalid, "size is 0"),
                (lambda: self.window(8, 0), tchains.Invalid, "rights is 0"),
                (lambda: self.window(8, 16), tchains.Invalid, "expected some of 0xf"),
                (lambda: self.window(8, arena_begin=9), tchains.Invalid, "an arena from 9"),
                (lambda: self.window(8, arena_begin=-1), tchains.Invalid, "arena_begin is -1"),
                (lambda: self.window(memoryview(bytearray(16))[1:9]), tchains.Invalid, "a multiple of 8"),
                (lambda: self.owner.window(8, identity="a\0b"), tchains.Invalid, "without zeros"),
                (lambda: self.owner.window(8, endpoint=self.peer), tchains.Invalid, "another context"),
                (lambda: self.context.window(8, group=group), tchains.Invalid, "another context"),
                (lambda: self.owner.window(8, endpoint=group), TypeError, "expected an endpoint"),
                (lambda: self.owner.window(8, group=self.peer), TypeError, "expected a group"),
                (lambda: self.window("text"), TypeError, "bytes-like"),
                (lambda: self.window(b"read only"), TypeError, "can be written, for the rights"),
                (lambda: self.window(bytearray(8), shared=True), TypeError, "expected its size"),
                (lambda: self.window(memoryview(bytearray(16))[::2]), TypeError, "contiguous")):
            with self.assertRaisesRegex(status, text):
                wrong()
        self.assertEqual(self.owner.turn.windows, {})

    def test_a_peer_without_windows(self):
        context, node = self.connected()
        with self.assertRaisesRegex(tchains.NotFound, "the peer has no windows"):
            node.get(GlobalPointer(0, 1, None), 8, timeout=TIMEOUT)
        self.assertEqual(context.turn.windows, {})


class Groups(WindowCase):
    """Members under tc-run."""

    def test_members_use_windows_of_one_another(self):
        program = ("import os, tchains\n"
                   "with tchains.Context() as context, context.join() as group:\n"
                   "    window = context.window(64, 15, group=group)\n"
                   "    assert window.pointer.rank == group.rank\n"
                   "    group.barrier()\n"
                   "    first = tchains.GlobalPointer(0, 1, 0)\n"
                   "    group[first.rank].fetch_add(first, 1 + group.rank)\n"
                   "    group.barrier()\n"
                   "    assert group[0].fetch_add(first, 0) == 6\n"
                   "    group.barrier()\n"
                   "    os.write(1, b'r')\n")
        job = Process(self, [self.tool("tc-run"), "-n", 3, os.sys.executable, "-B", "-c", program],
                      PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)
        self.assertEqual(job.out, "rrr")

    def test_an_endpoint_is_a_name(self):
        """The owner connects, and opens the window to that peer alone."""
        port = self.context.listen()
        self.serve(self.context)
        to_peer = self.owner.connect(f"127.0.0.1:{port}", timeout=TIMEOUT)
        with self.owner.window(64, ALL, endpoint=to_peer) as window:
            with self.assertRaisesRegex(tchains.Refused, "not open to this peer"):
                self.peer.get(window.pointer, 8)
        to_peer.close()
        with self.assertRaisesRegex(tchains.Closed, "the endpoint is closed"):
            self.owner.window(64, ALL, endpoint=to_peer)
        self.assertEqual(lib.TC_RANK_NONE, window.pointer.fields()[2])


if __name__ == "__main__":
    main()
