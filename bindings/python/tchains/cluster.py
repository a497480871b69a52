"""`tchains.local`: node processes on this machine, for as long as a `with` lasts.

Each worker is a process of its own (worker.py) that this one connects to. No worker outlives this process: the kernel ends it when
the thread that started it dies, which is one that lives until the workers are closed, and the worker ends by itself when the pipe to
it closes. A worker that ends is not started again. Its calls fail with WorkerLost, which names it; `map` gives such
items to the others, so its functions may run more than once.
"""
import collections
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref

from ._binding import lib
from .context import Context
from .errors import Closed, Error, PeerLost, Timeout, Unreachable, WorkerLost, error_of
from .waiting import Deadline, wait_once

WORKERS_MAX = 1024
UNDER_WAY_MAX = 4    # items of `map` at a worker at a time
_ATTEMPTS = 3        # of an item of `map`, when workers are lost
_LINE_MAX = 65536    # of a worker's first line
_LIFETIME_MAX = 1e9  # seconds
_REAP_S = 2.0        # from the end of a connection to that of the process
_LOST = (PeerLost, Closed, Unreachable)
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from tchains import worker; worker.main()"
_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class _Processes:
    """The workers' processes, and the thread that is their parent to the kernel."""

    def __init__(self, count):
        if not sys.executable:
            raise error_of(lib.TC_E_UNSUPPORTED, "this Python does not know its own program, so it cannot start workers")
        self.count, self.owner = count, os.getpid()
        self.started, self._failure = [], None
        self._ready, self._over = threading.Event(), threading.Event()
        threading.Thread(target=self._run, name="tchains.local", daemon=True).start()
        try:
            self._ready.wait()
            if self._failure is not None:
                raise self._failure
        except BaseException:  # of a signal, too
            self._ready.wait()
            self.end(0)
            raise

    def _run(self):
        try:
            for _ in range(self.count):
                self.started.append(subprocess.Popen([sys.executable, "-c", _PROGRAM, _PACKAGES], stdin=subprocess.PIPE,
                                                     stdout=subprocess.PIPE, bufsize=0))
        except BaseException as failure:  # pylint: disable=broad-exception-caught
            self._failure = failure
        self._ready.set()
        self._over.wait()

    def end(self, timeout):
        """Ends all, by a signal where one has not ended in so many seconds, and waits for each."""
        if os.getpid() != self.owner:  # a fork's copy
            return
        for process in self.started:
            process.stdin.close()
            process.stdout.close()
        deadline = time.monotonic() + timeout
        for process in self.started:
            try:
                process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._over.set()


def _first_line(number, process, deadline):
    """The report of a worker that listens, or has failed."""
    line = bytearray()
    while not line.endswith(b"\n"):
        if len(line) > _LINE_MAX or not select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            raise Timeout(lib.TC_E_TIMEOUT, f"worker {number} (process {process.pid}) did not listen in time")
        part = os.read(process.stdout.fileno(), 4096)
        if not part:
            process.wait()
            raise WorkerLost(lib.TC_E_PEER_LOST, f"worker {number} (process {process.pid}) {_how(process.returncode)} before it listened")
        line += part
    return json.loads(line)


def _how(status):
    if status is None:
        return "does not answer any more"
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


class Worker:
    """One of the processes: `endpoint` sends and calls, `call` and `submit` name the worker in their errors."""

    def __init__(self, number, process, context, port, timeout):
        self.number, self.pid = number, process.pid
        self.address = f"127.0.0.1:{port}"
        self.under_way = 0
        self._process = process
        self.endpoint = context.connect(self.address, timeout)

    @property
    def alive(self):
        """Returns whether its process runs."""
        return self._process.poll() is None

    def named(self, failure):
        """An error of a call, with the worker's name in its text; WorkerLost when its process has ended."""
        if not isinstance(failure, Error) or isinstance(failure, WorkerLost):
            return failure
        if not isinstance(failure, _LOST):
            return type(failure)(failure.status, f"worker {self.number} (process {self.pid}): {failure.text}")
        try:
            self._process.wait(_REAP_S)
        except subprocess.TimeoutExpired:
            pass
        return WorkerLost(lib.TC_E_PEER_LOST, f"worker {self.number} (process {self.pid}) {_how(self._process.returncode)}: {failure.text}")

    def start(self, function, arguments, more, ended):
        """A call of the endpoint's; `ended` runs when it has ended, in the thread that progresses the context."""
        try:
            call = self.endpoint.start(function, *arguments, **more)
        except Error as error:
            raise self.named(error) from error
        self.under_way += 1
        call.add_done_callback(ended)
        return call

    def submit(self, function, *arguments, **more):
        """Starts a call, and gives it (Task); arguments as for Endpoint.start."""
        return Task(self, self.start(function, arguments, more, self._one_less))

    def _one_less(self, _call):
        self.under_way -= 1

    def call(self, function, *arguments, **more):
        """Calls a function there, and gives its result."""
        task = self.submit(function, *arguments, **more)
        try:
            return task.result()
        except BaseException:
            task.cancel()
            raise


class Task:
    """A call at a worker: `result`, `exception`, `done` and `cancel`, as Endpoint.start gives; its errors name the worker."""

    def __init__(self, worker, call):
        self.worker, self.call = worker, call

    def done(self):
        """Returns whether it has ended."""
        return self.call.done()

    def cancel(self):
        """Abandons it; whether it was under way. The function runs all the same."""
        return self.call.cancel()

    def exception(self, timeout=None):
        """Waits until it has ended; returns its error, or None."""
        failure = self.call.exception(timeout)
        return None if failure is None else self.worker.named(failure)

    def result(self, timeout=None):
        """Waits for its result; `timeout` gives up the waiting alone."""
        failure = self.exception(timeout)
        if failure is not None:
            raise failure
        return self.call.result()


class _Map:
    """A `map` that runs: items that wait, those at workers, and results."""

    def __init__(self, workers, function, items, attempts):
        self.workers, self.function = workers, function
        self.waiting = collections.deque((number, arguments, attempts) for number, arguments in enumerate(items))
        self.results = [None] * len(self.waiting)
        self.left = len(self.waiting)
        self.calls = {}                   # call: (worker, item)
        self.ended = collections.deque()  # filled by whichever thread progresses the context

    def _give(self, worker):
        item = self.waiting.popleft()
        try:
            call = worker.start(self.function, item[1], {}, self.ended.append)
        except WorkerLost as failure:
            self._again(item, failure)
            return
        self.calls[call] = worker, item

    def _again(self, item, failure):
        number, arguments, attempts = item
        if attempts <= 1:
            raise failure
        self.waiting.appendleft((number, arguments, attempts - 1))

    def give_all(self):
        """Keeps every worker busy, the least busy first."""
        while self.waiting:
            free = [worker for worker in self.workers if worker.alive]
            if not free:
                raise WorkerLost(lib.TC_E_PEER_LOST, f"all {len(self.workers)} workers have ended")
            worker = min(free, key=lambda one: one.under_way)
            if worker.under_way >= UNDER_WAY_MAX:
                return
            self._give(worker)

    def take(self):
        """Takes the calls that have ended."""
        while self.ended:
            call = self.ended.popleft()
            worker, item = self.calls.pop(call)
            worker.under_way -= 1
            failure = call.exception()
            if failure is None:
                self.results[item[0]] = call.result()
                self.left -= 1
                continue
            failure = worker.named(failure)
            if not isinstance(failure, WorkerLost):
                raise failure
            self._again(item, failure)

    def abandon(self):
        """Cancels the calls that are under way."""
        for call, (worker, _) in self.calls.items():
            call.cancel()
            worker.under_way -= 1


class Workers:
    """The node processes of tchains.local: `workers[i]` is one (Worker), `endpoints` are the endpoints to all, in order."""

    def __init__(self, count, start_timeout, lifetime, worker_options, options):
        deadline = time.monotonic() + start_timeout
        # A worker's end is seen by its connection, so calls may take as long as they need.
        self.context = Context(**{"call_timeout": "24h", **options})
        self._processes, self.workers = None, []
        try:
            self._processes = _Processes(count)
            self._finalizer = weakref.finalize(self, self._processes.end, 0)
            self._begin(deadline, lifetime, worker_options)
        except BaseException:
            self.close(0)
            raise

    def _begin(self, deadline, lifetime, worker_options):
        task = json.dumps({"parent": os.getpid(), "lifetime": lifetime, "options": worker_options}).encode() + b"\n"
        for process in self._processes.started:
            try:
                process.stdin.write(task)
            except BrokenPipeError:  # its end is reported below
                pass
        for number, process in enumerate(self._processes.started):
            said = _first_line(number, process, deadline)
            if "error" in said:
                raise error_of(lib.TC_E_INVALID, f"worker {number} (process {process.pid}): {said['error']}")
            self.workers.append(Worker(number, process, self.context, said["port"], max(0.1, deadline - time.monotonic())))

    @property
    def endpoints(self):
        """The endpoints to all workers, in their order."""
        return [worker.endpoint for worker in self.workers]

    def __len__(self):
        return len(self.workers)

    def __iter__(self):
        return iter(self.workers)

    def __getitem__(self, number):
        return self.workers[number]

    def submit(self, function, *arguments, **more):
        """Starts a call at the worker with the fewest, and gives it (Task). It is not repeated when that worker is lost."""
        self.context.turn.check_usable()
        free = [worker for worker in self.workers if worker.alive]
        if not free:
            raise WorkerLost(lib.TC_E_PEER_LOST, f"all {len(self.workers)} workers have ended")
        return min(free, key=lambda one: one.under_way).submit(function, *arguments, **more)

    def map(self, function, *iterables, attempts=_ATTEMPTS, timeout=None):
        """The list of function(*items) over iterables, as `map`, computed at the workers. The first error is raised, with the
        worker's name, and the rest abandoned. Items that a worker had when it ended go to others, up to so many `attempts` in all."""
        self.context.turn.check_usable()
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}, expected 1 or more")
        if not iterables:
            raise TypeError("map has no iterable, expected one for each parameter of the function")
        running, deadline = _Map(self.workers, function, zip(*iterables), attempts), Deadline(timeout)
        try:
            while running.left > 0:
                running.give_all()
                running.take()
                left = deadline.slice_ns()
                if left == 0:
                    raise Timeout(lib.TC_E_TIMEOUT, f"{running.left} of {len(running.results)} items have no result in {timeout} s")
                if running.calls and not running.ended:
                    wait_once(self.context, left)
            return running.results
        except BaseException:
            running.abandon()
            raise

    def close(self, timeout=5.0):
        """Ends all workers, also in the middle of a function: those that have not ended in so many seconds by SIGKILL."""
        if self._processes is not None:
            self._processes.end(timeout)
            self._finalizer.detach()
        self.context.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def local(count=None, *, start_timeout=60.0, lifetime=None, worker_options=None, **options):
    """Starts `count` node processes on this machine, by default one for each processor, and connects to them: a Workers, for `with`.

    They end with it, or with this process, whatever ends that; `lifetime`: or after so many seconds. `options` are those of the
    context that calls, as for Context; `worker_options` those of the workers."""
    count = len(os.sched_getaffinity(0)) if count is None else count
    if not isinstance(count, int) or not 1 <= count <= WORKERS_MAX:
        raise ValueError(f"expected 1 to {WORKERS_MAX} workers; found {count!r}")
    if lifetime is not None and not 0 < lifetime <= _LIFETIME_MAX:  # 0 would be none to the timer
        raise ValueError(f"lifetime is {lifetime!r}, expected seconds above 0, {_LIFETIME_MAX} at most, or None")
    return Workers(count, start_timeout, lifetime, dict(worker_options or {}), options)
