"""Shared memory of windows, as Python has it: mapped once more, for as long as an object refers to it. So a memoryview or an array of
it stays valid when the window, the view or the context is closed, in whichever thread."""
from ._binding import ffi, lib
from .errors import error_of


def map_again(address, size):
    """Another mapping of shared memory, which ends with the object that is returned."""
    again = lib.tchains_map_again(address, size)
    if again == ffi.NULL:
        raise error_of(lib.TC_E_NO_MEMORY, f"{size} bytes of shared memory cannot be mapped once more")
    return ffi.gc(again, lib.tchains_unmap)


def view_of(mapping, size, writable):
    """A memoryview of a mapping, which keeps it."""
    view = memoryview(ffi.buffer(mapping, size))
    return view if writable else view.toreadonly()
