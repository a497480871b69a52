"""Payloads that a running function makes: of the values that it gives `here.forward` and others that send it on."""
from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.np import arrayobj
from numba.np.numpy_support import from_dtype

from . import parameters

_BYTES, _SIZE = ir.IntType(8).as_pointer(), ir.IntType(64)
_WIDER = ((types.Boolean,), (types.Boolean, types.Integer), (types.Boolean, types.Integer, types.Float),
          (types.Boolean, types.Integer, types.Float, types.Complex))


def is_contiguous(kind):
    """Returns whether its memory has no gaps."""
    return isinstance(kind, types.Array) and kind.layout == "C"


def memory_of(context, builder, array_type, value):
    """[address, bytes] of an array."""
    array = arrayobj.make_array(array_type)(context, builder, value)
    return [builder.bitcast(array.data, _BYTES), builder.mul(array.nitems, array.itemsize)]


def _fits(kind, found):
    """Returns whether a value of a type can be that parameter."""
    if isinstance(kind, parameters.Scalar):
        wanted = from_dtype(kind.dtype)
        if kind.dtype.names is not None:
            return found == wanted
        wide = next(wide for wide in _WIDER if isinstance(wanted, wide))
        return isinstance(found, wide)
    return is_contiguous(found) and found.dtype == from_dtype(kind.dtype) and found.ndim == len(kind.shape)


def _signature(context, found):
    """The message of the function which is compiled, if the values are its own. None: they are an array with the payload's
    bytes."""
    signature = getattr(context, "tchains_signature", None)
    if signature is not None and len(found) == len(signature.sent) and \
            all(_fits(signature.parameters[name], kind) for name, kind in zip(signature.sent, found)):
        return signature
    if len(found) == 1 and is_contiguous(found[0]):
        return None
    given = ", ".join(str(kind) for kind in found)
    if signature is None:
        raise errors.TypingError(f"a function that travels sends values ({given}) from its own body alone; those that it calls "
                                 "send an array")
    raise errors.TypingError(f"the function takes ({', '.join(signature.sent)}), contiguous arrays and numbers that fit; "
                             f"found ({given})")


def payload(context, builder, found, values):
    """(address, bytes, memory to be freed or None) of a payload; the address may be 0 then, where there was no payload."""
    signature = _signature(context, found)
    if signature is None or not signature.scalars.names and signature.array is not None:
        return *memory_of(context, builder, found[0], values[0]), None
    numbers, arrays, end = _parts(context, builder, signature, found, values)
    head = _SIZE(signature.fixed if arrays else signature.scalars.itemsize)
    size = end if arrays else head
    if not arrays:
        place = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), max(1, head.constant)))
        place.align = parameters.PAYLOAD_ALIGNMENT
        room, own = builder.bitcast(place, _BYTES), None
    else:
        malloc = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_BYTES, [_SIZE]), "malloc")
        room = own = builder.call(malloc, [size])
    with builder.if_then(cgutils.is_not_null(builder, room)):
        cgutils.memset(builder, room, size if len(arrays) > 1 else _SIZE(signature.array_offset) if arrays else head, 0)
        for name, (kind, value) in numbers.items():
            _write_number(context, builder, signature.scalars.fields[name], kind, value, room)
        for offset, data, size_of_array in arrays:
            cgutils.raw_memcpy(builder, builder.gep(room, [offset]), data, size_of_array, 1)
    return room, size, own


def _parts(context, builder, signature, found, values):
    """({field: (its type, value)}, [(offset, address, bytes) of an array], where the last one ends)."""
    numbers, arrays, end = {}, [], _SIZE(signature.fixed)
    for name, kind, value in zip(signature.sent, found, values):
        own = signature.parameters[name]
        if not isinstance(own, parameters.Payload):
            numbers[name] = kind, value
            continue
        data, size = memory_of(context, builder, kind, value)
        alignment = parameters.c_alignment(own.dtype)
        offset = builder.and_(builder.add(end, _SIZE(alignment - 1)), _SIZE(-alignment))
        end = builder.add(offset, size)
        arrays.append((offset, data, size))
        array = arrayobj.make_array(kind)(context, builder, value)
        lengths = cgutils.unpack_tuple(builder, array.shape)
        for place in own.travelling:
            numbers[parameters.dimension_name(name, place)] = types.int64, lengths[place]
        if name != signature.arrays[-1]:
            numbers[parameters.count_name(name)] = types.int64, array.nitems
    return numbers, arrays, end


def _write_number(context, builder, field, kind, value, room):
    dtype, offset = field[:2]
    where = builder.gep(room, [_SIZE(offset)])
    if dtype.names is not None:
        cgutils.raw_memcpy(builder, where, builder.bitcast(value, _BYTES), _SIZE(dtype.itemsize), 1)
        return
    wanted = from_dtype(dtype)
    where = builder.bitcast(where, context.get_data_type(wanted).as_pointer())
    context.pack_value(builder, wanted, context.cast(builder, value, kind, wanted), where)
