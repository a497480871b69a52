#!/usr/bin/env python3
"""The bindings by themselves, on functions in C: operations, and mistakes of a program."""
import asyncio
import ctypes
import gc
import os
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

import tchains
from python_case import ROOT, Process, PythonCase, main

sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
WHOAMI = struct.Struct("3I")
NOBODY = 2**32 - 1


class Declarations(PythonCase):
    """Headers as cffi reads them."""

    def test_a_header_keeps_what_a_compiler_checks(self):
        import header_cdef
        text = header_cdef.cdef_of("/* why */\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#define TC_TEN 10u\n"
                                   "#define TC_LONG(n) \\\n    n\nTC_MUST_CHECK TC_API int f(int a); // more\n"
                                   "TC_API static inline int g(void)\n{\n    if (1) { return 2; }\n    return 3;\n}\n"
                                   "#ifdef __cplusplus\n}\n#endif\n")
        self.assertEqual(text.split(), "#define TC_TEN ... int f(int a); int g(void);".split())

    def test_every_function_of_the_headers_is_there(self):
        import header_cdef
        from tchains._binding import lib
        for name in ("tc_context_create_for", "tc_call_start", "tc_group_join", "tc_ifunc_open_code", "tc_send"):
            self.assertIn(name + "(", header_cdef.cdef(os.path.join(ROOT, "include")))
            self.assertTrue(callable(getattr(lib, name)))

    def test_without_numba_it_says_what_to_install(self):
        from python_case import Process
        program = "import sys\nsys.modules['numba'] = None\nimport tchains\ntchains.serving\ntchains.ifunc\n"
        said = Process(self, [sys.executable, "-B", "-c", program], PYTHONPATH=os.environ["PYTHONPATH"]).expect(1).err
        self.assertIn("tchains.ifunc needs ", said)
        self.assertIn("numba (Debian: apt install python3-numba; pip: tchains[ifunc])", said)


class Functions(PythonCase):
    """Sending and calling."""

    def test_a_call_gives_the_bytes_of_the_reply(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        self.assertEqual(WHOAMI.unpack(node.call(whoami)), (NOBODY, 0, NOBODY))
        self.assertEqual(whoami.name, "whoami")
        self.assertEqual(len(whoami.id), 32)
        self.assertEqual(len(whoami.archive()), whoami.code_size)
        again = context.open_archive(whoami.archive())
        self.assertEqual(again.id, whoami.id)
        room = bytearray(WHOAMI.size)
        self.assertEqual(node.call(again, into=room), WHOAMI.size)
        self.assertEqual(WHOAMI.unpack(room)[1], 0)
        node.send(whoami, b"payload")
        node.flush()
        self.assertEqual(node.info()["sent_messages"], 3)
        self.assertEqual(context.stats["code_sent"], 1)

    def test_many_calls_are_under_way(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        heard = []
        calls = [node.start(whoami) for _ in range(100)]
        for call in calls:
            call.add_done_callback(heard.append)
        self.assertEqual({call.result() for call in calls}, {WHOAMI.pack(NOBODY, 0, NOBODY)})
        self.assertEqual(len(heard), 100)

    def test_what_a_callback_raises_is_logged(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        heard = []
        call = node.start(whoami)
        call.add_done_callback(lambda _: 1 // 0)
        call.add_done_callback(heard.append)
        with self.assertLogs("tchains") as logged:
            call.result()
        self.assertIn("ZeroDivisionError", logged.output[0])
        call.add_done_callback(heard.append)
        self.assertEqual(heard, [call, call])

    def test_what_does_not_travel_says_how_it_would(self):
        def plain(number):
            return number
        _, node = self.connected()
        for what, words in ((plain, "plain is a plain Python function.*put @tchains.ifunc above"),
                            (lambda number: number, "a lambda has no annotations: write it with `def`"),
                            (len, "len is a plain Python function"), ("echo", "expected a function that travels.*'echo'")):
            for send in node.send, node.call, node.start:
                with self.assertRaisesRegex(TypeError, words):
                    send(what, 1)

    def test_errors_have_the_librarys_text(self):
        with tchains.Context() as context:
            with self.assertRaisesRegex(tchains.NotFound, "TC_E_NOT_FOUND.*nothing_here"):
                context.open("nothing_here")
            with self.assertRaises(LookupError):
                context.open("nothing_here")
            with self.assertRaises(tchains.Unreachable):
                context.connect("127.0.0.1:1")
            with self.assertRaisesRegex(tchains.Error, "TC_E_CORRUPT"):
                context.open_archive(b"not an archive")
        with self.assertRaisesRegex(tchains.NotFound, "no_such_option"):
            tchains.Context(no_such_option=1)
        with self.assertRaisesRegex(tchains.Invalid, "ring_bytes"):
            tchains.Context(ring_bytes=5)

    def test_a_reply_that_has_no_room_says_so(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        with self.assertRaises(tchains.TooLarge):
            node.call(whoami, into=bytearray(4))
        with self.assertRaises(TypeError):
            node.call(whoami, into=b"read only   ")


class Lifetimes(PythonCase):
    """Handles and memory, whenever they are let go."""

    def test_what_is_closed_raises(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        node.close()
        node.close()
        with self.assertRaises(tchains.Closed):
            node.call(whoami)
        context.close()
        context.close()
        with self.assertRaisesRegex(tchains.Closed, "the context is closed"):
            context.progress()
        with self.assertRaises(tchains.Closed):
            whoami.name  # pylint: disable=pointless-statement

    def test_the_end_of_a_context_ends_its_calls(self):
        context, node = self.connected()
        os.kill(self._node_process(), signal.SIGSTOP)
        call = node.start(context.open_file(self.shipped("whoami")))
        os.kill(self._node_process(), signal.SIGCONT)
        context.close()
        self.assertTrue(call.done())

    def node(self, *arguments, **environment):
        self.process = super().node(*arguments, **environment)
        return self.process

    def _node_process(self):
        return self.process.pid

    def test_collected_handles_are_closed_at_the_next_turn(self):
        context, node = self.connected()
        call = node.start(context.open_file(self.shipped("whoami")))
        other = context.connect(self.process.address)
        del other
        thread = threading.Thread(target=gc.collect)
        thread.start()
        thread.join()
        self.assertEqual(WHOAMI.unpack(call.result())[1], 0)
        context.progress()
        self.assertEqual(len(context.turn.garbage), 0)

    def test_a_call_that_nobody_keeps_still_has_its_memory(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        for _ in range(50):
            node.start(whoami)
        gc.collect()
        node.flush()
        self.assertEqual(WHOAMI.unpack(node.call(whoami))[1], 0)

    def test_a_payload_stays_while_it_is_sent(self):
        """A large one that has to wait for the peer, interrupted by its deadline, goes on before the next one."""
        context, node = self.connected(delivery="stream", ring_bytes=65536)
        whoami = context.open_file(self.shipped("whoami"))
        node.call(whoami)
        os.kill(self._node_process(), signal.SIGSTOP)
        payload = bytearray(8 << 20)
        try:
            with self.assertRaises(tchains.Timeout):
                for _ in range(100):
                    node.send(whoami, payload, timeout=0.1)
            with self.assertRaises(BufferError):
                payload.append(1)
        finally:
            os.kill(self._node_process(), signal.SIGCONT)
        del payload
        gc.collect()
        self.assertEqual(WHOAMI.unpack(node.call(whoami))[1], 0)
        node.flush(60)
        self.assertEqual(node.refusals(), (0, None))

    def test_a_child_of_a_fork_makes_its_own(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        node.call(whoami)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                try:
                    node.call(whoami)
                except tchains.Invalid as error:
                    if "this is its child" in str(error):
                        with tchains.Context() as own, own.connect(self.process.address) as endpoint:
                            status = WHOAMI.unpack(endpoint.call(own.open_file(self.shipped("whoami"))))[1]
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(WHOAMI.unpack(node.call(whoami))[1], 0)

    def test_objects_are_no_payload(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        for wrong in ("text", 5, [1], object(), (ctypes.py_object * 2)(), memoryview(bytes(8))[::2]):
            with self.assertRaises(TypeError):
                node.send(whoami, wrong)
        with self.assertRaises(TypeError):
            node.send(whoami, b"two", b"payloads")


class Waiting(PythonCase):
    """Signals, threads and event loops."""

    def test_an_interrupt_ends_a_wait(self):
        with tchains.Context() as context:
            for wait in (lambda: context.wait(60), lambda: context.serve(timeout=60)):
                timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
                begin = time.monotonic()
                with self.assertRaises(KeyboardInterrupt):
                    wait()
                self.assertLess(time.monotonic() - begin, 50)
                timer.join()

    def interrupted(self, wait):
        """A real SIGINT ends a call that would last for ten minutes."""
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            wait()
        timer.join()
        return caught.exception

    def test_an_interrupt_ends_what_waits_inside_the_library(self):
        context, node = self.connected(close_timeout="600s")
        whoami = context.open_file(self.shipped("whoami"))
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        address = "%s:%d" % silent.getsockname()
        self.interrupted(lambda: context.connect(address, timeout=600))
        for rank in (0, 1):
            with socket.create_server(("127.0.0.1", 0)) as taken:
                own = "%s:%d" % taken.getsockname()
            with context.group([own, address] if rank == 0 else [address, own], rank) as group:
                self.interrupted(lambda: group.connect(timeout=600))
                self.interrupted(lambda: group.barrier(timeout=None))
        self.assertEqual(WHOAMI.unpack(node.call(whoami))[1], 0)

    def test_an_interrupt_ends_closing(self):
        process = self.node()
        context = tchains.Context(close_timeout="600s")
        node = context.connect(process.address, timeout=60)
        other = context.connect(process.address, timeout=60)
        whoami = context.open_file(self.shipped("whoami"))
        node.call(whoami)
        os.kill(process.pid, signal.SIGSTOP)
        try:
            node.send(whoami)
            self.interrupted(node.close)
            with self.assertRaises(tchains.Closed):
                node.send(whoami)
            other.send(whoami)
            self.interrupted(context.close)
        finally:
            os.kill(process.pid, signal.SIGCONT)

    def test_finishing_names_the_lost_messages(self):
        process = self.node()
        context = tchains.Context()
        node, other, last = (context.connect(process.address, timeout=60) for _ in range(3))
        whoami = context.open_file(self.shipped("whoami"))
        node.send(whoami)
        node.finish(60)
        with self.assertRaises(tchains.Closed):
            node.finish()
        for peer in (other, last):
            peer.call(whoami)
            peer.flush()
        os.kill(process.pid, signal.SIGSTOP)
        try:
            for _ in range(3):
                other.send(whoami)
                last.send(whoami)
            with self.assertRaisesRegex(tchains.Timeout, "3 messages may not have run"):
                other.finish(0.05)
            with self.assertRaisesRegex(tchains.Timeout, "3 messages may not have run"):
                context.finish(timeout=0.05)
        finally:
            os.kill(process.pid, signal.SIGCONT)
        context.finish()  # it is closed
        tchains.Context().finish()

    def test_a_handler_inside_the_library_cannot_use_it(self):
        with tchains.Context() as context, socket.create_server(("127.0.0.1", 0)) as silent:
            before = signal.signal(signal.SIGINT, lambda *_: context.progress())
            self.addCleanup(signal.signal, signal.SIGINT, before)
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaisesRegex(tchains.Error, "TC_E_BUSY.*handler"):
                context.connect("%s:%d" % silent.getsockname(), timeout=600)
            timer.join()
            context.progress()

    def test_a_join_is_interrupted_and_the_next_one_meets(self):
        program = ("import os, signal, sys, threading, time, tchains\n"
                   "with tchains.Context() as context:\n"
                   "    if os.environ['TC_RUN_RANK'] == '0':\n"
                   "        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                   "        try:\n"
                   "            context.join(timeout=None)\n"
                   "        except KeyboardInterrupt:\n"
                   "            open(sys.argv[1], 'w').close()\n"
                   "    else:\n"
                   "        while not os.path.exists(sys.argv[1]):\n"
                   "            time.sleep(0.01)\n"
                   "        context.join(timeout=60).close()\n"
                   "    with context.join(timeout=60) as group:\n"
                   "        group.barrier()\n"
                   "        os.write(1, b'met %d\\n' % group.rank)\n")  # in one piece, independent of the environment
        with tempfile.TemporaryDirectory() as folder:
            job = Process(self, [self.tool("tc-run"), "-n", 2, sys.executable, "-B", "-c", program, os.path.join(folder, "go")],
                          PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)
        self.assertEqual(sorted(job.out.split()), ["0", "1", "met", "met"])

    def test_interrupts_lose_no_call(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        calls = self.started_under_signals(lambda: node.start(whoami))
        for call in calls:
            self.assertEqual(WHOAMI.unpack(call.result(60))[1], 0)

    def test_threads_take_turns(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))
        results = []
        threads = [threading.Thread(target=lambda: results.extend(node.call(whoami) for _ in range(20))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(len(results), 80)

    def test_asyncio(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))

        async def several():
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0)
            ticking = asyncio.create_task(tick())
            replies = await asyncio.gather(*(node.call_async(whoami) for _ in range(30)), node.start(whoami))
            await node.send_async(whoami, b"x")
            ticking.cancel()
            return replies, ticks
        replies, ticks = asyncio.run(several())
        self.assertEqual({WHOAMI.unpack(reply) for reply in replies}, {(NOBODY, 0, NOBODY)})
        self.assertGreater(ticks, 0)

    def test_a_cancelled_task_cancels_its_call(self):
        context, node = self.connected()
        whoami = context.open_file(self.shipped("whoami"))

        async def cancelled():
            task = asyncio.ensure_future(_result(node.start(whoami)))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        asyncio.run(cancelled())
        self.assertEqual(WHOAMI.unpack(node.call(whoami))[1], 0)

    def test_a_python_process_serves(self):
        program = ("import sys, tchains\n"
                   "with tchains.Context() as context:\n"
                   "    print(context.listen(), flush=True)\n"
                   "    try:\n"
                   "        context.serve()\n"
                   "    except KeyboardInterrupt:\n"
                   "        print('served', context.stats['messages_run'])\n")
        server = self.python("-c", program)
        from python_case import wait_until
        wait_until(lambda: server.out.endswith("\n"), "a port")
        with tchains.Context() as context, context.connect(f"127.0.0.1:{int(server.out)}") as node:
            self.assertEqual(WHOAMI.unpack(node.call(context.open_file(self.shipped("whoami"))))[1], 0)
        server.signal(signal.SIGINT)
        server.expect(0)
        self.assertIn("served 1", server.out)


async def _result(call):
    return await call


class Groups(PythonCase):
    """Members under tc-run."""

    def test_members_call_one_another(self):
        program = ("import struct, sys, tchains\n"
                   "with tchains.Context() as context, context.join() as group:\n"
                   "    answers = group.call_all(context.open_file(sys.argv[1]))\n"
                   "    assert [struct.unpack('3I', a) for a in answers] == [(r, len(group), group.rank) for r in range(3)]\n"
                   "    try:\n"
                   "        group[3]\n"
                   "    except IndexError:\n"
                   "        pass\n"
                   "    group.barrier()\n"
                   "    print('rank', group.rank)\n")
        job = self.run_job(3, program, self.shipped("whoami"))
        self.assertEqual(sorted(c for c in job.out if c.isdigit()), ["0", "1", "2"])  # lines may be mixed up

    def test_members_know_their_programs(self):
        program = ("import tchains\n"
                   "with tchains.Context() as context, context.join() as group:\n"
                   "    assert [group.program(rank) for rank in range(3)] == [(0, 'lead'), (1, 'work'), (1, 'work')]\n"
                   "    assert group.program(2).name == 'work'\n"
                   "    try:\n"
                   "        group.program(3)\n"
                   "    except IndexError:\n"
                   "        group.barrier()\n"
                   "        print('found')\n"
                   "with tchains.Context() as context, context.group(['127.0.0.1:0'], 0) as alone:\n"
                   "    assert alone.program(0) == (0, '')\n")
        python = [sys.executable, "-B", "-c", program]
        job = Process(self, [self.tool("tc-run"), "-n", 1, "--name", "lead", *python, ":", "-n", 2, "--name", "work", *python],
                      PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)
        self.assertEqual(job.out.count("found"), 3)

    def run_job(self, size, program, *arguments):
        return Process(self, [self.tool("tc-run"), "-n", size, sys.executable, "-B", "-c", program, *arguments],
                       PYTHONPATH=os.environ["PYTHONPATH"]).expect(0)


if __name__ == "__main__":
    main()
