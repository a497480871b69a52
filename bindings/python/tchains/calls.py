"""Calls that are under way."""
import itertools

from ._binding import ffi, lib
from .errors import error_of, Timeout
from .turn import stop_exception
from .waiting import wait_for

# Calls that are under way, by the number that the library gives back. They keep the memory of their replies.
_under_way = {}
_numbers = itertools.count(1)


class Call:
    """One call: `result()` waits for its reply, `await` does so in asyncio's loop."""

    def __init__(self, endpoint, room, decode):
        self.endpoint = endpoint
        self.context = endpoint.context
        self.room = room
        self.id = 0
        self.path = ()
        self.rank = None
        self._decode = decode
        self._ended = False
        self._failure = None
        self._size = 0
        self._callbacks = []
        self._number = next(_numbers)

    def params(self, timeout_ns, hop_limit, trace):
        """The completion of tc_call_start."""
        return ffi.new("tc_call_params *", {
            "result": self.room.pointer, "result_capacity": self.room.size, "timeout_ns": timeout_ns, "hop_limit": hop_limit,
            "trace": trace, "done": lib.tchains_call_done, "user": ffi.cast("void *", self._number)})

    def begin(self):
        """The library may end it from now on."""
        _under_way[self._number] = self

    def forget(self):
        """The library will not end it."""
        _under_way.pop(self._number, None)

    def record(self, outcome):
        """How it ended, as reported by the library."""
        if outcome.status != lib.TC_OK:
            self._failure = error_of(outcome.status, ffi.string(outcome.text).decode(errors="replace"))
        self._size = outcome.result_size
        self.rank = None if outcome.rank == lib.TC_RANK_NONE else outcome.rank
        self.path = tuple(outcome.path[i] for i in range(outcome.path_length)) if outcome.path != ffi.NULL else ()
        self._ended = True
        self.forget()
        self.context.turn.ended.append(self)

    def tell(self):
        """Runs the callbacks. An exception of one is logged: it does not concern the thread that progresses the context."""
        while True:
            try:
                callback = self._callbacks.pop(0)
            except IndexError:  # another thread may notify them, too
                return
            try:
                callback(self)
            except Exception:  # pylint: disable=broad-exception-caught
                import logging
                logging.getLogger("tchains").exception("a callback of a call raised")

    def done(self):
        """Returns whether it has ended."""
        return self._ended

    def add_done_callback(self, callback):
        """Has `callback(call)` called when it has ended; by the thread that progresses the context."""
        self._callbacks.append(callback)
        if self._ended:  # perhaps meanwhile, by another thread
            self.tell()

    def cancel(self):
        """Abandons it; whether it was under way. The function runs all the same."""
        if self._ended:
            return False

        def cancelled(pointer):
            if self._ended or lib.tc_call_cancel(pointer, self.id) != lib.TC_OK:
                return False
            self.forget()
            self._failure = error_of(lib.TC_E_CLOSED, "the call was cancelled")
            self._ended = True
            return True
        if self.context.turn.use(cancelled):
            self.tell()
            return True
        return False

    def exception(self, timeout=None):
        """Waits until it has ended; returns its error, or None."""
        if not wait_for(self.context, self.done, timeout):
            raise Timeout(lib.TC_E_TIMEOUT, f"no reply in {timeout} s; the call is still under way")
        return self._failure

    def result(self, timeout=None):
        """Waits for the reply, up to the call's own deadline; `timeout` gives up the waiting and not the call. A call
        with `into` returns the number of bytes that are there."""
        failure = self.exception(timeout)
        if failure is not None:
            raise failure
        if self._decode is None:
            return self._size
        return self._decode(memoryview(self.room.owner).cast("B")[:self._size])

    def __await__(self):
        from . import aio  # asyncio takes longer to load than all of this
        return aio.wait_call(self).__await__()


def _number_of(user):
    return int(ffi.cast("uintptr_t", user))


def _interrupted(_kind, exception, trace):
    """A signal's exception came between two lines of the callback: the call ends all the same, the exception waits."""
    while exception is not None:
        try:
            stop_exception(exception)
            values = trace.tb_frame.f_locals
            call = _under_way.get(_number_of(values["user"]))
            if call is not None:
                call.record(values["outcome"])
            exception = None
        except KeyboardInterrupt as another:  # once more: a partial record is recorded again
            exception = another


@ffi.def_extern(onerror=_interrupted)
def tchains_call_done(user, outcome):
    """The library's word that a call has ended."""
    call = _under_way.get(_number_of(user))
    if call is not None:
        call.record(outcome)
