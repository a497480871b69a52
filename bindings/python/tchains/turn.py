"""The turn of threads: a context belongs to one thread at a time, and to the process that made it."""
import collections
import os
import threading

from ._binding import ffi, lib
from .errors import Error, error_of

# An exception inside a callback of the library's, which no exception may leave: raised when the library returns.
_stopped = threading.local()


def stop_exception(exception):
    """Keeps an exception that a callback met for the call of the library that it runs in."""
    _stopped.exception = exception


def _take_stopped():
    exception = getattr(_stopped, "exception", None)
    _stopped.exception = None
    return exception


class Turn:
    """`turn.use(function)` around each use of a context's handle. Threads take turns; a child of a fork gets no
    turn.

    A signal may raise between any two calls that Python makes. So the lock is taken by `with` alone, and other steps to undo
    stand in `try` before the next call."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.process = os.getpid()
        self.lock = threading.RLock()
        # (function that frees, handle): objects collected meanwhile, in whichever thread. Appending is atomic.
        self.garbage = collections.deque()
        # Memory of open windows, by their handles: peers may use it until the library has closed the window, or the context.
        self.windows = {}
        # Calls that have ended, with callbacks to be called when the library has returned.
        self.ended = collections.deque()
        self.depth = 0
        self.blocking = False
        lib.tc_context_set_interrupt(pointer, lib.tchains_interrupt, ffi.NULL)

    def usable(self):
        """Returns whether the context exists, in this process."""
        return self.pointer != ffi.NULL and self.process == os.getpid()

    def check_usable(self):
        """Raises the reason why no part of the context can be used."""
        if self.process != os.getpid():
            raise error_of(lib.TC_E_INVALID, f"the context belongs to process {self.process}, and this is its child "
                                             f"{os.getpid()}: a child makes a context of its own")
        if self.pointer == ffi.NULL:
            raise error_of(lib.TC_E_CLOSED, "the context is closed")

    def _check(self):
        self.check_usable()
        if self.blocking:
            raise error_of(lib.TC_E_BUSY, "the context is in a call that waits, and this is a signal's handler inside it")
        if self.depth == 0:
            while self.garbage:
                free, handle = self.garbage[0]
                self.garbage.popleft()
                free(handle)

    def _run(self, function, blocking):
        with self.lock:
            self._check()
            outer = self.depth
            try:
                self.depth, self.blocking = outer + 1, blocking
                return function(self.pointer), outer == 0
            finally:
                self.depth, self.blocking = outer, False

    def use(self, function, blocking=False):
        """Returns the result of `function`, which gets the handle. `blocking`: the library asks for signals while it waits, so
        that their handlers run inside it."""
        if self.process != os.getpid():  # another thread of the parent may have had the lock
            self.check_usable()
        try:
            result, outermost = self._run(function, blocking)
        except Error as error:
            exception = _take_stopped()
            if exception is not None:
                raise exception from error
            raise
        if outermost:
            self.tell()
        return result

    def tell(self):
        """Has calls that ended run their callbacks; then raises the exception that a signal raised inside the library."""
        while self.ended:
            self.ended.popleft().tell()
        exception = _take_stopped()
        if exception is not None:
            raise exception

    def end(self, destroy=lib.tc_context_destroy):
        """Destroys the context, once; never in a child that has it by a fork alone. Returns the result of `destroy`."""
        if not self.usable():
            return None
        with self.lock:
            if self.depth > 0:
                raise error_of(lib.TC_E_BUSY, "the context is in use by a call that has not returned")
            pointer, self.pointer = self.pointer, ffi.NULL
            self.garbage.clear()
            result = destroy(pointer)
            if result != lib.TC_E_BUSY:
                self.windows.clear()
        self.tell()
        return result


def _raised(_kind, exception, _trace):
    stop_exception(exception)


@ffi.def_extern(error=1, onerror=_raised)
def tchains_interrupt(_user):
    """The library's question in a call that waits. Python runs handlers of signals when a function begins: their exceptions end
    the call."""
    return 0
