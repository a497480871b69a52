"""Contexts: a process's state of the library, and the objects made from it."""
import os
import weakref

from . import turn, waiting
from ._binding import ffi, lib
from .endpoint import Endpoint
from .errors import check
from .function import Function
from .group import Group
from .window import Window
from .window_rights import Rights


def _options(values):
    """A tc_options of the environment and of a program's settings; names as in docs/options.md."""
    err, out = ffi.new("tc_error *"), ffi.new("tc_options **")
    check(lib.tc_options_create(out, err), err)
    options = ffi.gc(out[0], lib.tc_options_destroy)
    for name, value in values.items():
        text = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
        check(lib.tc_options_set(options, name.encode(), text.encode(), err), err)
    return options


class Context:
    """One process's or thread's part of the library. `Context(call_timeout="5s", delivery="stream")` sets options.

    Threads take turns in it. Objects made from it, and memory that it publishes, are kept until it is closed. A forked child
    cannot use its parent's."""

    def __init__(self, **options):
        err, out = ffi.new("tc_error *"), ffi.new("tc_context **")
        check(lib.tc_context_create_for(lib.TC_VERSION_NUMBER, _options(options), out, err), err)
        self.turn = turn.Turn(out[0])
        self._published = {}
        weakref.finalize(self, self.turn.end)

    def close(self):
        """Closes everything that was made from it. Calls that are under way end with tchains.Closed."""
        self.turn.end()

    def finish(self, timeout=None):
        """Closes as `close` does, when all peers have run, or refused, all that was sent, or when the time is over; None: the
        option close_timeout. Raises if messages may not have run: the text has their number."""
        err, limit = ffi.new("tc_error *"), waiting.nanoseconds(timeout, 0)
        check(self.turn.end(lambda pointer: lib.tc_context_finish(pointer, limit, ffi.NULL, err)) or lib.TC_OK, err)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        """The descriptor for an event loop (tc_context_fd); asyncio handles it by itself (aio.py)."""
        return self.turn.use(lib.tc_context_fd)

    def wake(self):
        """Has a wait of another thread end."""
        if self.turn.usable():
            lib.tc_wake(self.turn.pointer)

    @property
    def address(self):
        """The bytes that connect_address of another process takes."""
        size = ffi.new("size_t *")
        return self.turn.use(lambda pointer: bytes(ffi.buffer(lib.tc_context_address(pointer, size), size[0])))

    @property
    def stats(self):
        """The counters, by name."""
        return self.turn.use(lambda pointer: {ffi.string(lib.tc_stats_name(i)).decode(): lib.tc_stats_value(pointer, i)
                                              for i in range(lib.tc_stats_count())})

    def listen(self, address="127.0.0.1:0"):
        """Accepts peers; gives the port."""
        err, out = ffi.new("tc_error *"), ffi.new("tc_listener **")
        self.turn.use(lambda pointer: check(lib.tc_listener_open(pointer, address.encode(), out, err), err))
        return lib.tc_listener_port(out[0])

    def connect(self, address, timeout=None):
        """An endpoint to a listener, "127.0.0.1:7000"."""
        return Endpoint(self).open(lib.tc_ep_connect, address.encode(), waiting.nanoseconds(timeout, 0))

    def connect_address(self, address, timeout=None):
        """An endpoint to the process with that Context.address. Accept such bytes only from trusted parties."""
        return Endpoint(self).open(lib.tc_ep_connect_address, address, len(address), waiting.nanoseconds(timeout, 0))

    def open(self, name):
        """A function by its name, NAME.tca in a folder of the option ifunc_path."""
        return Function(self).open(lib.tc_ifunc_open, name.encode())

    def open_file(self, path):
        """A function by the path of its archive."""
        return Function(self).open_code(path=os.fsencode(path))

    def open_archive(self, archive, deps=b""):
        """A function of an archive's bytes."""
        return Function(self).open_code(bytes=archive, size=len(archive), deps=deps)

    def open_bitcode(self, name, slices, deps=b"", prototype=None):
        """A function of LLVM bitcode: [(triple, bytes)], one for each architecture. `prototype`: the types of its arguments and of
        its answer, for callers."""
        more = {} if prototype is None else {"prototype": prototype.encode()}
        return Function(self).open_code(name=name.encode(), slices=slices, deps=deps, **more)

    def publish(self, name, data):
        """Lets functions that run here use memory by a name, without a copy: a NumPy array, a bytearray. None withdraws it."""
        err = ffi.new("tc_error *")
        memory = ffi.NULL if data is None else ffi.from_buffer(data)
        size = 0 if data is None else memoryview(data).nbytes
        if data is not None and "O" in memoryview(data).format:
            raise TypeError("Python objects mean nothing to a function that travels")

        def publish(pointer):
            before = self._published.get(name)
            self._published[name] = before, memory  # both stay until it is known which one counts
            status = lib.tc_context_publish(pointer, name.encode(), memory, size, err)
            self._published[name] = memory if status == lib.TC_OK else before
            check(status, err)
        self.turn.use(publish)

    def window(self, memory, rights=Rights.READ, *, endpoint=None, group=None, identity=None, arena_begin=0, shared=False):
        """Opens memory to a peer, to a group, or to peers of an identity, as info()["peer_identity"] has it ("uid:1000"); only those
        have the rights, tchains.Rights. `memory` is anything with a buffer, which stays in use until the window is closed, or a number
        of bytes; with `shared` peers on this host may map them. `arena_begin`: the first offset that is allocated."""
        return Window(self).open(memory, rights, (endpoint, group, identity), arena_begin, shared)

    def progress(self):
        """Runs arrived messages; returns their number."""
        return self.turn.use(lib.tc_progress)

    def wait(self, timeout=None):
        """Progresses until something has happened; whether it did in `timeout` seconds."""
        deadline = waiting.Deadline(timeout)
        while True:
            left = deadline.slice_ns()
            if waiting.wait_once(self, left):
                return True
            if left == 0:
                return False

    def serve(self, until=lambda: False, timeout=None):
        """Runs messages of peers until `until()` is true, or KeyboardInterrupt, or for `timeout` seconds."""
        return waiting.wait_for(self, until, timeout)

    def join(self, timeout=30):
        """The group of the job that started this process (tc-run, mpirun), or of one. One that was
        interrupted counts: the next meets the others' next."""
        return Group(self).open(lib.tc_group_join, waiting.nanoseconds(timeout, lib.TC_FOREVER))

    def group(self, hosts, rank):
        """The group of a list of listeners, ["127.0.0.1:7000", ...], the same on all members."""
        return Group(self).open(lib.tc_group_create_hosts, ",".join(hosts).encode(), rank)

    def start_compiler(self):
        """Starts the compiler of bitcode before the first function comes."""
        err = ffi.new("tc_error *")
        self.turn.use(lambda pointer: check(lib.tc_context_start_compiler(pointer, err), err))
