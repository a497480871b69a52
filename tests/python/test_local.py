#!/usr/bin/env python3
"""tchains.local: workers that compute, are named in errors, are lost, and never outlive their starter."""
import os
import signal
import sys
import threading
import time

import tchains
from python_case import Process, PythonCase, main, needs_numba, wait_until
from tchains import cluster

ENDLESS = """
import sys, time, tchains
@tchains.ifunc
def endless(n: int):
    while n > 0:
        n = (n + 2) // 2 + n // 2
    return n
if __name__ == "__main__":
    with tchains.local(2) as workers:
        for worker in workers:
            worker.submit(endless, 1000)
            print(worker.pid, flush=True)
        print("running", flush=True)
        time.sleep(float(sys.argv[1]))
"""


def is_gone(pid):
    """Returns whether a process has ended, reaped or not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Plain(PythonCase):
    """Functions of archives: no Numba."""

    def test_archives_at_each_worker(self):
        with tchains.local(3) as workers:
            whoami = workers.context.open_file(self.shipped("whoami"))
            self.assertEqual(len(workers), 3)
            self.assertEqual([len(endpoint.call(whoami)) for endpoint in workers.endpoints], [12] * 3)
            self.assertEqual([len(worker.call(whoami)) for worker in workers], [12] * 3)
            self.assertEqual([len(result) for result in workers.map(whoami, [b"a"] * 20)], [12] * 20)
            self.assertEqual(len(workers.submit(whoami).result(60)), 12)
            self.assertEqual(workers.map(whoami, []), [])
            pids = [worker.pid for worker in workers]
            self.assertEqual(len({os.getpid(), *pids}), 4)
        self.assertTrue(all(is_gone(pid) for pid in pids))
        with self.assertRaises(tchains.Closed):
            workers.map(whoami, [b"a"])

    def test_without_numpy(self):
        program = ("import sys\nsys.modules['numpy'] = sys.modules['numba'] = None\nimport tchains\n"
                   "with tchains.local(1) as workers:\n    print(len(workers[0].call(workers.context.open_file(sys.argv[1]), b'x')))\n")
        done = self.python("-c", program, self.shipped("whoami"))
        self.assertEqual((done.wait(), done.out), (0, "12\n"), done.err)

    def test_wrong_arguments(self):
        for count in 0, -1, 1.5, cluster.WORKERS_MAX + 1, "2":
            with self.subTest(count), self.assertRaisesRegex(ValueError, "expected 1 to 1024 workers"):
                tchains.local(count)
        with self.assertRaisesRegex(tchains.Invalid, r"worker 0 \(process \d+\): .*delivery"):
            tchains.local(1, worker_options={"delivery": "nothing"})
        with self.assertRaisesRegex(tchains.Error, "delivery"):
            tchains.local(1, delivery="nothing")
        with self.assertRaises(tchains.Timeout):
            tchains.local(1, start_timeout=0.0)
        with tchains.local(1) as workers, self.assertRaisesRegex(ValueError, "attempts is 0"):
            workers.map(None, [1], attempts=0)
        for lifetime in 0, -1, float("nan"), float("inf"):
            with self.subTest(lifetime), self.assertRaisesRegex(ValueError, "expected seconds above 0"):
                tchains.local(1, lifetime=lifetime)
        with tchains.local(1) as workers, self.assertRaisesRegex(TypeError, "map has no iterable"):
            workers.map(None)

    def test_a_refusal_names_the_worker(self):
        with tchains.local(2, worker_options={"form": "image"}) as workers:
            code = workers.context.open_bitcode("none", [("x86_64-unknown-linux-gnu", b"BC\xc0\xde")])
            with self.assertRaisesRegex(tchains.Error, rf"worker 1 \(process {workers[1].pid}\): "):
                workers[1].call(code)

    def test_a_worker_that_is_killed_before_a_call(self):
        with tchains.local(2) as workers:
            whoami = workers.context.open_file(self.shipped("whoami"))
            os.kill(workers[0].pid, signal.SIGKILL)
            with self.assertRaisesRegex(tchains.WorkerLost, rf"worker 0 \(process {workers[0].pid}\) was ended by SIGKILL"):
                workers[0].call(whoami)
            self.assertEqual([worker.alive for worker in workers], [False, True])
            self.assertEqual(len(workers.submit(whoami).result(60)), 12)
            self.assertEqual(len(workers.map(whoami, [b""] * 10)), 10)
            os.kill(workers[1].pid, signal.SIGTERM)
            wait_until(lambda: not workers[1].alive, "the end of the worker")
            for attempt in lambda: workers.map(whoami, [b""]), lambda: workers.submit(whoami):
                with self.assertRaisesRegex(tchains.WorkerLost, "all 2 workers have ended"):
                    attempt()

    def test_a_lifetime(self):
        with tchains.local(1, lifetime=0.2) as workers:
            whoami = workers.context.open_file(self.shipped("whoami"))
            wait_until(lambda: not workers[0].alive, "the end of the worker")
            with self.assertRaisesRegex(tchains.WorkerLost, "was ended by SIGALRM"):
                workers[0].call(whoami)

    def test_a_fork_leaves_the_workers(self):
        with tchains.local(1) as workers:
            whoami = workers.context.open_file(self.shipped("whoami"))
            child = os.fork()
            if child == 0:
                workers.close()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(len(workers[0].call(whoami)), 12)

    def test_a_thread_that_started_them_may_end(self):
        """The kernel's signal for the death of a parent is for that of its thread."""
        made = []
        thread = threading.Thread(target=lambda: made.append(tchains.local(1)))
        thread.start()
        thread.join()
        with made[0] as workers:
            whoami = workers.context.open_file(self.shipped("whoami"))
            time.sleep(0.1)
            self.assertEqual(len(workers[0].call(whoami)), 12)


@needs_numba
class Python(PythonCase):
    @classmethod
    def setUpClass(cls):
        import numpy as np

        @tchains.ifunc
        def quotient(a: int, b: int):
            return a // b

        @tchains.ifunc
        def count(seen: tchains.State(np.int64, 1)):
            seen[0] += 1
            return seen[0]

        @tchains.ifunc
        def slow(n: int, rounds: int):
            x = n
            for i in range(rounds):
                x = x * 6364136223846793005 + 1442695040888963407 + i
            return n if x != 12345 else -1

        cls.quotient, cls.count, cls.slow = quotient, count, slow

    def test_map_keeps_the_order_and_uses_all(self):
        with tchains.local(3) as workers:
            self.assertEqual(workers.map(self.quotient, range(100), [3] * 100), [n // 3 for n in range(100)])
            seen = [worker.call(self.count) for worker in workers]
            self.assertEqual(seen, [1, 1, 1])
            tasks = [worker.submit(self.quotient, 10, 2) for worker in workers]
            self.assertEqual([task.result(60) for task in tasks], [5, 5, 5])
            self.assertTrue(all(task.done() and not task.cancel() for task in tasks))

    def test_an_exception_names_the_worker(self):
        with tchains.local(2) as workers:
            with self.assertRaisesRegex(tchains.Raised, rf"worker 1 \(process {workers[1].pid}\): ZeroDivisionError"):
                workers[1].call(self.quotient, 1, 0)
            with self.assertRaisesRegex(tchains.Raised, r"worker [01] \(process \d+\): ZeroDivisionError"):
                workers.map(self.quotient, [6, 6, 6], [1, 0, 2])
            self.assertIsInstance(workers.submit(self.quotient, 1, 0).exception(60), tchains.Raised)
            self.assertEqual(workers.map(self.quotient, [6, 6], [1, 2]), [6, 3])  # they go on
            with self.assertRaises(TypeError):
                workers.map(self.quotient, [None], [1])

    def killing(self, workers, number):
        """Kills a worker as soon as it has calls, in a thread."""
        def kill():
            wait_until(lambda: workers[number].under_way > 0, "a call at the worker")
            os.kill(workers[number].pid, signal.SIGKILL)
        thread = threading.Thread(target=kill)
        thread.start()
        self.addCleanup(thread.join)
        return thread

    def test_a_worker_that_is_killed_in_the_middle(self):
        with tchains.local(3) as workers:
            for worker in workers:
                worker.call(self.slow, 1, 1)
            thread = self.killing(workers, 1)
            self.assertEqual(workers.map(self.slow, range(30), [20_000_000] * 30), list(range(30)))
            thread.join()
            self.assertEqual([worker.alive for worker in workers], [True, False, True])
            self.assertEqual([worker.under_way for worker in workers], [0, 0, 0])

    def test_one_attempt_alone(self):
        with tchains.local(2) as workers:
            for worker in workers:
                worker.call(self.slow, 1, 1)
            self.killing(workers, 0)
            with self.assertRaisesRegex(tchains.WorkerLost, rf"worker 0 \(process {workers[0].pid}\) was ended by SIGKILL"):
                workers.map(self.slow, range(20), [20_000_000] * 20, attempts=1)
            self.assertEqual(workers.map(self.slow, [7], [1]), [7])

    def test_a_task_of_a_worker_that_is_killed(self):
        with tchains.local(1) as workers:
            task = workers[0].submit(self.slow, 1, 10**15)
            self.assertFalse(task.done())
            os.kill(workers[0].pid, signal.SIGKILL)
            with self.assertRaisesRegex(tchains.WorkerLost, "was ended by SIGKILL"):
                task.result(60)

    def test_a_map_that_takes_too_long(self):
        with tchains.local(1) as workers:
            with self.assertRaisesRegex(tchains.Timeout, "2 of 2 items have no result in 0.2 s"):
                workers.map(self.slow, [1, 2], [10**15] * 2, timeout=0.2)
            pid = workers[0].pid
        self.assertTrue(is_gone(pid))  # in the middle of the function

    def starter(self, seconds):
        """A process with two workers in endless functions, and the workers' ids."""
        process = Process(self, [sys.executable, "-B", "-c", ENDLESS, str(seconds)], PYTHONPATH=os.environ["PYTHONPATH"])
        wait_until(lambda: "running" in process.out or not process.running(), "the workers", 60)
        pids = [int(word) for word in process.out.split()[:2]]
        return process, pids

    def test_no_worker_outlives_its_starter(self):
        for number in signal.SIGKILL, signal.SIGTERM, signal.SIGINT:
            process, pids = self.starter(1000)
            self.assertEqual([is_gone(pid) for pid in pids], [False, False], process.err)
            process.signal(number)
            process.wait()
            with self.subTest(number):
                wait_until(lambda: all(is_gone(pid) for pid in pids), "the end of the workers", 30)  # pylint: disable=cell-var-from-loop
        process, pids = self.starter(0)
        self.assertEqual(process.wait(), 0, process.err)
        self.assertTrue(all(is_gone(pid) for pid in pids))


if __name__ == "__main__":
    main()
