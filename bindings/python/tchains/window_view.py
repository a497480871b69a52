"""Views: windows of other processes that are mapped into this one. Gets, puts and atomic operations are instructions."""
from . import shared_memory
from ._binding import ffi, lib
from .errors import check, error_of
from .global_pointer import GlobalPointer, whole
from .waiting import Deadline
from .window_rights import Rights

_FIRST_NS = 50_000_000


class View:
    """A mapped window, of `endpoint.map`: words of 8 bytes at offsets that are multiples of 8. An offset is a number, or a GlobalPointer
    into the window. Closed by `close`, by `with`, with its context, or when it is collected. Threads may use it at the same time."""

    def __init__(self, context, pointer):
        self.context = context
        self.pointer = pointer.at(0)
        self.size, self.rights = 0, Rights(0)
        self._mapping = self._view = None

    def _attempt(self, peer, pointer, timeout_ns, err):
        """Has the library map it, takes a mapping of its own, and gives the library's back."""
        found, window = ffi.new("tc_window_view **"), ffi.new("tc_gptr *", self.pointer.fields())
        status = lib.tc_window_map(peer._pointer(), window[0], timeout_ns, found, err)
        if status != lib.TC_OK:
            return status
        try:
            view = ffi.new("tc_window_view *", found[0][0])
            mapping = shared_memory.map_again(view.memory, view.bytes)
            view.memory = ffi.cast("uint64_t *", mapping)
            self.size, self.rights = view.bytes, Rights(view.rights)
            self._mapping, self._view = mapping, view
        finally:
            lib.tc_window_unmap(pointer, found[0])
        return status

    def open(self, peer, timeout):
        """Asks the owner. The library blocks here, so it is asked again and again for a longer time: signals and other threads wait
        about as long as the peer takes."""
        deadline, slice_ns = Deadline(timeout), _FIRST_NS
        err = ffi.new("tc_error *")
        while True:
            left = max(1, min(slice_ns, deadline.left_ns()))
            status = self.context.turn.use(lambda pointer: self._attempt(peer, pointer, left, err))  # pylint: disable=cell-var-from-loop
            if status != lib.TC_E_TIMEOUT or deadline.left_ns() == 0:
                check(status, err)
                return self
            slice_ns *= 2

    def close(self):
        """Ends the view. Memory that an object still has stays mapped for it."""
        self._view = self._mapping = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open_view(self):
        view, mapping = self._view, self._mapping
        if view is None or mapping is None:
            raise error_of(lib.TC_E_CLOSED, "the view is closed")
        self.context.turn.check_usable()
        return view, mapping

    def _offset(self, offset):
        if not isinstance(offset, GlobalPointer):
            return whole(offset, "offset")
        if (offset.window, offset.generation) != (self.pointer.window, self.pointer.generation):
            raise error_of(lib.TC_E_INVALID, f"{offset!r} is of another window than the view's {self.pointer!r}")
        return offset.offset

    def _lacks(self, right):
        return error_of(lib.TC_E_INVALID, f"the window was mapped with the rights {self.rights.name}, expected {right.name}")

    def _word(self, right, function, offset, *arguments):
        """Has a function of tc/window_view.h use the word at an offset. `mapping` stays until it has returned."""
        offset = self._offset(offset)
        view, _mapping = self._open_view()
        if function(view, offset, *arguments) != lib.TC_OK:
            if right not in self.rights:
                raise self._lacks(right)
            raise error_of(lib.TC_E_INVALID, f"offset {offset}, expected a multiple of 8 whose word is within the window's "
                                             f"{self.size} bytes")

    def get(self, offset):
        """The word there, by an acquiring load."""
        out = ffi.new("uint64_t *")
        self._word(Rights.READ, lib.tc_window_view_get, offset, out)
        return out[0]

    def put(self, offset, value):
        """Stores a word there, by a releasing store."""
        self._word(Rights.WRITE, lib.tc_window_view_put, offset, whole(value, "value"))

    def fetch_add(self, offset, value):
        """Adds to the word there, modulo 2**64; returns the value before."""
        out = ffi.new("uint64_t *")
        value = whole(value, "value", -2**63) & (2**64 - 1)
        self._word(Rights.ATOMIC, lib.tc_window_view_fetch_add, offset, value, out)
        return out[0]

    def compare_swap(self, offset, expected, desired):
        """Replaces the word there if it is `expected`; returns the value before."""
        out = ffi.new("uint64_t *")
        self._word(Rights.ATOMIC, lib.tc_window_view_compare_swap, offset, whole(expected, "expected"), whole(desired, "desired"),
                   out)
        return out[0]

    @property
    def memory(self):
        """A memoryview of all bytes, read-only without Rights.WRITE. It stays valid, with the last bytes, when the view is closed."""
        _view, mapping = self._open_view()
        if Rights.READ not in self.rights:
            raise self._lacks(Rights.READ)
        return shared_memory.view_of(mapping, self.size, Rights.WRITE in self.rights)
