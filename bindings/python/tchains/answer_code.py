"""Answers of several values: a tuple in which there are arrays or tuples lies as a message of these values does."""
import numpy
from llvmlite import ir
from numba.core import cgutils, types
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype

from .parameters import c_alignment, struct_of
from .prototype import Layout, Value

_BYTE, _SIZE = ir.IntType(8), ir.IntType(64)


def is_plain(kind):
    """Returns whether a type is a number, or a tuple of numbers."""
    parts = kind.types if isinstance(kind, types.BaseTuple) else (kind,)
    return all(isinstance(part, (types.Number, types.Boolean)) for part in parts)


def is_several(result_type):
    """Returns whether a result is a tuple of more than numbers."""
    return isinstance(result_type, types.BaseTuple) and not is_plain(result_type)


def can_be_part(kind):
    """Returns whether a type can be one of several values."""
    return is_plain(kind) or isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"


def dtype_of(kind):
    """NumPy's type of a number, of an array's element, or of a tuple: a struct."""
    if isinstance(kind, types.BaseTuple):
        return struct_of({f"f{place}": as_dtype(types.unliteral(part)) for place, part in enumerate(kind.types)})
    return as_dtype(kind.dtype if isinstance(kind, types.Array) else types.unliteral(kind))


def layout_of(parts):
    """The layout of [(dtype, whether it is an array)]."""
    return Layout([Value(numpy.dtype(dtype), c_alignment(dtype), varies=varies) for dtype, varies in parts])


def _write(context, builder, kind, value, to):
    """Writes a number or a tuple; bytes between its members stay."""
    if not isinstance(kind, types.BaseTuple):
        context.pack_value(builder, kind, value, builder.bitcast(to, context.get_data_type(kind).as_pointer()), align=1)
        return
    fields = dtype_of(kind).fields
    for place, part in enumerate(kind.types):
        _write(context, builder, part, builder.extract_value(value, place), builder.gep(to, [_SIZE(fields[f"f{place}"][1])]))


def reply_bytes(context, builder, result_type, value, allocate):
    """(address, bytes) of an answer, in memory of allocate(bytes)."""
    layout = layout_of([(dtype_of(kind), isinstance(kind, types.Array)) for kind in result_type.types])
    members = [builder.extract_value(value, place) for place in range(len(result_type.types))]
    end, arrays = _SIZE(layout.fixed), []
    for place, (kind, member) in enumerate(zip(result_type.types, members)):
        if isinstance(kind, types.Array):
            array, alignment = arrayobj.make_array(kind)(context, builder, member), layout.values[place].alignment
            offset = builder.and_(builder.add(end, _SIZE(alignment - 1)), _SIZE(-alignment))
            size = builder.mul(array.nitems, array.itemsize)
            arrays.append((place, offset, array, size))
            end = builder.add(offset, size)
    room = allocate(end)
    cgutils.memset(builder, room, end, 0)
    for place, (kind, member) in enumerate(zip(result_type.types, members)):
        if not isinstance(kind, types.Array):
            _write(context, builder, kind, member, builder.gep(room, [_SIZE(layout.offsets[place])]))
    for place, offset, array, size in arrays:
        if place != layout.last:
            where = builder.gep(room, [_SIZE(layout.offsets[place])])
            builder.store(array.nitems, builder.bitcast(where, _SIZE.as_pointer()), align=1)
        cgutils.raw_memcpy(builder, builder.gep(room, [offset]), builder.bitcast(array.data, _BYTE.as_pointer()), size, 1)
    return room, end
