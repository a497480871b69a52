"""Bytes that go to the library: the memory of whatever has a buffer, kept where it is for as long as it is needed."""
from ._binding import ffi


class Bytes:
    """The memory of a payload. While this object lives the memory stays, and a bytearray cannot change its size; nothing is
    copied."""

    __slots__ = ("pointer", "size")

    def __init__(self, payload):
        view = memoryview(payload)
        if "O" in view.format:
            raise TypeError("the payload holds Python objects, which mean nothing in another process")
        if not view.c_contiguous:
            raise TypeError("the payload has gaps; expected contiguous memory: numpy.ascontiguousarray(...)")
        self.size = view.nbytes
        self.pointer = ffi.from_buffer(payload)


class Room:
    """Memory that a reply is written to: the caller's own, or new."""

    __slots__ = ("pointer", "size", "owner")

    def __init__(self, into, capacity):
        self.owner = into if into is not None else bytearray(capacity)
        view = memoryview(self.owner)
        if "O" in view.format or view.readonly or not view.c_contiguous:
            raise TypeError("expected contiguous memory that can be written, without Python objects, for the reply")
        self.size = view.nbytes
        self.pointer = ffi.from_buffer(self.owner, require_writable=True)
