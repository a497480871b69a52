"""Prototypes (docs/payload-layout.md): the types of a function's arguments and of its answer, as a text and as NumPy's types.

A message lies as a C struct of its values. Each array or text but the last has its number of elements in the struct; the elements
follow it. An answer lies alike: it has the result, and then the arguments that come back.
"""
import re

import numpy

from .parameters import Payload, c_alignment

_NUMBERS = {"bool": "?", **{f"{kind}{8 * size}": f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)}, "f32": "f4", "f64": "f8"}
_NAMES = {numpy.dtype(code): name for name, code in _NUMBERS.items()}
_TOKEN = re.compile(r"inout |out |->|[(){},*]|\[\d*\]|\?\d+:\d+|[a-z]+\d*")


def rounded(offset, alignment):
    """The next multiple of an alignment."""
    return -(-offset // alignment) * alignment


def element_text(dtype):
    """The element of a prototype that a type of NumPy's is."""
    if dtype in _NAMES:
        return _NAMES[dtype]
    if dtype.subdtype is None and dtype.names and c_alignment(dtype) > 1:
        return "{" + ",".join(_member_text(dtype[name]) for name in dtype.names) + "}"
    return f"?{dtype.itemsize}:{c_alignment(dtype)}"


def _member_text(dtype):
    base, shape = dtype.subdtype or (dtype, ())
    return element_text(base) + "".join(f"[{size}]" for size in shape[:1]) if len(shape) < 2 else f"?{dtype.itemsize}:{c_alignment(dtype)}"


def text_of(signature, results):
    """The prototype of a function in Python; `results` are the types of its answer's values, or ["*"]."""
    values = []
    for name in signature.sent:
        kind = signature.parameters[name]
        if isinstance(kind, Payload):
            values += ["i64"] * len(kind.travelling) + [element_text(kind.dtype) + "[]"]
        else:
            values.append(element_text(kind.dtype))
    named = _with_answers(values, results[1:])
    if named is None:
        return f"({','.join(values)})->*"
    return f"({','.join(named)})" + (f"->{results[0]}" if results else "")


def _agree(a, b):
    is_bytes = {"text", "u8[]", "i8[]", "bool[]", "?1:1[]"}
    return a == b or {a, b} <= is_bytes


def _with_answers(values, answers):
    """The arguments, of which the values of the answer come back: an array is one that is changed, or its capacity is an argument;
    all else is a part of the answer alone. A function with these messages agrees, wherever its own are marked. None: no prototype
    has that answer."""
    left, words = list(answers), []
    for value in [*values, None]:
        while left and not _varies(left[0]):
            words.append("out " + left.pop(0))
        if value is None:
            break
        if left and _agree(value, left[0]):
            words.append("inout " + value)
            left.pop(0)
        elif left and value == "u64":
            words.append("out " + left.pop(0))
        else:
            words.append(value)
    return None if left else words


def _varies(text):
    return text == "text" or text.endswith("[]")


class Value:
    """One value of a message. `varies`: it is any number of elements of `dtype`."""

    def __init__(self, dtype, alignment, varies=False, is_text=False):
        self.dtype, self.alignment, self.varies, self.is_text = dtype, alignment, varies, is_text

    def _is_same_struct(self, own):
        """Returns whether a type is a struct of the same members, whatever their names; a prototype has none."""
        if own == self.dtype or own.names is None or own.itemsize != self.dtype.itemsize:
            return False
        if self.dtype.names is None:
            return self.dtype.kind == "V" and self.dtype.subdtype is None and c_alignment(own) == self.alignment
        return element_text(own) == element_text(self.dtype)

    def elements(self, place, value):
        """The value as an array: of one, or of all elements."""
        if isinstance(value, str) and self.varies and self.dtype.itemsize == 1: # functions in Python take a text as bytes
            value = value.encode()
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._of_bytes(place, value)
        array = numpy.asarray(value)
        if self._is_same_struct(array.dtype):
            value = array = numpy.ascontiguousarray(array).view(self.dtype)
        if isinstance(value, (numpy.ndarray, numpy.generic)) and array.dtype != self.dtype and \
                (self.varies or not numpy.can_cast(array.dtype, self.dtype, "same_kind")):
            raise TypeError(f"argument {place + 1} is of the type {array.dtype}, expected {self.dtype}")
        if not self.varies and self.dtype.kind in "iu" and self.dtype.subdtype is None:
            self._check_range(place, value)
        made = numpy.array(value, self.dtype.base) if self.dtype.names is None else numpy.array(value, self.dtype)
        if made.shape != self.dtype.shape and not self.varies:
            raise TypeError(f"argument {place + 1} has the shape {made.shape}, expected {self.dtype.shape}")
        return numpy.ascontiguousarray(made).reshape(-1)

    def _check_range(self, place, value):
        info = numpy.iinfo(self.dtype)
        if not isinstance(value, (int, numpy.integer, numpy.bool_)):
            raise TypeError(f"argument {place + 1} is {value!r}, expected a whole number")
        if not info.min <= int(value) <= info.max:
            raise OverflowError(f"argument {place + 1} is {value!r}, expected a number that fits {self.dtype}")

    def _of_bytes(self, place, value):
        found = memoryview(value).cast("B")
        if len(found) % self.dtype.itemsize or (not self.varies and len(found) != self.dtype.itemsize):
            raise TypeError(f"argument {place + 1} has {len(found)} bytes, expected {'a multiple of ' if self.varies else ''}"
                            f"{self.dtype.itemsize}")
        return numpy.frombuffer(found, numpy.uint8)

    def given(self, data):
        """The value of Python's of its bytes."""
        if self.is_text:
            return bytes(data).decode()
        if self.varies or self.dtype.subdtype is not None:
            return numpy.frombuffer(data, self.dtype.base)
        return numpy.frombuffer(data, self.dtype)[0].item()


class Layout:
    """The layout of a message or of an answer."""

    def __init__(self, values):
        self.values = values
        varying = [at for at, value in enumerate(values) if value.varies]
        self.last = varying[-1] if varying else None
        self.offsets, end, largest = [], 0, 1
        for at, value in enumerate(values):
            size, alignment = (8, 8) if value.varies else (value.dtype.itemsize, value.alignment)
            if at == self.last:
                self.offsets.append(None)
                continue
            end = rounded(end, alignment)
            self.offsets.append(end)
            end, largest = end + size, max(largest, alignment)
        self.fixed = end if varying else rounded(end, largest)

    def packed(self, values):
        """The bytes of the values, which are arrays of elements."""
        end = self.fixed
        offsets = []
        for value, elements in zip(self.values, values):
            offset = rounded(end, value.alignment) if value.varies else None
            offsets.append(offset)
            end = offset + elements.nbytes if value.varies else end
        message = numpy.zeros(end, numpy.uint8)
        for at, (value, elements) in enumerate(zip(self.values, values)):
            if value.varies and at != self.last:
                message[self.offsets[at]:][:8].view(numpy.uint64)[0] = elements.nbytes // value.dtype.itemsize
            offset = offsets[at] if value.varies else self.offsets[at]
            message[offset:offset + elements.nbytes] = elements.view(numpy.uint8)
        return message

    def parts(self, name, data):
        """The bytes of each value. A peer's reply is untrusted."""
        def wrong(expected):
            return ValueError(f"the reply of {name} has {len(data)} bytes, expected {expected}")
        if len(data) < self.fixed or (self.last is None and len(data) != self.fixed):
            raise wrong(f"{'at least ' if self.last is not None else ''}{self.fixed}")
        end, parts = self.fixed, []
        for at, value in enumerate(self.values):
            if not value.varies:
                parts.append(data[self.offsets[at]:self.offsets[at] + value.dtype.itemsize])
                continue
            begin = min(rounded(end, value.alignment), len(data))
            size = len(data) - begin
            if at != self.last:
                size = int.from_bytes(data[self.offsets[at]:self.offsets[at] + 8], "little") * value.dtype.itemsize
            if size > len(data) - begin or size % value.dtype.itemsize:
                raise wrong(f"{begin + size} for its elements" if at != self.last else f"a multiple of {value.dtype.itemsize}")
            parts.append(data[begin:begin + size])
            end = begin + size
        return parts


class Prototype:
    """A function's prototype, which its archive states. A text that is none raises ValueError."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        self._tokens, self._at = _TOKEN.findall(text), 0
        if "".join(self._tokens) != text:
            raise ValueError(f"{name}: '{text}' is no prototype")
        arguments, results = [], []
        self.any_answer = False
        self._take("(")
        while not self._try(")"):
            way = "inout" if self._try("inout ") else "out" if self._try("out ") else "in"
            value = self._type()
            if way != "in":
                results.append(value)
            if way != "out":
                arguments.append(value)
            elif value.varies:
                arguments.append(Value(numpy.dtype(numpy.uint64), 8))
            if not self._try(","):
                self._take(")")
                break
        if self._try("->"):
            self.any_answer = self._try("*")
            if not self.any_answer:
                results.insert(0, self._type())
        if self._at != len(self._tokens):
            raise ValueError(f"{name}: '{text}' is no prototype")
        self._message, self._answer = Layout(arguments), Layout(results)

    def _try(self, token):
        found = self._at < len(self._tokens) and self._tokens[self._at] == token
        self._at += found
        return found

    def _take(self, token):
        if not self._try(token):
            raise ValueError(f"{self.name}: '{self.text}' is no prototype")

    def _next(self):
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def _dimension(self):
        """The number in brackets, 0 for any, None without brackets."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if not token.startswith("["):
            return None
        self._at += 1
        return int(token[1:-1] or 0)

    def _element(self):
        token = self._next()
        if token == "{":
            return self._struct()
        if token.startswith("?"):
            size, alignment = (int(part) for part in token[1:].split(":"))
            return numpy.dtype((numpy.void, size)), alignment
        if token not in _NUMBERS:
            raise ValueError(f"{self.name}: '{self.text}' is no prototype: '{token}' is no type")
        dtype = numpy.dtype(_NUMBERS[token])
        return dtype, dtype.itemsize

    def _struct(self):
        formats, offsets, end, largest = [], [], 0, 1
        while True:
            dtype, alignment = self._element()
            count = self._dimension()
            dtype = numpy.dtype((dtype, (count,))) if count is not None else dtype
            end, largest = rounded(end, alignment), max(largest, alignment)
            formats.append(dtype)
            offsets.append(end)
            end += dtype.itemsize
            if not self._try(","):
                break
        self._take("}")
        names = [f"f{at}" for at in range(len(formats))]
        return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": rounded(end, largest)}), largest

    def _type(self):
        if self._try("text"):
            return Value(numpy.dtype(numpy.uint8), 1, varies=True, is_text=True)
        dtype, alignment = self._element()
        count = self._dimension()
        if count == 0:
            return Value(dtype, alignment, varies=True)
        return Value(numpy.dtype((dtype, (count,))) if count is not None else dtype, alignment)

    def payload(self, arguments):
        """The bytes of a message."""
        values = self._message.values
        if len(arguments) != len(values):
            raise TypeError(f"{self.name}{self.text} takes {len(values)} arguments; found {len(arguments)}")
        return self._message.packed([value.elements(at, given) for at, (value, given) in enumerate(zip(values, arguments))])

    def reply_bytes(self, otherwise):
        """The space for an answer: its size, or `otherwise` for one that varies."""
        return otherwise if self._answer.last is not None or self.any_answer else self._answer.fixed

    def result(self, data):
        """The value of an answer: None, one, or a tuple of several."""
        if self.any_answer:
            return bytes(data)
        values = [value.given(part) for value, part in zip(self._answer.values, self._answer.parts(self.name, bytes(data)))]
        return (values[0] if len(values) == 1 else tuple(values)) if values else None
