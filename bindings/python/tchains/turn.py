"""Whose turn it is: a context belongs to one thread at a time, and to the process that made it."""
import collections
import os
import threading

from ._binding import ffi, lib
from .errors import error_of

# What was raised inside a callback of the library's, where nothing may leave by an exception: raised when the library returns.
_stopped = threading.local()


def stop_exception(exception):
    """Keeps an exception that a callback met for the call of the library that it runs in."""
    _stopped.exception = exception


class Turn:
    """`with turn as pointer:` around each use of a context's handle. Threads take turns; a child of a fork gets none."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.process = os.getpid()
        self.lock = threading.RLock()
        # (function that frees, handle): what was collected meanwhile, in whichever thread. Appending is atomic.
        self.garbage = collections.deque()
        # Calls that have ended, whose callbacks are to be told when the library has returned.
        self.ended = collections.deque()
        self.depth = 0

    def usable(self):
        """Whether the context is there, in this process."""
        return self.pointer != ffi.NULL and self.process == os.getpid()

    def __enter__(self):
        if self.process != os.getpid():
            raise error_of(lib.TC_E_INVALID, f"the context belongs to process {self.process}, and this is its child "
                                             f"{os.getpid()}: a child makes a context of its own")
        self.lock.acquire()
        if self.pointer == ffi.NULL:
            self.lock.release()
            raise error_of(lib.TC_E_CLOSED, "the context is closed")
        self.depth += 1
        if self.garbage and self.depth == 1:
            self._sweep()
        return self.pointer

    def _sweep(self):
        while self.garbage:
            free, handle = self.garbage.popleft()
            free(handle)

    def __exit__(self, kind, value, trace):
        self.depth -= 1
        outermost = self.depth == 0
        self.lock.release()
        if outermost:
            self._tell(kind)

    def _tell(self, kind):
        exception = getattr(_stopped, "exception", None)
        _stopped.exception = None
        while self.ended:
            self.ended.popleft().tell()
        if exception is not None and kind is None:
            raise exception
