"""Endpoints: sending and calling."""
import weakref

from . import memory
from ._binding import ffi, lib
from .calls import Call
from .errors import Timeout, check, error_of, text_of
from .operations import Operations
from .waiting import Deadline, nanoseconds, repeat, wait_once

REPLY_BYTES = 65536


def message_of(function, context, arguments, named):
    """(handle, payload) of a message to a function, or a TypeError that explains how to get one that travels."""
    if hasattr(function, "message"):
        return function.message(context, arguments, named)
    if not callable(function):
        raise TypeError(f"expected a function that travels: one of @tchains.ifunc, or context.open(...); found {function!r}")
    name = getattr(function, "__name__", type(function).__name__)
    how = ("a lambda has no annotations: write it with `def`, annotate its parameters, and put @tchains.ifunc above it"
           if name == "<lambda>" else "put @tchains.ifunc above its definition, and annotate its parameters")
    raise TypeError(f"{name} is a plain Python function, which does not travel: {how}")


class Peer(Operations):
    """The common operations of an endpoint and a member of a group. `_pointer()` is the library's handle."""

    def __init__(self, context):
        self.context = context
        # A large payload whose sending was interrupted: it has to continue before any other message, so it is
        # kept.
        self._unfinished = None

    def _pointer(self):
        raise NotImplementedError

    def _failure(self, status):
        err = ffi.new("tc_error *")
        said = self.context.turn.use(lambda pointer: lib.tc_send_error(pointer, err))
        return error_of(status, text_of(err) if said == status else "")

    def try_once(self, attempt):
        """One attempt to send. True: sent; False: there is no space now."""
        status = self.context.turn.use(attempt)
        self._unfinished = attempt if status == lib.TC_E_AGAIN else None
        if status not in (lib.TC_OK, lib.TC_E_AGAIN):
            raise self._failure(status)
        return status == lib.TC_OK

    def attempts(self, attempt):
        """The messages to be sent, in order."""
        return ([self._unfinished] if self._unfinished is not None else []) + [attempt]

    def _sending(self, attempt, timeout):
        deadline = Deadline(timeout)
        for step in self.attempts(attempt):
            while not self.try_once(step):
                left = deadline.slice_ns()
                if left == 0:
                    raise Timeout(lib.TC_E_TIMEOUT, f"no room at the peer in {timeout} s")
                wait_once(self.context, left)

    def _send_attempt(self, function, arguments, named):
        handle, payload = message_of(function, self.context, arguments, named)
        data = memory.Bytes(payload)

        def attempt(_):
            status = lib.tc_send(self._pointer(), handle.pointer, data.pointer, data.size)
            if status == lib.TC_E_PAYLOAD:
                function.explain(arguments, named)
            return status
        return attempt

    def send(self, function, *arguments, timeout=None, **named):
        """Sends a message, and waits for space at the peer if necessary. When it returns the payload may be changed."""
        self._sending(self._send_attempt(function, arguments, named), timeout)

    def _call_attempt(self, function, arguments, named, how):
        handle, payload = message_of(function, self.context, arguments, named)
        data = memory.Bytes(payload)
        call = Call(self, memory.Room(how["into"], how["capacity"] or function.reply_bytes), function.decoder(how["into"]))
        params = call.params(nanoseconds(how["timeout"], 0), how["hop_limit"], how["trace"])
        number, err = ffi.new("tc_call_id *"), ffi.new("tc_error *")

        def attempt(_):
            call.begin()
            status = lib.tc_call_start(self._pointer(), handle.pointer, data.pointer, data.size, params, number, err)
            if status != lib.TC_OK:
                call.forget()
            call.id = number[0]
            if status == lib.TC_E_PAYLOAD:
                function.explain(arguments, named)
            if status not in (lib.TC_OK, lib.TC_E_AGAIN):
                raise error_of(status, text_of(err))
            return status
        return call, attempt

    def start(self, function, *arguments, timeout=None, into=None, capacity=0, hop_limit=0, trace=False, **named):
        """Starts a call and returns it (calls.Call). `timeout`: the seconds that it has, or else the option call_timeout.
        `into`: memory that the reply is written to, which the call keeps until it has ended."""
        how = {"timeout": timeout, "into": into, "capacity": capacity, "hop_limit": hop_limit, "trace": trace}
        call, attempt = self._call_attempt(function, arguments, named, how)
        self._sending(attempt, timeout)
        return call

    def call(self, function, *arguments, **more):
        """Calls a function and returns its result; arguments as for `start`."""
        call = self.start(function, *arguments, **more)
        try:
            return call.result()
        except BaseException:
            call.cancel()
            raise

    async def send_async(self, function, *arguments, timeout=None, **named):
        """`send` for asyncio: waits for space in the loop."""
        from . import aio
        attempt = self._send_attempt(function, arguments, named)
        await aio.send(self, attempt, timeout)

    async def call_async(self, function, *arguments, timeout=None, into=None, capacity=0, hop_limit=0, trace=False, **named):
        """`call` for asyncio."""
        from . import aio
        how = {"timeout": timeout, "into": into, "capacity": capacity, "hop_limit": hop_limit, "trace": trace}
        call, attempt = self._call_attempt(function, arguments, named, how)
        await aio.send(self, attempt, timeout)
        return await call

    def prepare(self, function, timeout=30):
        """Sends the code of a function ahead, and waits until the peer can call it."""
        handle = function.opened(self.context)
        status, err = repeat(self.context, lambda left, err: lib.tc_ep_prepare(self._pointer(), handle.pointer, left, err),
                             timeout)
        check(status, err)

    def flush(self, timeout=30):
        """Waits until the peer has run, or refused, all that was sent."""
        if self._unfinished is not None:
            self._sending(lambda _: lib.TC_OK, timeout)
        status, err = repeat(self.context, lambda left, err: lib.tc_ep_flush(self._pointer(), left, err), timeout)
        check(status, err)

    def refusals(self):
        """(number of functions that the peer has refused, the newest's error or None)."""
        err = ffi.new("tc_error *")
        count = self.context.turn.use(lambda _: lib.tc_ep_refusal(self._pointer(), err))
        return count, error_of(err.status, text_of(err)) if count else None

    def info(self):
        """The peer's data about itself, and counters: a dict of tc_ep_info."""
        found = ffi.new("tc_ep_info *")

        def values(_):
            lib.tc_ep_query(self._pointer(), found)
            names = [name for name, _ in ffi.typeof("tc_ep_info").fields]
            values = [getattr(found, name) for name in names]
            return {name: ffi.string(value).decode() if isinstance(value, ffi.CData) else value
                    for name, value in zip(names, values)}
        return self.context.turn.use(values)


class Endpoint(Peer):
    """An ordered connection to one peer, of Context.connect. Closed by `close`, by `with`, or when it is collected."""

    def __init__(self, context):
        super().__init__(context)
        self._state = ffi.new("tc_ep **")
        self._collect = weakref.finalize(self, _collected, context.turn, self._state)
        self._collect.atexit = False

    def _pointer(self):
        if self._state[0] == ffi.NULL:
            raise error_of(lib.TC_E_CLOSED, "the endpoint is closed")
        return self._state[0]

    def open(self, connect, *where):
        """Has the library connect it. The handle is here before a signal can raise."""
        err = ffi.new("tc_error *")
        self.context.turn.use(lambda pointer: check(connect(pointer, *where, self._state, err), err), blocking=True)
        return self

    def close(self):
        """Flushes, for the option close_timeout at most, and closes."""
        if self._state[0] == ffi.NULL or not self.context.turn.usable():
            return

        def close(_):
            pointer, self._state[0] = self._state[0], ffi.NULL
            lib.tc_ep_close(pointer)
        self.context.turn.use(close, blocking=True)

    def finish(self, timeout=None):
        """Closes when the peer has run, or refused, all that was sent, or when the time is over; None: the option
        close_timeout. Raises if messages may not have run: the text has their number."""
        err, limit = ffi.new("tc_error *"), nanoseconds(timeout, 0)

        def finish(_):
            pointer = self._pointer()
            self._state[0] = ffi.NULL
            status = lib.tc_ep_finish(pointer, limit, ffi.NULL, err)
            if status == lib.TC_E_BUSY:
                self._state[0] = pointer
            check(status, err)
        self.context.turn.use(finish, blocking=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _collected(turn, state):
    if state[0] != ffi.NULL and turn.usable():
        turn.garbage.append((lib.tc_ep_close, state[0]))
