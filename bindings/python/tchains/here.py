"""Operations of a function of `@tchains.ifunc` at the node where it runs. Elsewhere these raise RuntimeError.

    here.rank(), here.size()   this node's in the group of the message; 2**32 - 1 and 0 outside groups
    here.origin()              the rank that sent the message first
    here.hops()                how often it was forwarded
    here.forward(rank, ...)    sends the running function on, and with it the call
    here.send(rank, ...)       sends the running function to a rank, as a message of its own
    here.send_back(...)        sends it to the process that the message came from, in a group or not
    here.reply(array)          replies before the function returns, once
    here.detach(ticket)        keeps the call, to be answered by another message: writes 16 bytes to an array
    here.reply_to(ticket, array)    replies to a call that was kept, in whatever function of the group has its ticket
    here.array(address, count, dtype)    a view of memory that an address in the node's data leads to

`...` stands for the values that the function takes, or one contiguous array with the payload's bytes. Those that send, reply or
detach give 0, or the status below 0 that tc/entry.h has.
"""
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from . import message_code
from ._binding import lib
from .message_code import is_contiguous, memory_of

_BYTES, _INT, _SIZE = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)
_TICKET_BYTES = 16


def _call(builder, symbol, arguments, result=_INT):
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, symbol), arguments)


def _status(builder, conditions, failed, attempt):
    """The result of `attempt`, or `failed` where one of the conditions is 0."""
    status = cgutils.alloca_once_value(builder, _INT(failed))
    fine = ir.IntType(1)(1)
    for condition in conditions:
        fine = builder.and_(fine, cgutils.is_not_null(builder, condition))
    with builder.if_then(fine):
        builder.store(attempt(), status)
    return builder.load(status)


def _asking(symbol):
    """`uint32_t symbol(void)`"""
    return types.uint32(), lambda context, builder, signature, arguments: _call(builder, symbol, [])


@intrinsic
def rank(_context):
    return _asking("tc_self_rank")


@intrinsic
def size(_context):
    return _asking("tc_self_size")


@intrinsic
def origin(_context):
    return _asking("tc_self_origin")


@intrinsic
def hops(_context):
    return _asking("tc_self_hops")


def _sent(context, builder, kinds, values, send):
    """Has `send` send a payload of the values; no memory for one is a status."""
    address, size, own = message_code.payload(context, builder, kinds.types, cgutils.unpack_tuple(builder, values, len(kinds)))
    if own is None:
        return send(address, size)

    def attempt():
        status = send(address, size)
        _call(builder, "free", [address], ir.VoidType())
        return status
    return _status(builder, [address], lib.TC_E_NO_MEMORY, attempt)


@intrinsic
def forward(_context, to, *values):
    if not isinstance(to, types.Integer):
        return None

    def code(context, builder, signature, arguments):
        return _sent(context, builder, signature.args[1], arguments[1],
                     lambda address, size: _call(builder, "tc_forward", [arguments[0], address, size]))
    return types.int32(types.uint32, types.StarArgTuple.from_types(values)), code


def _send(builder, symbol, where, more):
    """`send` for _sent: the running function, by a call of the library to the destination `where`."""
    def send(address, size):
        place, function = (_call(builder, name, [], _BYTES) for name in (where, "tc_self_ifunc"))
        return _status(builder, [place, function], lib.TC_E_INVALID,
                       lambda: _call(builder, symbol, [place, *more, function, address, size]))
    return send


@intrinsic
def send(_context, to, *values):
    if not isinstance(to, types.Integer):
        return None

    def code(context, builder, signature, arguments):
        return _sent(context, builder, signature.args[1], arguments[1],
                     _send(builder, "tc_group_send", "tc_self_group", [arguments[0]]))
    return types.int32(types.uint32, types.StarArgTuple.from_types(values)), code


@intrinsic
def send_back(_context, *values):
    def code(context, builder, signature, arguments):
        return _sent(context, builder, signature.args[0], arguments[0], _send(builder, "tc_send", "tc_self_endpoint", []))
    return types.int32(types.StarArgTuple.from_types(values)), code


@intrinsic
def reply(_context, array):
    if not is_contiguous(array):
        return None

    def code(context, builder, signature, arguments):
        return _call(builder, "tc_reply", memory_of(context, builder, signature.args[0], arguments[0]))
    return types.int32(array), code


def _with_ticket(context, builder, kind, value, attempt):
    """Memory for a ticket, as tc_call_ticket has it, and whether the array has as many bytes."""
    address, size = memory_of(context, builder, kind, value)
    room = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(_SIZE, _TICKET_BYTES // 8)), _BYTES)
    enough = builder.icmp_unsigned(">=", size, _SIZE(_TICKET_BYTES))
    return _status(builder, [enough], lib.TC_E_INVALID, lambda: attempt(address, room))


@intrinsic
def detach(_context, ticket):
    if not is_contiguous(ticket) or not ticket.mutable:
        return None

    def code(context, builder, signature, arguments):
        def attempt(address, room):
            status = _call(builder, "tc_detach", [room])
            with builder.if_then(builder.icmp_signed("==", status, _INT(lib.TC_OK))):
                cgutils.raw_memcpy(builder, address, room, _SIZE(_TICKET_BYTES), 1)
            return status
        return _with_ticket(context, builder, signature.args[0], arguments[0], attempt)
    return types.int32(ticket), code


@intrinsic
def reply_to(_context, ticket, array):
    if not is_contiguous(ticket) or not is_contiguous(array):
        return None

    def code(context, builder, signature, arguments):
        def attempt(address, room):
            cgutils.raw_memcpy(builder, room, address, _SIZE(_TICKET_BYTES), 1)
            return _call(builder, "tc_reply_to", [room, *memory_of(context, builder, signature.args[1], arguments[1])])
        return _with_ticket(context, builder, signature.args[0], arguments[0], attempt)
    return types.int32(ticket, array), code


@intrinsic
def array(_context, address, count, dtype):
    if not (isinstance(address, types.Integer) and isinstance(count, types.Integer) and isinstance(dtype, types.DTypeSpec)):
        return None
    view = types.Array(dtype.dtype, 1, "C")

    def code(context, builder, _signature, arguments):
        made = arrayobj.make_array(view)(context, builder)
        item = _SIZE(context.get_abi_sizeof(context.get_data_type(dtype.dtype)))
        arrayobj.populate_array(made, data=builder.inttoptr(arguments[0], made.data.type), shape=[arguments[1]], strides=[item],
                                itemsize=item, meminfo=None)
        return made._getvalue()
    return view(types.uint64, types.intp, dtype), code
