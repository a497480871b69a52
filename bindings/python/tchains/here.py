"""What a function of `@tchains.ifunc` can ask and do at the node where it runs. Elsewhere these raise RuntimeError.

    here.rank(), here.size()   this node's in the group of the message; 2**32 - 1 and 0 outside groups
    here.origin()              the rank that sent the message first
    here.hops()                how often it was forwarded
    here.forward(rank, array)  sends the running function on, and with it the call, with an array as payload; 0 or a status
    here.reply(array)          replies before the function returns, once; 0 or a status
    here.array(address, count, dtype)    a view of memory that an address in the node's data leads to
"""
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

_BYTES, _INT, _SIZE = ir.IntType(8).as_pointer(), ir.IntType(32), ir.IntType(64)


def _call(builder, symbol, arguments):
    function_type = ir.FunctionType(_INT, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, function_type, symbol), arguments)


def _memory(context, builder, array_type, value):
    array = arrayobj.make_array(array_type)(context, builder, value)
    return [builder.bitcast(array.data, _BYTES), builder.mul(array.nitems, array.itemsize)]


def _contiguous(array):
    return isinstance(array, types.Array) and array.layout == "C"


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


@intrinsic
def forward(_context, to, array):
    if not (isinstance(to, types.Integer) and _contiguous(array)):
        return None

    def code(context, builder, signature, arguments):
        return _call(builder, "tc_forward", [arguments[0], *_memory(context, builder, signature.args[1], arguments[1])])
    return types.int32(types.uint32, array), code


@intrinsic
def reply(_context, array):
    if not _contiguous(array):
        return None

    def code(context, builder, signature, arguments):
        return _call(builder, "tc_reply", _memory(context, builder, signature.args[0], arguments[0]))
    return types.int32(array), code


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
