"""The entry of a function that travels: NAME_main, with the ifunc's C signature, around Numba's output for the Python function.

It checks the payload, which is untrusted, makes arguments of it and of the node's memory, and replies with the function's
result or exception. Nothing in it calls Python.
"""
import math

from llvmlite import ir
from numba.core import cgutils, types
from numba.np import arrayobj
from numba.np.numpy_support import from_dtype

from . import answer_code, parameters
from ._binding import lib

_BYTE = ir.IntType(8)
_POINTER = _BYTE.as_pointer()
_SIZE = ir.IntType(64)
_INT = ir.IntType(32)
_TEXT_BYTES = 256


def numba_type(kind):
    """Numba's type of a parameter."""
    if isinstance(kind, (parameters.Scalar, parameters.Unit)):
        return from_dtype(kind.dtype)
    return types.Array(from_dtype(kind.dtype), len(kind.shape), "C", readonly=not kind.writable)


def argument_types(signature):
    """Numba's types of a function's parameters."""
    return tuple(numba_type(kind) for kind in signature.parameters.values())


class Entry:
    """Writes NAME_main into a module of Numba's; maker_code.py has those of the sender."""

    suffix, result, more = "_main", ir.VoidType(), [_POINTER]

    def __init__(self, context, module, name, signature):
        self.context, self.module, self.name, self.signature = context, module, name, signature
        function_type = ir.FunctionType(self.result, [_POINTER, _SIZE, *self.more])
        entry = ir.Function(module, function_type, name + self.suffix)
        self.payload, self.payload_size, *self.rest = entry.args
        self.builder = ir.IRBuilder(entry.append_basic_block("entry"))

    def _declare(self, name, result, arguments, variadic=False):
        return cgutils.get_or_insert_function(self.module, ir.FunctionType(result, arguments, var_arg=variadic), name)

    def _text(self, text):
        return self.context.insert_const_string(self.module, text)

    def _fail(self, status, text, value=None):
        """Ends the message: a call gets the status and the text, in which %zu is the value."""
        builder = self.builder
        builder.call(self._failing(), [_INT(status), self._text(f"{self.name}: {text}"), _SIZE(0) if value is None else value])
        builder.ret_void()

    def _failing(self):
        """A function apart, so that messages that are in order need no space for a text."""
        name = "tchains.fail"
        if name in self.module.globals:
            return self.module.globals[name]
        fail = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [_INT, _POINTER, _SIZE]), name)
        fail.attributes.add("cold")
        status, text, value = fail.args
        builder = ir.IRBuilder(fail.append_basic_block("entry"))
        room = builder.bitcast(builder.alloca(ir.ArrayType(_BYTE, _TEXT_BYTES)), _POINTER)
        builder.call(self._declare("snprintf", _INT, [_POINTER, _SIZE, _POINTER], variadic=True),
                     [room, _SIZE(_TEXT_BYTES), text, value])
        builder.call(self._declare("tc_self_fail", ir.VoidType(), [_INT, _POINTER]), [status, room])
        builder.ret_void()
        return fail

    def _refuse_if(self, condition, status, text, value=None):
        with self.builder.if_then(condition, likely=False):
            self._fail(status, text, value)

    def _view(self, kind, pointer, size, what, dimensions=()):
        """A Numba array over `size` bytes, which have to be those of its shape."""
        builder = self.builder
        if dimensions:
            self._check_dimensions(kind, dimensions, size, what)
            opened = dict(zip(kind.open, dimensions))
        else:
            opened = self._open_dimension(kind, size, what)
        alignment = parameters.c_alignment(kind.dtype)
        address = builder.ptrtoint(pointer, _SIZE)
        self._refuse_if(builder.icmp_unsigned("!=", builder.and_(address, _SIZE(alignment - 1)), _SIZE(0)), lib.TC_E_INVALID,
                        f"{what} is not aligned to {alignment} bytes, as {kind.dtype} needs")
        return self._array(kind, pointer, opened)

    def _open_dimension(self, kind, size, what):
        """{index: size} of the dimension that follows from the bytes, or empty."""
        builder, row = self.builder, kind.dtype.itemsize * math.prod(length for length in kind.shape if length is not None)
        if not kind.open:
            self._refuse_if(builder.icmp_unsigned("!=", size, _SIZE(row)), lib.TC_E_INVALID,
                            f"{what} has %zu bytes, expected {row}", size)
            return {}
        self._refuse_if(builder.icmp_unsigned("!=", builder.urem(size, _SIZE(row)), _SIZE(0)), lib.TC_E_INVALID,
                        f"{what} has %zu bytes, expected a multiple of {row}", size)
        return {kind.open[0]: builder.udiv(size, _SIZE(row))}

    def _check_dimensions(self, kind, dimensions, size, what):
        """Those of a message are untrusted: they must not be negative, and their product is that of the bytes, also where
        one is 0 and others would not fit."""
        builder, zero = self.builder, _SIZE(0)
        product, wrong, empty = _SIZE(kind.dtype.itemsize), ir.IntType(1)(0), ir.IntType(1)(0)
        fixed = math.prod(length for length in kind.shape if length is not None)
        for length in [*dimensions, _SIZE(fixed)]:
            wrong = builder.or_(wrong, builder.icmp_signed("<", length, zero))
            none = builder.icmp_unsigned("==", length, zero)
            empty = builder.or_(empty, none)
            pair = builder.smul_with_overflow(product, builder.select(none, _SIZE(1), length))
            product = builder.extract_value(pair, 0)
            wrong = builder.or_(wrong, builder.extract_value(pair, 1))
        product = builder.select(empty, zero, product)
        wrong = builder.or_(wrong, builder.icmp_unsigned("!=", product, size))
        self._refuse_if(wrong, lib.TC_E_INVALID, f"{what} has %zu bytes, which its dimensions do not need", size)

    def _array(self, kind, pointer, opened=None):
        builder = self.builder
        array = arrayobj.make_array(numba_type(kind))(self.context, builder)
        item = _SIZE(kind.dtype.itemsize)
        shape = [_SIZE(length) if length is not None else opened[place] for place, length in enumerate(kind.shape)]
        strides = [item]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        arrayobj.populate_array(array, data=builder.bitcast(pointer, array.data.type), shape=shape, strides=strides, itemsize=item,
                                meminfo=None)
        return array._getvalue()

    def _check_payload(self):
        builder, signature = self.builder, self.signature
        need = signature.array_offset if signature.array else signature.scalars.itemsize
        found = builder.icmp_unsigned("<" if signature.array else "!=", self.payload_size, _SIZE(need))
        self._refuse_if(found, lib.TC_E_INVALID,
                        f"payload of %zu bytes, expected {'at least ' if signature.array else ''}{need}", self.payload_size)
        self.elements_end = _SIZE(signature.fixed)

    def _elements(self, name, kind):
        """(offset, bytes) of an array, which begins where the one in front of it ends. A peer has chosen the number of elements."""
        builder, alignment = self.builder, parameters.c_alignment(kind.dtype)
        offset = builder.and_(builder.add(self.elements_end, _SIZE(alignment - 1)), _SIZE(-alignment))
        if name != self.signature.arrays[0]:
            self._refuse_if(builder.icmp_unsigned(">", offset, self.payload_size), lib.TC_E_INVALID,
                            f"payload of %zu bytes, which end in front of the array {name}", self.payload_size)
        size = builder.sub(self.payload_size, offset)
        if name != self.signature.arrays[-1]:
            count = self._value(parameters.count_name(name))
            most = builder.udiv(size, _SIZE(kind.dtype.itemsize))
            self._refuse_if(builder.icmp_unsigned(">", count, most), lib.TC_E_INVALID,
                            f"the array {name} has %zu elements, which the payload has not", count)
            size = builder.mul(count, _SIZE(kind.dtype.itemsize))
        self.elements_end = builder.add(offset, size)
        return offset, size

    def _value(self, field):
        """A value of the message."""
        builder, (dtype, offset) = self.builder, self.signature.scalars.fields[field]
        value_type = from_dtype(dtype)
        pointer = builder.gep(self.payload, [_SIZE(offset)])
        if dtype.names is not None:
            return builder.bitcast(pointer, self.context.get_value_type(value_type))
        typed = builder.bitcast(pointer, self.context.get_data_type(value_type).as_pointer())
        return self.context.unpack_value(builder, value_type, typed)

    def _argument(self, name, kind):
        builder = self.builder
        if isinstance(kind, parameters.Scalar):
            return self._value(name)
        if isinstance(kind, parameters.Payload):
            offset, size = self._elements(name, kind)
            dimensions = [self._value(parameters.dimension_name(name, place)) for place in kind.travelling]
            return self._view(kind, builder.gep(self.payload, [offset]), size, f"the array {name}", dimensions)
        if isinstance(kind, parameters.Data):
            return self._data(kind)
        if isinstance(kind, parameters.State):
            state = self._declare("tc_self_state", _POINTER, [_SIZE])
            pointer = builder.call(state, [_SIZE(math.prod(kind.shape) * kind.dtype.itemsize)])
            self._refuse_if(cgutils.is_null(builder, pointer), lib.TC_E_NO_MEMORY, "no memory for its state at this node")
            return self._array(kind, pointer)
        target_args, = self.rest
        self._refuse_if(cgutils.is_null(builder, target_args), lib.TC_E_NOT_FOUND,
                        "the program of this node has set no target_args")
        return self._array(kind, target_args)

    def _data(self, kind):
        builder = self.builder
        said = kind.data_name.replace("%", "%%")
        size = cgutils.alloca_once(builder, _SIZE)
        find = self._declare("tc_self_data", _POINTER, [_POINTER, _SIZE.as_pointer()])
        pointer = builder.call(find, [self._text(kind.data_name), size])
        self._refuse_if(cgutils.is_null(builder, pointer), lib.TC_E_NOT_FOUND,
                        f"this node has published no data as '{said}'")
        return self._view(kind, pointer, builder.load(size), f"the data '{said}'")

    def _allocate(self, size):
        """Memory for a reply, which is never of no bytes."""
        builder = self.builder
        room = builder.call(self._declare("malloc", _POINTER, [_SIZE]), [builder.add(size, _SIZE(1))])
        self._refuse_if(cgutils.is_null(builder, room), lib.TC_E_NO_MEMORY, "no memory for a reply of %zu bytes", size)
        return room

    def _array_reply(self, result_type, value):
        """The bytes of an array that was returned; and memory to be freed, or None. A shape that is not declared comes last, and
        behind it one byte with the number of its dimensions: a caller that takes the reply for elements alone finds no whole
        number of them."""
        builder = self.builder
        array = arrayobj.make_array(result_type)(self.context, builder, value)
        data = builder.bitcast(array.data, _POINTER)
        size = builder.mul(array.nitems, array.itemsize)
        lengths = cgutils.unpack_tuple(builder, array.shape)
        if self.signature.result is not None:
            wrong = ir.IntType(1)(0)
            for length, declared in zip(lengths, self.signature.result.shape):
                if declared is not None:
                    wrong = builder.or_(wrong, builder.icmp_unsigned("!=", length, _SIZE(declared)))
            self._refuse_if(wrong, lib.TC_E_INVALID, f"its result of %zu bytes is not of the shape {self.signature.result.shape}",
                            size)
            return data, size, None
        if result_type.ndim == 1:
            return data, size, None
        whole = builder.add(size, _SIZE(8 * result_type.ndim + 1))
        room = self._allocate(whole)
        cgutils.raw_memcpy(builder, room, data, size, 1)
        for place, length in enumerate(lengths):
            where = builder.gep(room, [builder.add(size, _SIZE(8 * place))])
            builder.store(length, builder.bitcast(where, _SIZE.as_pointer()), align=1)
        builder.store(_BYTE(result_type.ndim), builder.gep(room, [builder.sub(whole, _SIZE(1))]))
        return room, whole, room

    def _reply(self, result_type, value):
        """Turns the result into the reply. A message that is no call drops it."""
        builder, context = self.builder, self.context
        if result_type == types.none:
            return
        reply = self._declare("tc_reply", _INT, [_POINTER, _SIZE])
        own = None
        if isinstance(result_type, types.Array):
            data, size, own = self._array_reply(result_type, value)
        elif answer_code.is_several(result_type):
            data, size = answer_code.reply_bytes(context, builder, result_type, value, self._allocate)
            own = data
        else:
            data_type = context.get_data_type(result_type)
            room = cgutils.alloca_once(builder, data_type)
            if isinstance(result_type, types.BaseTuple):
                # Member by member: padding is zero, and not data of the node's stack.
                cgutils.memset(builder, room, _SIZE(context.get_abi_sizeof(data_type)), 0)
                for place, part in enumerate(result_type.types):
                    context.pack_value(builder, part, builder.extract_value(value, place), cgutils.gep_inbounds(builder, room, 0, place))
            else:
                context.pack_value(builder, result_type, value, room)
            data, size = builder.bitcast(room, _POINTER), _SIZE(context.get_abi_sizeof(data_type))
        status = builder.call(reply, [data, size])
        if own is not None:
            builder.call(self._declare("free", ir.VoidType(), [_POINTER]), [own])
        too_large = builder.icmp_signed("==", status, _INT(lib.TC_E_TOO_LARGE))
        if context.enable_nrt:
            context.nrt.decref(builder, result_type, value)
        self._refuse_if(too_large, lib.TC_E_TOO_LARGE, "its result of %zu bytes is above what a reply may have", size)

    def _values(self):
        """Those of the function's parameters."""
        self._check_payload()
        return [self._argument(name, kind) for name, kind in self.signature.parameters.items()]

    def write(self, callee, result_type, argument_types):
        """Calls Numba's function, by its own convention."""
        builder = self.builder
        status, result = self.context.call_conv.call_function(builder, callee, result_type, argument_types, self._values())
        with builder.if_then(status.is_error, likely=False):
            self._fail_raised(status)
        self._reply(result_type, result)
        builder.ret_void()

    def _fail_raised(self, status):
        """The first member of the exception is its text (see numba_module.plain_exceptions)."""
        builder = self.builder
        fail = self._declare("tc_self_fail", ir.VoidType(), [_INT, _POINTER])
        with builder.if_then(status.is_user_exc):
            text = builder.load(cgutils.gep_inbounds(builder, status.excinfoptr, 0, 0))
            builder.call(fail, [_INT(lib.TC_E_THROWN), text])
            builder.ret_void()
        self._fail(lib.TC_E_THROWN, "ended by an exception without a text")
