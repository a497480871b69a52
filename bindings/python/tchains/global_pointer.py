"""Global pointers: positions in windows of other processes, which may travel and be stored."""
import dataclasses
import functools
import operator
import struct

from ._binding import lib
from .errors import error_of

WORD_MAX = 2**64 - 1
# tc_gptr: window, generation, rank, offset.
_LAYOUT = struct.Struct("=HHIQ")


def whole(value, name, least=0, most=WORD_MAX):
    """A whole number within its limits, or tchains.Invalid with both."""
    number = operator.index(value)
    if not least <= number <= most:
        raise error_of(lib.TC_E_INVALID, f"{name} is {number}, expected {least} to {most}")
    return number


@functools.total_ordering
@dataclasses.dataclass(frozen=True, slots=True)
class GlobalPointer:
    """A position in a window, 16 bytes: `bytes(pointer)` and `GlobalPointer.from_bytes`. `pointer + n` is n bytes behind it, and the
    difference of two pointers into one window is in bytes. Pointers are ordered by window, generation, rank and offset.

    Untrusted, whatever its source: its owner checks it. False if it names no window, as 16 zeros do."""

    window: int
    generation: int
    rank: int | None
    offset: int = 0

    def __post_init__(self):
        whole(self.window, "window", 0, 2**16 - 1)
        whole(self.generation, "generation", 0, 2**16 - 1)
        if self.rank is not None:
            whole(self.rank, "rank", 0, lib.TC_RANK_NONE - 1)
        whole(self.offset, "offset")

    @classmethod
    def from_bytes(cls, data):
        """The pointer that `bytes(pointer)` or a tc_gptr in C has as these bytes."""
        data = bytes(memoryview(data))
        if len(data) != _LAYOUT.size:
            raise error_of(lib.TC_E_INVALID, f"a global pointer of {len(data)} bytes, expected {_LAYOUT.size}")
        window, generation, rank, offset = _LAYOUT.unpack(data)
        return cls(window, generation, None if rank == lib.TC_RANK_NONE else rank, offset)

    def fields(self):
        """The members of a tc_gptr."""
        return self.window, self.generation, lib.TC_RANK_NONE if self.rank is None else self.rank, self.offset

    def at(self, offset):
        """The same window at another offset."""
        return dataclasses.replace(self, offset=whole(offset, "offset"))

    def __bytes__(self):
        return _LAYOUT.pack(*self.fields())

    def __bool__(self):
        return self.generation != 0

    def __lt__(self, other):
        if not isinstance(other, GlobalPointer):
            return NotImplemented
        return self.fields() < other.fields()

    def __add__(self, count):
        try:
            count = operator.index(count)
        except TypeError:
            return NotImplemented
        return self.at(self.offset + count)

    __radd__ = __add__

    def __sub__(self, other):
        if not isinstance(other, GlobalPointer):
            try:
                return self + -operator.index(other)
            except TypeError:
                return NotImplemented
        if self.fields()[:3] != other.fields()[:3]:
            raise error_of(lib.TC_E_INVALID, f"{self!r} and {other!r} are of two windows, expected one")
        return self.offset - other.offset


def pointer_of(value):
    """The value, if it is one, or TypeError."""
    if not isinstance(value, GlobalPointer):
        raise TypeError(f"expected a GlobalPointer; found {value!r}")
    return value
