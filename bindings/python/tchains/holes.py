"""Values for the holes of functions: constants that the sender sets (TC_HOLE of <tc/entry.h>)."""
import numbers
import struct
import sys

from ._binding import ffi, lib

_FLOATS = {2: "e", 4: "f", 8: "d"}
_KINDS = {"b": "TC_HOLE_INTEGER", "i": "TC_HOLE_INTEGER", "u": "TC_HOLE_INTEGER", "f": "TC_HOLE_FLOATING"}


def holes_of(pointer):
    """{name: (size, kind)} of the holes of a tc_ifunc that want values."""
    count = lib.tc_ifunc_holes(pointer, ffi.NULL, 0)
    infos = ffi.new("tc_hole_info[]", count)
    lib.tc_ifunc_holes(pointer, infos, count)
    return {ffi.string(info.name).decode(): (info.size, info.kind) for info in infos}


def _integer(function, name, value, size):
    value = int(value)
    try:
        return value.to_bytes(size, sys.byteorder, signed=value < 0)
    except OverflowError:
        raise OverflowError(f"{function}: hole {name} has {size} bytes, its value is {value}") from None


def _encoded(function, name, value, hole):
    """(bytes, kind) of a value. Numbers of Python and their like get the hole's size; whatever has a buffer, a NumPy scalar for
    example, has a size of its own, which the library compares."""
    size, kind = hole
    numeric = getattr(getattr(value, "dtype", None), "kind", None)
    if numeric is not None or not isinstance(value, numbers.Real):
        if isinstance(value, str):
            raise TypeError(f"{function}: hole {name} takes a number or bytes; found a str")
        if "O" in memoryview(value).format:
            raise TypeError("Python objects mean nothing to a function that travels")
        scalar = getattr(value, "ndim", 1) == 0
        return bytes(memoryview(value)), getattr(lib, _KINDS.get(numeric, "TC_HOLE_BYTES")) if scalar else lib.TC_HOLE_BYTES
    if kind == lib.TC_HOLE_FLOATING:
        return struct.pack("=" + _FLOATS[size], value), kind
    if isinstance(value, numbers.Integral) and kind == lib.TC_HOLE_INTEGER:
        return _integer(function, name, value, size), kind
    if isinstance(value, numbers.Integral):
        raise TypeError(f"{function}: hole {name} is {size} bytes of no stated kind; give these bytes, or a typed value "
                        f"(numpy.int32({value}))")
    return struct.pack("=d", value), lib.TC_HOLE_FLOATING


def values_of(function, pointer, given):
    """A tc_hole_value[] for a fill, and what it points to."""
    holes, kept = holes_of(pointer), []
    values = ffi.new("tc_hole_value[]", len(given))
    for value, (name, of) in zip(values, given.items()):
        # The library explains a hole that is not there.
        data, kind = _encoded(function, name, of, holes[name]) if name in holes else (b"\0", lib.TC_HOLE_BYTES)
        kept += [ffi.new("char[]", name.encode()), ffi.from_buffer(data)]
        value.name, value.value, value.size, value.kind = kept[-2], kept[-1], len(data), kind
    return values, kept
