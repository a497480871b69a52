"""The entries at the sender of a function with payloads made there: NAME_payload_get_max_size and NAME_payload_init.

The arguments of tc_send are laid out as a payload of the functions' own parameters. A payload that does not fit, or an exception,
cancels the message.
"""
import math

from llvmlite import ir
from numba.core import cgutils, types
from numba.np.numpy_support import from_dtype

from . import entry_code, parameters
from .entry_code import Entry

_SIZE, _INT, _BYTES = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()


class BoundEntry(Entry):
    """NAME_payload_get_max_size: the bytes of a payload, or -1."""

    suffix, result, more = "_payload_get_max_size", _SIZE, []
    expected = "how long the array is that comes with the message: an integer"

    def __init__(self, context, module, name, makers):
        super().__init__(context, module, name, makers.source)
        self.made = makers.signature

    @staticmethod
    def fits(result):
        """Returns whether the function may return that."""
        return isinstance(result, types.Integer)

    def _fail(self, status, text, value=None):
        self.builder.ret(_SIZE(-1))

    def write(self, callee, result_type, argument_types):
        builder = self.builder
        status, size = self.context.call_conv.call_function(builder, callee, result_type, argument_types, self._values())
        self._refuse_if(status.is_error, 0, "")
        size = self.context.cast(builder, size, result_type, types.int64)
        row = self.made.array.dtype.itemsize * math.prod(length for length in self.made.array.shape if length is not None)
        product = builder.umul_with_overflow(size, _SIZE(row))
        whole = builder.uadd_with_overflow(builder.extract_value(product, 0), _SIZE(self.made.array_offset))
        for failed in (builder.icmp_signed("<", size, _SIZE(0)), builder.extract_value(product, 1), builder.extract_value(whole, 1)):
            self._refuse_if(failed, 0, "")
        builder.ret(builder.extract_value(whole, 0))


class FixedBound(Entry):
    """NAME_payload_get_max_size of payloads that have always the same size."""

    suffix, result, more = BoundEntry.suffix, _SIZE, []

    def __init__(self, context, module, name, makers):
        super().__init__(context, module, name, makers.source)
        made = makers.signature
        size = made.scalars.itemsize
        if made.array is not None:
            size = made.array_offset + math.prod(made.array.shape) * made.array.dtype.itemsize
        self.builder.ret(_SIZE(size))


class InitEntry(Entry):
    """NAME_payload_init: 0, or 1 to cancel the message."""

    suffix, result, more = "_payload_init", _INT, [_BYTES, _SIZE]
    expected = "nothing: it raises to cancel the message"

    def __init__(self, context, module, name, makers):
        super().__init__(context, module, name, makers.source)
        self.made, self.target, self.target_size = makers.signature, self.payload, self.payload_size
        self.payload, self.payload_size = self.rest

    @staticmethod
    def fits(result):
        """Returns whether the function may return that."""
        return result == types.none

    @staticmethod
    def written_types(makers):
        """Numba's types of the views that it writes to."""
        return tuple(types.Array(from_dtype(dtype), len(shape), "C") for dtype, shape in makers.views())

    def _fail(self, status, text, value=None):
        self.builder.ret(_INT(1))

    def _views(self):
        """Views of the payload's parts. Nothing of the sender's memory is left between its numbers."""
        builder, made = self.builder, self.made
        head = made.array_offset if made.array else made.scalars.itemsize
        wrong = builder.icmp_unsigned("<" if made.array else "!=", self.target_size, _SIZE(head))
        self._refuse_if(wrong, 0, "")
        cgutils.memset(builder, self.target, _SIZE(head), 0)
        views = []
        for name in made.sent:
            kind = made.parameters[name]
            if isinstance(kind, parameters.Payload):
                views.append(self._view(parameters.Payload(kind.dtype, True, kind.shape), builder.gep(self.target, [_SIZE(head)]),
                                        builder.sub(self.target_size, _SIZE(head)), name))
            else:
                where = builder.gep(self.target, [_SIZE(made.scalars.fields[name][1])])
                views.append(self._array(parameters.State(kind.dtype, 1), where))
        return views

    def write(self, callee, result_type, argument_types):
        values = self._views() + self._values()
        status, _ = self.context.call_conv.call_function(self.builder, callee, result_type, argument_types, values)
        self._refuse_if(status.is_error, 0, "")
        self.builder.ret(_INT(0))


def parts(makers):
    """[(function, Numba's types of its arguments, its entry)]"""
    source = entry_code.argument_types(makers.source)
    made = [(makers.bound, source, BoundEntry)] if makers.bound is not None else []
    return made + [(makers.init, InitEntry.written_types(makers) + source, InitEntry)]
