"""The kinds of parameters of a function that travels: values of the message, or memory of the node.

The layout is that of all languages (docs/payload-layout.md, "Several values in one message"): a C struct of the values, in the
order of the parameters, with the array as its flexible array member. Dimensions that do not follow from the array's size are
values of the message, too, of 64 bits each, at the array's position.
"""
import inspect

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


def _struct_of(dtypes):
    return numpy.dtype({"names": list(dtypes), "formats": list(dtypes.values())}, align=True)


def _array_offset(struct, dtype):
    """The offset of an array behind the members of a struct; the array may begin in the struct's padding."""
    end = max((offset + member.itemsize for member, offset in (field[:2] for field in struct.fields.values())), default=0) \
        if struct.names else 0
    return _rounded(end, c_alignment(dtype))


def _laid_out(struct, values, array):
    """The bytes of a message: the values, and behind them the array if there is one."""
    head = numpy.zeros(1, struct)
    for name in struct.names or ():
        head[name] = values[name]
    head = head.view(numpy.uint8) if struct.names else numpy.zeros(0, numpy.uint8)
    if array is None:
        return head
    offset = _array_offset(struct, array.dtype)
    message = numpy.zeros(offset + array.nbytes, numpy.uint8)
    message[:min(offset, head.size)] = head[:offset]
    message[offset:] = array.reshape(-1).view(numpy.uint8)
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
    return _laid_out(_struct_of({name: value.dtype for name, value in found.items()}), found, array)


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
    """The array that comes with the message. `writable`: the function may change its copy in place, which ends a node with the
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
    """A number of the message."""

    def __init__(self, dtype):
        self.dtype = numpy.dtype(dtype)
        if self.dtype.kind not in "biufc":
            raise TypeError(f"a value of a message is a number or a bool; found {self.dtype}")


def _parameter(function, name, annotation):
    if isinstance(annotation, (_Array, Scalar)):
        return annotation
    if annotation is inspect.Parameter.empty:
        raise TypeError(f"{function.__name__}: parameter {name} has no annotation; expected a number's type, "
                        "tchains.Payload(...), Data(...), State(...) or TargetArgs(...)")
    try:
        return Scalar(annotation)
    except TypeError as error:
        raise TypeError(f"{function.__name__}: parameter {name} is annotated {annotation!r}; expected a number's type, "
                        "tchains.Payload(...), Data(...), State(...) or TargetArgs(...)") from error


def dimension_name(name, place):
    """The field of a dimension that travels."""
    return f"{name}.{place}"


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
        arrays = [name for name, kind in self.parameters.items() if isinstance(kind, Payload)]
        if len(arrays) > 1:
            raise TypeError(f"{function.__name__}: a message has one array; found the parameters {', '.join(arrays)}")
        self.array = self.parameters[arrays[0]] if arrays else None
        self.result = inspect.signature(function, eval_str=True).return_annotation
        if not isinstance(self.result, Reply):
            self.result = None
        scalars = {}
        for name, kind in self.parameters.items():
            if isinstance(kind, Scalar):
                scalars[name] = kind.dtype
            elif isinstance(kind, Payload):
                scalars.update({dimension_name(name, place): numpy.dtype(numpy.int64) for place in kind.travelling})
        self.scalars = _struct_of(scalars)
        self.sent = [name for name, kind in self.parameters.items() if isinstance(kind, (Scalar, Payload))]
        self.array_offset = _array_offset(self.scalars, self.array.dtype) if self.array is not None else 0

    def _checked_array(self, name, value):
        if isinstance(value, (bytes, bytearray, memoryview)):
            value = numpy.frombuffer(value, self.array.dtype)
        array = numpy.asarray(value)
        if array.dtype == object:
            raise TypeError(f"argument {name} holds Python objects, which mean nothing in another process; "
                            f"expected an array of {self.array.dtype}")
        if array.dtype != self.array.dtype:
            if isinstance(value, numpy.ndarray):
                raise TypeError(f"argument {name} is an array of {array.dtype}, expected {self.array.dtype}")
            array = array.astype(self.array.dtype)
        if not self.array.is_flat and not self.array.fits(array.shape):
            raise TypeError(f"argument {name} has the shape {array.shape}, expected {self.array.shape}")
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
        array = None
        for name in self.sent:
            if isinstance(self.parameters[name], Payload):
                array = values[name]
                values.update({dimension_name(name, place): array.shape[place] for place in self.array.travelling})
        if not self.scalars.names:
            return array if array is not None else b""
        return _laid_out(self.scalars, {name: self._checked_scalar(name, values[name]) for name in self.scalars.names}, array)

    def _checked_scalar(self, name, value):
        dtype = self.scalars[name]
        found = numpy.asarray(value)
        if found.shape != () or found.dtype.kind not in "biufc" or not numpy.can_cast(found.dtype, dtype, "same_kind"):
            # A number of Python's own has no width, so its value decides.
            if not (isinstance(value, int) and dtype.kind in "iu"):
                raise TypeError(f"argument {name} is {value!r}, expected a number that fits {dtype}")
        if dtype.kind in "iu" and not numpy.iinfo(dtype).min <= int(value) <= numpy.iinfo(dtype).max:
            raise OverflowError(f"argument {name} is {value!r}, expected a number that fits {dtype}")
        return value
