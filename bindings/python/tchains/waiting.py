"""Waiting that Python's signals can end: in slices, between which the interpreter has its turn."""
import time

from ._binding import ffi, lib
from .errors import error_of

# How long the interpreter may have to wait before it raises KeyboardInterrupt, and another thread before it gets the context.
SLICE_NS = 50_000_000


def nanoseconds(seconds, default):
    """A timeout in seconds as the library takes it; None: `default`."""
    if seconds is None:
        return default
    if seconds < 0:
        raise ValueError(f"a timeout is not below 0 seconds; found {seconds}")
    return min(int(seconds * 1e9), lib.TC_FOREVER - 1)


class Deadline:
    """A moment; None: never."""

    def __init__(self, seconds):
        self.end = None if seconds is None else time.monotonic_ns() + nanoseconds(seconds, 0)

    def left_ns(self):
        """How long it is until then; 0: the moment has come."""
        return lib.TC_FOREVER - 1 if self.end is None else max(0, self.end - time.monotonic_ns())

    def slice_ns(self):
        """How long to wait at once; 0: the moment has come."""
        return min(SLICE_NS, self.left_ns())


def wait_for(context, condition, seconds):
    """Progresses the context until the condition is true. Returns whether it became true in time."""
    deadline = Deadline(seconds)
    while not condition():
        left = deadline.slice_ns()
        if left == 0:
            context.turn.use(lib.tc_progress)
            return condition()
        wait_once(context, left)
    return True


def wait_once(context, slice_ns):
    """One tc_wait. Returns whether something happened."""
    status = context.turn.use(lambda pointer: lib.tc_wait(pointer, slice_ns))
    if status not in (lib.TC_OK, lib.TC_E_TIMEOUT):
        raise error_of(status)
    return status == lib.TC_OK


def repeat(context, attempt, seconds):
    """Calls `attempt`, which blocks for the nanoseconds that it is given, until it returns another status than TC_E_TIMEOUT."""
    deadline = Deadline(seconds)
    err = ffi.new("tc_error *")
    while True:
        left = deadline.slice_ns()
        status = context.turn.use(lambda _: attempt(left, err))  # pylint: disable=cell-var-from-loop
        if status != lib.TC_E_TIMEOUT or left == 0:
            return status, err
