"""The entry of an operation of active messages (docs/man/tc_am_entry.3.md): NAME_main, around Numba's output for the function.

The rank's runtime checks the message and begins the unit. A unit that has begun ends in any case, also after an exception. Nothing in it
calls Python.
"""
from llvmlite import ir
from numba.core import cgutils
from numba.np.numpy_support import from_dtype

from . import parameters
from ._binding import lib
from .entry_code import Entry, _BYTE, _INT, _POINTER, _SIZE

# tc_am_node (tc/am_entry.h), and the members of tc_am_unit behind those of parameters.UNIT (tc/am_op.h).
_NODE, _ABI, _NODE_BYTES, _BEGIN, _END = "tc_ams", 1, 24, 8, 16
_STATUS, _TEXT, _TEXT_BYTES = 64, 68, 160
SUFFIX = "_payload_unit"  # of the constant by which the archive has the entry's shape


class UnitEntry(Entry):
    """Writes NAME_main."""

    unit = None  # that has begun

    def _member(self, name, kind):
        """A member of the unit."""
        offset = parameters.UNIT.fields[name][1]
        return self.builder.load(self.builder.bitcast(self.builder.gep(self.unit, [_SIZE(offset)]), kind.as_pointer()))

    def _node_function(self, offset, result, arguments):
        kind = ir.FunctionType(result, arguments).as_pointer().as_pointer()
        return self.builder.load(self.builder.bitcast(self.builder.gep(self.node, [_SIZE(offset)]), kind))

    def _finish(self):
        end = self._node_function(_END, ir.VoidType(), [_POINTER, _POINTER, _INT])
        self.builder.call(end, [self.node, self.unit, _INT(1)])
        self.builder.ret_void()

    def _fail_unit(self, status, text, *values):
        """Has the unit fail, and ends it."""
        builder = self.builder
        print_text = self._declare("snprintf", _INT, [_POINTER, _SIZE, _POINTER], variadic=True)
        builder.call(print_text, [builder.gep(self.unit, [_SIZE(_TEXT)]), _SIZE(_TEXT_BYTES), text, *values])
        builder.store(_INT(status), builder.bitcast(builder.gep(self.unit, [_SIZE(_STATUS)]), _INT.as_pointer()))
        self._finish()

    def _fail(self, status, text, value=None):
        if self.unit is None:
            super()._fail(status, text, value)
        else:
            self._fail_unit(status, self._text(text), *([] if value is None else [value]))

    def _fail_raised(self, status):
        with self.builder.if_then(status.is_user_exc):
            text = self.builder.load(cgutils.gep_inbounds(self.builder, status.excinfoptr, 0, 0))
            self._fail_unit(lib.TC_E_THROWN, self._text("%s"), text)
        self._fail(lib.TC_E_THROWN, "ended by an exception without a text")

    def _begin(self):
        builder = self.builder
        size = cgutils.alloca_once(builder, _SIZE)
        find = self._declare("tc_self_data", _POINTER, [_POINTER, _SIZE.as_pointer()])
        self.node = builder.call(find, [self._text(_NODE), size])
        self._refuse_if(cgutils.is_null(builder, self.node), lib.TC_E_UNSUPPORTED, "the rank has no active messages open")
        abi = builder.load(builder.bitcast(self.node, _INT.as_pointer()))
        other = builder.or_(builder.icmp_unsigned("<", builder.load(size), _SIZE(_NODE_BYTES)), builder.icmp_unsigned("!=", abi, _INT(_ABI)))
        self._refuse_if(other, lib.TC_E_UNSUPPORTED, "the rank has active messages of another version")
        words = cgutils.alloca_once(builder, ir.ArrayType(_SIZE, parameters.UNIT_BYTES // 8))
        unit = builder.bitcast(words, _POINTER)
        begin = self._node_function(_BEGIN, _INT, [_POINTER, _POINTER, _SIZE, _POINTER])
        begun = builder.call(begin, [self.node, self.payload, self.payload_size, unit])
        with builder.if_then(builder.icmp_unsigned("==", begun, _INT(0)), likely=False):
            builder.ret_void()
        self.unit = unit

    def _elements(self, what, kind, member, size):
        """The address of bytes, which have to be elements."""
        builder, alignment = self.builder, parameters.c_alignment(kind.dtype)
        start = self._member(member, _POINTER)
        whole = builder.icmp_unsigned("==", builder.urem(size, _SIZE(kind.dtype.itemsize)), _SIZE(0))
        words = "segments of " + what if member != "persistent" else what
        self._refuse_if(builder.not_(whole), lib.TC_E_INVALID,
                        f"{words} {'have' if member != 'persistent' else 'has'} the bytes %zu, expected a multiple of {kind.dtype.itemsize}",
                        size)
        address = builder.ptrtoint(start, _SIZE)
        misaligned = builder.icmp_unsigned("!=", builder.and_(address, _SIZE(alignment - 1)), _SIZE(0))
        some = builder.icmp_unsigned("!=", size, _SIZE(0))
        self._refuse_if(builder.and_(some, misaligned), lib.TC_E_INVALID, f"{what} lies at %zu, expected a multiple of {alignment}",
                        address)
        return start, builder.udiv(size, _SIZE(kind.dtype.itemsize))

    def _argument(self, _name, kind):
        builder = self.builder
        if isinstance(kind, parameters.Unit):
            return builder.bitcast(self.unit, self.context.get_value_type(from_dtype(kind.dtype)))
        if isinstance(kind, parameters.Persistent):
            start, count = self._elements("the range", kind, "persistent", self._member("persistent_bytes", _SIZE))
            return self._array(kind, start, {0: count})
        if isinstance(kind, parameters.Description):
            return self._array(kind, self._member("description", _POINTER),
                               {0: builder.zext(self._member("description_bytes", _INT), _SIZE)})
        part = "input" if isinstance(kind, parameters.Input) else "output"
        size = builder.zext(self._member(f"{part}_bytes", _INT), _SIZE)
        start, count = self._elements(f"the {part}", kind, part, size)
        return self._array(kind, start, {0: builder.zext(self._member("segments", _INT), _SIZE), 1: count})

    def write(self, callee, result_type, argument_types):
        mark = ir.GlobalVariable(self.module, _SIZE, self.name + SUFFIX)
        mark.global_constant, mark.initializer = True, _SIZE(1)
        self._begin()
        values = [self._argument(name, kind) for name, kind in self.signature.parameters.items()]
        status, _ = self.context.call_conv.call_function(self.builder, callee, result_type, argument_types, values)
        with self.builder.if_then(status.is_error, likely=False):
            self._fail_raised(status)
        self._finish()
