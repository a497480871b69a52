"""The kinds of parameters of a function that travels: values of the message, or memory of the node.

The layout is that of all languages (docs/payload-layout.md, "Several values in one message"): a C struct of the values, in the
order of the parameters, with the last array as its flexible array member. Each other array has its number of elements among the
values, and its elements behind them. Dimensions that do not follow from an array's size are values, too, of 64 bits each, at the
array's position.
"""
import inspect
import typing

import numpy

PAYLOAD_ALIGNMENT = 16
DIMENSIONS_MAX = 8


def _rounded(offset, alignment):
    return -(-offset // alignment) * alignment


def c_alignment(dtype):
    """C's alignment of an element: for a struct with C's layout that of its members, independent of NumPy's; for a packed one
    1."""
    if dtype.subdtype is not None:
        return c_alignment(dtype.base)
    if dtype.names is None:
        return dtype.alignment
    end, largest = 0, 1
    for member, offset in (dtype.fields[name][:2] for name in dtype.names):
        alignment = c_alignment(member)
        if offset != _rounded(end, alignment):
            return 1
        end, largest = offset + member.itemsize, max(largest, alignment)
    return largest if dtype.itemsize == _rounded(end, largest) else 1


def struct_of(dtypes):
    """A struct of members by name, as C lays it out."""
    return numpy.dtype({"names": list(dtypes), "formats": list(dtypes.values())}, align=True)


def _end_of(struct):
    """Where the members of a struct end; an array may begin in the struct's padding."""
    return max((offset + member.itemsize for member, offset in (field[:2] for field in struct.fields.values())), default=0) \
        if struct.names else 0


def _laid_out(struct, values, arrays):
    """The bytes of a message: the values, and behind them the arrays."""
    head = numpy.zeros(1, struct)
    for name in struct.names or ():
        head[name] = values[name]
    head = head.view(numpy.uint8) if struct.names else numpy.zeros(0, numpy.uint8)
    if not arrays:
        return head
    end, offsets = _end_of(struct), []
    for array in arrays:
        offsets.append(_rounded(end, c_alignment(array.dtype)))
        end = offsets[-1] + array.nbytes
    message = numpy.zeros(end, numpy.uint8)
    message[:min(_end_of(struct), head.size)] = head[:_end_of(struct)]
    for offset, array in zip(offsets, arrays):
        message[offset:offset + array.nbytes] = array.reshape(-1).view(numpy.uint8)
    return message


def _packed_value(place, value):
    """A value for a function of another language: NumPy's numbers have their own width, Python's are 64 bits wide."""
    found = numpy.asarray(value)
    if found.shape != () or found.dtype.kind not in "biufcV" or found.dtype.hasobject:
        raise TypeError(f"argument {place + 1} is {value!r}, expected a number; an array or bytes come last")
    return found


def packed(values):
    """The bytes of a message of several values, the last one perhaps an array or bytes, for a function in any language."""
    *first, last = values
    if isinstance(last, (bytes, bytearray, memoryview)):
        last = numpy.frombuffer(last, numpy.uint8)
    array = numpy.ascontiguousarray(last) if numpy.ndim(last) else None
    if array is not None and array.dtype.hasobject:
        raise TypeError("the last argument holds Python objects, which mean nothing in another process")
    found = {f"f{place}": _packed_value(place, value) for place, value in enumerate(first if array is not None else values)}
    return _laid_out(struct_of({name: value.dtype for name, value in found.items()}), found, [] if array is None else [array])


def _checked_shape(shape, ndim):
    """A tuple of sizes; None stands for an open one."""
    if shape is None:
        shape = (None,) * (1 if ndim is None else ndim)
    shape = (shape,) if shape is None or isinstance(shape, int) else tuple(shape)
    if not 1 <= len(shape) <= DIMENSIONS_MAX or ndim not in (None, len(shape)):
        raise ValueError(f"expected one to {DIMENSIONS_MAX} dimensions, as many as ndim says; found the shape {shape}, ndim={ndim}")
    for size in shape:
        if size is not None and (not isinstance(size, int) or size < 1):
            raise ValueError(f"a dimension is at least 1, or None for one that is open; found the shape {shape}")
    return shape


class _Array:
    """A parameter that is a view of memory: contiguous, in C's order, of a shape in which dimensions may be open."""

    def __init__(self, dtype, writable, shape):
        self.dtype = numpy.dtype(dtype)
        self.writable = writable
        self.shape = shape
        self.open = [place for place, size in enumerate(shape) if size is None]
        if self.dtype.hasobject:
            raise TypeError(f"an array of {self.dtype} has pointers to Python objects, which mean nothing in another process")


def _closed_shape(count):
    shape = _checked_shape(count, None)
    if None in shape:
        raise ValueError(f"expected a number of elements, or a shape without open dimensions; found {count}")
    return shape


class Payload(_Array):
    """An array that comes with the message. `writable`: the function may change its copy in place, which ends a node with the
    option payload=readonly. `shape=(None, 3)`: rows of three; `ndim=2`: any two dimensions, which travel with it. Without either
    it is flat."""

    def __init__(self, dtype, writable=False, shape=None, ndim=None):
        super().__init__(dtype, writable, _checked_shape(shape, ndim))
        self.is_flat = shape is None and ndim is None
        self.travelling = self.open if len(self.open) > 1 else []

    def fits(self, shape):
        """Returns whether an array of that shape is one of these."""
        return len(shape) == len(self.shape) and all(own in (None, size) for own, size in zip(self.shape, shape))


class Data(_Array):
    """Memory that the node has published under a name (Context.publish, tc_context_publish). Its bytes have no shape of
    their own: one dimension at most is open."""

    def __init__(self, name, dtype, writable=False, shape=None):
        super().__init__(dtype, writable, _checked_shape(shape, None))
        self.data_name = name
        if len(self.open) > 1:
            raise ValueError(f"published data have no shape of their own: one dimension at most is open; found {shape}")
        if not 0 < len(name.encode()) <= 63:
            raise ValueError(f"the name of published data has 1 to 63 bytes; found {name!r}")


class State(_Array):
    """Memory of the function's own at the node: `count` elements, or a shape, zero at first, kept from message to
    message."""

    def __init__(self, dtype, count):
        super().__init__(dtype, True, _closed_shape(count))


class TargetArgs(_Array):
    """The data that the node's program passed to tc_context_set_target_args: `count` elements, or a shape, which cannot be
    checked."""

    def __init__(self, dtype, count=1, writable=True):
        super().__init__(dtype, writable, _closed_shape(count))


class Reply:
    """The result of a function, `-> Reply(shape=(None, 3))`: an array whose shape follows from its size, so that it is not
    sent."""

    def __init__(self, shape):
        self.shape = _checked_shape(shape, None)
        if self.shape.count(None) > 1:
            raise ValueError(f"one dimension of a declared reply is open at most; found {shape}")


class Scalar:
    """A number of the message, or a struct of numbers."""

    def __init__(self, dtype):
        self.dtype = numpy.dtype(dtype)
        if self.dtype.names is not None:
            self.dtype = _c_struct(self.dtype)
        if self.dtype.kind not in "biufcV" or (self.dtype.kind == "V" and self.dtype.names is None):
            raise TypeError(f"a value of a message is a number, a bool or a struct of them; found {self.dtype}")


UNIT_BYTES = 232  # of tc_am_unit (tc/am_op.h), which has a status and a text behind these members
UNIT = struct_of({"input": numpy.dtype(numpy.uint64), "output": numpy.dtype(numpy.uint64), "persistent": numpy.dtype(numpy.uint64),
                  "persistent_bytes": numpy.dtype(numpy.uint64), "input_bytes": numpy.dtype(numpy.uint32),
                  "output_bytes": numpy.dtype(numpy.uint32), "segments": numpy.dtype(numpy.uint32), "first": numpy.dtype(numpy.uint32),
                  "description": numpy.dtype(numpy.uint64), "description_bytes": numpy.dtype(numpy.uint32),
                  "origin": numpy.dtype(numpy.uint32)})


class UnitPart:
    """A parameter of an operation of active messages, which has no others."""


class Input(_Array, UnitPart):
    """The input of an active message: a row of elements for each segment of the unit."""

    def __init__(self, dtype):
        super().__init__(dtype, False, (None, None))


class Output(_Array, UnitPart):
    """The output of an active message, to be written: a row of elements for each segment of the unit."""

    def __init__(self, dtype):
        super().__init__(dtype, True, (None, None))


class Persistent(_Array, UnitPart):
    """The range of the rank's window that an active message names."""

    def __init__(self, dtype):
        super().__init__(dtype, True, (None,))


class Description(_Array, UnitPart):
    """The bytes that an active message has beside its input; none without a description."""

    def __init__(self):
        super().__init__(numpy.uint8, False, (None,))


class Unit(UnitPart):
    """The unit of an active message: `segments` and `first`, `origin`, `input_bytes` and `output_bytes` of one segment,
    `persistent_bytes`, `description_bytes`."""

    def __init__(self):
        self.dtype = UNIT


def _c_struct(dtype):
    """A struct with its alignment, which NumPy forgets without align=True. One that does not lie as in C is refused."""
    members = {name: _c_struct(dtype[name]) if dtype[name].names is not None else dtype[name] for name in dtype.names}
    found = struct_of(members)
    if found.itemsize != dtype.itemsize or any(found.fields[name][1] != dtype.fields[name][1] for name in members):
        raise TypeError(f"a struct of a message lies as in C: numpy.dtype([...], align=True); found {dtype}")
    return found


def _plain(annotation):
    """The annotation that counts: of Annotated[T, X], which type checkers read as T, it is X."""
    if typing.get_origin(annotation) is not typing.Annotated:
        return annotation
    kinds = (_Array, Scalar, UnitPart, Reply, numpy.dtype, type)
    return next((word for word in annotation.__metadata__ if isinstance(word, kinds)), annotation.__origin__)


def _parameter(function, name, annotation):
    annotation = _plain(annotation)
    if annotation in (Unit, Description):
        return annotation()
    if isinstance(annotation, (_Array, Scalar, UnitPart)):
        return annotation
    if annotation is inspect.Parameter.empty:
        raise TypeError(f"{function.__name__}: parameter {name} has no annotation; expected a number's type, "
                        "tchains.Payload(...), Data(...), State(...) or TargetArgs(...)")
    try:
        return Scalar(annotation)
    except TypeError as error:
        if isinstance(annotation, numpy.dtype) and annotation.names is not None:
            raise TypeError(f"{function.__name__}: parameter {name}: {error}") from error
        raise TypeError(f"{function.__name__}: parameter {name} is annotated {annotation!r}; expected a number's type, "
                        "tchains.Payload(...), Data(...), State(...) or TargetArgs(...)") from error


def dimension_name(name, place):
    """The field of a dimension that travels."""
    return f"{name}.{place}"


def count_name(name):
    """The field with the number of elements of an array that is not the last one."""
    return f"{name}.count"


class Signature:
    """The parameters of a function, and the layout of its payload."""

    def __init__(self, function, without=()):
        self.parameters = {}
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            if name in without:
                continue
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise TypeError(f"{function.__name__}: parameter {name} takes any number of arguments; expected one each")
            self.parameters[name] = _parameter(function, name, parameter.annotation)
        parts = [name for name, kind in self.parameters.items() if isinstance(kind, UnitPart)]
        self.is_unit = bool(parts)
        if parts and len(parts) < len(self.parameters):
            raise TypeError(f"{function.__name__}: an operation of active messages has parameters of Unit, Input(...), Output(...), "
                            f"Persistent(...) and Description alone; found {', '.join(set(self.parameters) - set(parts))}")
        self.arrays = [name for name, kind in self.parameters.items() if isinstance(kind, Payload)]
        self.array = self.parameters[self.arrays[-1]] if self.arrays else None
        self.result = _plain(inspect.signature(function, eval_str=True).return_annotation)
        if not isinstance(self.result, Reply):
            self.result = None
        scalars = {}
        for name, kind in self.parameters.items():
            if isinstance(kind, Scalar):
                scalars[name] = kind.dtype
            elif isinstance(kind, Payload):
                scalars.update({dimension_name(name, place): numpy.dtype(numpy.int64) for place in kind.travelling})
                if name != self.arrays[-1]:
                    scalars[count_name(name)] = numpy.dtype(numpy.uint64)
        self.scalars = struct_of(scalars)
        self.sent = [name for name, kind in self.parameters.items() if isinstance(kind, (Scalar, Payload))]
        self.fixed = _end_of(self.scalars)  # bytes of the values in front of the arrays
        self.array_offset = self.offset_behind(self.fixed, self.arrays[0]) if self.arrays else 0

    def offset_behind(self, end, name):
        """Where an array begins if all in front of it ends there."""
        return _rounded(end, c_alignment(self.parameters[name].dtype))

    def _checked_array(self, name, value):
        own = self.parameters[name]
        if isinstance(value, str) and own.dtype.itemsize == 1:
            value = value.encode()
        if isinstance(value, (bytes, bytearray, memoryview)):
            value = numpy.frombuffer(value, own.dtype)
        array = numpy.asarray(value)
        if array.dtype == object:
            raise TypeError(f"argument {name} holds Python objects, which mean nothing in another process; "
                            f"expected an array of {own.dtype}")
        if array.dtype != own.dtype:
            if isinstance(value, numpy.ndarray):
                raise TypeError(f"argument {name} is an array of {array.dtype}, expected {own.dtype}")
            array = array.astype(own.dtype)
        if not own.is_flat and not own.fits(array.shape):
            raise TypeError(f"argument {name} has the shape {array.shape}, expected {own.shape}")
        array = numpy.ascontiguousarray(array)
        return array if array.flags.aligned else array.copy()

    def values(self, arguments, named):
        """The values of all parameters that are sent, by name."""
        if len(arguments) > len(self.sent) or set(named) - set(self.sent[len(arguments):]):
            raise TypeError(f"expected the arguments ({', '.join(self.sent)}); "
                            f"found {len(arguments)} by place and by name ({', '.join(named)})")
        values = {**dict(zip(self.sent, arguments)), **named}
        missing = [name for name in self.sent if name not in values]
        if missing:
            raise TypeError(f"missing: {', '.join(missing)}")
        return {name: self._checked_array(name, value) if isinstance(self.parameters[name], Payload) else value
                for name, value in values.items()}

    def payload(self, arguments, named):
        """The bytes of a message, as something with a buffer: the array itself where it is all that is sent."""
        values = self.values(arguments, named)
        for name in self.arrays:
            array = values[name]
            values.update({dimension_name(name, place): array.shape[place] for place in self.parameters[name].travelling})
            values[count_name(name)] = array.size
        if not self.scalars.names:
            return values[self.arrays[0]] if self.arrays else b""
        return _laid_out(self.scalars, {name: self._checked_scalar(name, values[name]) for name in self.scalars.names},
                         [values[name] for name in self.arrays])

    def _checked_scalar(self, name, value):
        dtype = self.scalars[name]
        if dtype.names is not None:
            return _checked_struct(name, value, dtype)
        found = numpy.asarray(value)
        if found.shape != () or found.dtype.kind not in "biufc" or not numpy.can_cast(found.dtype, dtype, "same_kind"):
            # A number of Python's own has no width, so its value decides.
            if not (isinstance(value, int) and dtype.kind in "iu"):
                raise TypeError(f"argument {name} is {value!r}, expected a number that fits {dtype}")
        if dtype.kind in "iu" and not numpy.iinfo(dtype).min <= int(value) <= numpy.iinfo(dtype).max:
            raise OverflowError(f"argument {name} is {value!r}, expected a number that fits {dtype}")
        return value


def _checked_struct(name, value, dtype):
    """A struct's value: a tuple of its members, or one of NumPy's of the same type."""
    is_struct = isinstance(value, (numpy.ndarray, numpy.generic)) and value.shape == () and value.dtype.fields == dtype.fields
    if not is_struct and not (isinstance(value, tuple) and len(value) == len(dtype.names)):
        raise TypeError(f"argument {name} is {value!r}, expected a struct of {dtype}")
    try:
        return numpy.array(value, dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"argument {name} is {value!r}, expected a struct of {dtype}") from error
