"""Calls and chains of operations that are under way: the library ends each by a callback."""
import itertools

from ._binding import ffi, lib
from .errors import Timeout
from .turn import stop_exception
from .waiting import wait_for

# Those that are under way, by the number that the library gives back. They keep the memory of their results.
_under_way = {}
_numbers = itertools.count(1)


class Started:
    """One of them: `result()` waits for its end, `await` does so in asyncio's loop."""

    kind = "call"

    def __init__(self, context):
        self.context = context
        self._ended = False
        self._failure = None
        self._callbacks = []
        self._number = next(_numbers)

    def user(self):
        """The argument by which a callback finds it."""
        return ffi.cast("void *", self._number)

    def begin(self):
        """The library may end it from now on."""
        _under_way[self._number] = self

    def forget(self):
        """The library will not end it."""
        _under_way.pop(self._number, None)

    def record(self, *outcome):
        """How it ended, as reported by the library."""
        raise NotImplementedError

    def _end(self):
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
                logging.getLogger("tchains").exception("a callback of a %s raised", self.kind)

    def done(self):
        """Returns whether it has ended."""
        return self._ended

    def add_done_callback(self, callback):
        """Has `callback(self)` called when it has ended; by the thread that progresses the context."""
        self._callbacks.append(callback)
        if self._ended:  # perhaps meanwhile, by another thread
            self.tell()

    def cancel(self):
        """Abandons it; whether it was under way."""
        raise NotImplementedError

    def exception(self, timeout=None):
        """Waits until it has ended; returns its error, or None."""
        if not wait_for(self.context, self.done, timeout):
            raise Timeout(lib.TC_E_TIMEOUT, f"no reply in {timeout} s; the {self.kind} is still under way")
        return self._failure

    def _value(self):
        raise NotImplementedError

    def result(self, timeout=None):
        """Waits for its result, up to its own deadline; `timeout` gives up the waiting alone."""
        failure = self.exception(timeout)
        if failure is not None:
            raise failure
        return self._value()

    def __await__(self):
        from . import aio  # asyncio takes longer to load than all of this
        return aio.wait_call(self).__await__()


def ended(user, outcome):
    """Records the end of the one with that number."""
    started = _under_way.get(int(ffi.cast("uintptr_t", user)))
    if started is not None:
        started.record(*outcome)


def interrupted(_kind, exception, trace):
    """A signal's exception came between two lines of a callback(user, *outcome): the call ends all the same, the exception waits."""
    while exception is not None:
        try:
            stop_exception(exception)
            values = trace.tb_frame.f_locals
            ended(values["user"], values["outcome"])
            exception = None
        except KeyboardInterrupt as another:  # once more: a partial record is recorded again
            exception = another
