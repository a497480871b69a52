"""What the parameters of a function that travels are: values of the message, or memory of the node.

Values of the message are packed as a C struct of their types, in the order of the parameters; an array of the message comes
last, at the next multiple of 16 bytes, and has what is left of the payload.
"""
import inspect

import numpy

PAYLOAD_ALIGNMENT = 16


class _Array:
    """A parameter that is a view of memory: one-dimensional, of any length that the memory has."""

    def __init__(self, dtype, writable):
        self.dtype = numpy.dtype(dtype)
        self.writable = writable
        if self.dtype.hasobject:
            raise TypeError(f"an array of {self.dtype} has pointers to Python objects, which mean nothing in another process")


class Payload(_Array):
    """The array that comes with the message. `writable`: the function may change its copy in place, which a node with the
    option payload=readonly answers by ending itself."""

    def __init__(self, dtype, writable=False):
        super().__init__(dtype, writable)


class Data(_Array):
    """Memory that the node has published under a name (Context.publish, tc_context_publish)."""

    def __init__(self, name, dtype, writable=False):
        super().__init__(dtype, writable)
        self.data_name = name
        if not 0 < len(name.encode()) <= 63:
            raise ValueError(f"the name of published data has 1 to 63 bytes; found {name!r}")


class State(_Array):
    """Memory of the function's own at the node: `count` elements, zero at first, kept from message to message."""

    def __init__(self, dtype, count):
        super().__init__(dtype, True)
        self.count = count
        if count < 1:
            raise ValueError(f"state has at least one element; found {count}")


class TargetArgs(_Array):
    """What the node's program gave tc_context_set_target_args: `count` elements, which nobody can check."""

    def __init__(self, dtype, count=1, writable=True):
        super().__init__(dtype, writable)
        self.count = count


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


class Signature:
    """The parameters of a function, and the layout of its payload."""

    def __init__(self, function):
        self.parameters = {}
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise TypeError(f"{function.__name__}: parameter {name} takes any number of arguments; expected one each")
            self.parameters[name] = _parameter(function, name, parameter.annotation)
        arrays = [name for name, kind in self.parameters.items() if isinstance(kind, Payload)]
        if len(arrays) > 1:
            raise TypeError(f"{function.__name__}: a message has one array; found the parameters {', '.join(arrays)}")
        self.array = self.parameters[arrays[0]] if arrays else None
        scalars = {name: kind.dtype for name, kind in self.parameters.items() if isinstance(kind, Scalar)}
        self.scalars = numpy.dtype({"names": list(scalars), "formats": list(scalars.values())}, align=True)
        self.sent = [name for name, kind in self.parameters.items() if isinstance(kind, (Scalar, Payload))]
        self.array_offset = -(-self.scalars.itemsize // PAYLOAD_ALIGNMENT) * PAYLOAD_ALIGNMENT

    def _checked_array(self, name, value):
        if isinstance(value, (bytes, bytearray, memoryview)):
            return numpy.frombuffer(value, self.array.dtype)
        array = numpy.asarray(value)
        if array.dtype == object:
            raise TypeError(f"argument {name} holds Python objects, which mean nothing in another process; "
                            f"expected an array of {self.array.dtype}")
        if array.dtype != self.array.dtype:
            if isinstance(value, numpy.ndarray):
                raise TypeError(f"argument {name} is an array of {array.dtype}, expected {self.array.dtype}")
            array = array.astype(self.array.dtype)
        return numpy.ascontiguousarray(array)

    def payload(self, arguments, named):
        """The bytes of a message, as something with a buffer: the array itself where it is all that is sent."""
        if len(arguments) > len(self.sent) or set(named) - set(self.sent[len(arguments):]):
            raise TypeError(f"expected the arguments ({', '.join(self.sent)}); "
                            f"found {len(arguments)} by place and by name ({', '.join(named)})")
        values = {**dict(zip(self.sent, arguments)), **named}
        missing = [name for name in self.sent if name not in values]
        if missing:
            raise TypeError(f"missing: {', '.join(missing)}")
        array = None
        for name in self.sent:
            if isinstance(self.parameters[name], Payload):
                array = self._checked_array(name, values[name])
        if not self.scalars.names:
            return array if array is not None else b""
        message = numpy.zeros(self.array_offset + array.nbytes if array is not None else self.scalars.itemsize, numpy.uint8)
        fields = message[:self.scalars.itemsize].view(self.scalars)
        for name in self.scalars.names:
            fields[name] = self._checked_scalar(name, values[name])
        if array is not None:
            message[self.array_offset:] = array.reshape(-1).view(numpy.uint8)
        return message

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
