"""`@tchains.ifunc`: a Python function that Numba compiles, and that runs where there is no Python."""
import functools
import keyword
import math
import weakref

import numpy

from . import code_cache
from .endpoint import REPLY_BYTES
from .fingerprint import Unknown, fingerprint
from .makers import Makers
from .parameters import DIMENSIONS_MAX, Signature, c_alignment
from .prototype import Layout, Value, element_text, text_of


class PythonIfunc:
    """A Python function that can be sent. Calling it runs it here, as Python."""

    def __init__(self, function, name, payload, options):
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name or function.__name__
        if not (self.name.isascii() and self.name.isidentifier()) or keyword.iskeyword(self.name):
            raise ValueError(f"the name of a function that travels is a C identifier; found {self.name!r}: ifunc(name=...)")
        self.signature = Signature(function)
        if self.signature.is_unit and payload is not None:
            raise TypeError(f"{self.name} is an operation of active messages: its payloads are their units")
        self.makers = Makers(self.name, self.signature, payload) if payload is not None else None
        self.options = options
        self._compiled = None
        self._opened = weakref.WeakKeyDictionary()

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)

    def compile(self):
        """Has Numba compile it now, and raises CompileError if it cannot; else the first message does. Code of the same
        function from an earlier process is taken from the cache."""
        if self._compiled is None:
            try:
                key = fingerprint(self.function, self.name, self.signature, self.makers, self.options)
            except Unknown:
                key = None
            found = code_cache.find(key) if key is not None else None
            self._compiled = _kept(*found) if found is not None else None
            if self._compiled is None:
                self._compiled = self._compile_here()
                words = _words(self._compiled[1])
                if key is not None and words is not None:
                    code_cache.store(key, self._compiled[0], words)
        return self

    def _text_and_result(self):
        from . import numba_module  # Numba takes half a second to load
        return numba_module.compile_text(self.function, self.name, self.signature, self.makers, self.options)

    def _compile_here(self):
        """(slices, the type of its result)"""
        from . import slices
        text, result = self._text_and_result()
        return slices.bitcode(text), _result_dtype(result)

    @property
    def slices(self):
        """[(triple, bitcode)], one for each architecture."""
        return self.compile()._compiled[0]

    @property
    def prototype(self):
        """The types of its arguments and of its answer, for callers in any language. A reply whose shape is behind it has no type
        there; neither has an operation of active messages."""
        if self.signature.is_unit:
            return None
        result = self._result()
        if isinstance(result, _Several):
            results = [element_text(dtype) + ("[]" if varies else "") for dtype, varies in result.parts]
        elif isinstance(result, _ArrayOf):
            results = [element_text(result.dtype) + "[]" if result.shape is not None else "*"]
        else:
            results = [element_text(result)] if result is not None else []
        return text_of(self.signature if self.makers is None else self.makers.source, results)

    @property
    def llvm(self):
        """The module as LLVM's text, to be read. It is compiled for that."""
        return self._text_and_result()[0]

    def archive(self):
        """The bytes of NAME.tca, for programs in any language."""
        from .archive import archive_of
        return archive_of(self.name, self.slices, self.prototype)

    def save(self, path=None):
        """Writes NAME.tca, or `path`; gives the path."""
        path = path or self.name + ".tca"
        with open(path, "wb") as file:
            file.write(self.archive())
        return path

    def opened(self, context):
        """Its handle in a context."""
        if context not in self._opened:
            self._opened[context] = _Handle(context, context.open_bitcode(self.name, self.slices, prototype=self.prototype))
        return self._opened[context].function

    def message(self, context, arguments, named):
        """(handle, payload) of a message."""
        if self.signature.is_unit:
            raise TypeError(f"{self.name} is an operation of active messages: save() it, and send it by tc_am_op_open and tc_am")
        signature = self.signature if self.makers is None else self.makers.source
        payload = signature.payload(arguments, named)
        return self.opened(context), payload

    def explain(self, arguments, named):
        """Raises why no payload was made."""
        if self.makers is not None:
            self.makers.explain(arguments, named)

    @property
    def reply_bytes(self):
        """Space for its result: its size, or a usual number of bytes for an array."""
        dtype = self._result()
        if isinstance(dtype, (_ArrayOf, _Several)):
            return dtype.bytes_if_fixed() or REPLY_BYTES
        return dtype.itemsize if dtype is not None else 0

    def _result(self):
        result = self.compile()._compiled[1]
        return result.declared(self.signature.result) if isinstance(result, _ArrayOf) else result

    def decoder(self, into):
        """The function that makes a result of the bytes of a reply."""
        dtype = self._result()
        if into is None:
            return functools.partial(_decoded, self.name, dtype)
        if isinstance(dtype, _ArrayOf) and dtype.shape is None:
            raise TypeError(f"{self.name} replies with its array's shape behind the array; with `into` it has to be declared: "
                            f"-> tchains.Reply(shape=...)")
        return None


class _Handle:
    """A function of one context; without a strong reference to the context, which frees it at its end."""

    def __init__(self, context, function):
        function.context = weakref.proxy(context)
        self.function = function


class _ArrayOf:
    """A reply that is an array. `shape` None: it comes behind the array, as `ndim` numbers of 64 bits and a byte, which is
    `ndim`."""

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        self.shape = (None,) if ndim == 1 else None

    def declared(self, reply):
        """The same, with the shape that the function declares for it if it does."""
        self.shape = self.shape if reply is None else reply.shape
        return self

    def bytes_if_fixed(self):
        """How many there are; 0: any number."""
        return 0 if self.shape is None or None in self.shape else math.prod(self.shape) * self.dtype.itemsize

    def shape_of(self, name, data):
        """(the bytes of the array, its shape). A peer's reply is untrusted."""
        if self.shape is None:
            end = len(data) - 8 * self.ndim - 1
            shape = numpy.frombuffer(data[end:-1], numpy.int64).tolist() if end >= 0 and data[-1] == self.ndim else [-1]
            if min(shape) < 0 or math.prod(shape) * self.dtype.itemsize != end:
                raise ValueError(f"the reply of {name} has {len(data)} bytes, which the shape {shape} behind it does not need")
            return data[:end], shape
        row = math.prod(length for length in self.shape if length is not None) * self.dtype.itemsize
        if len(data) % row != 0 or (None not in self.shape and len(data) != row):
            raise ValueError(f"the reply of {name} has {len(data)} bytes, expected {'' if None not in self.shape else 'a multiple of '}"
                             f"{row}")
        return data, [len(data) // row if length is None else length for length in self.shape]


class _Several:
    """A reply of several values, [(dtype, whether it is an array)], which lie as those of a message."""

    def __init__(self, parts):
        self.parts = parts
        self.layout = Layout([Value(dtype, c_alignment(dtype), varies=varies) for dtype, varies in parts])

    def bytes_if_fixed(self):
        """How many there are; 0: any number."""
        return self.layout.fixed if self.layout.last is None else 0

    def values(self, name, data):
        """The values of a reply. A peer's is untrusted."""
        return tuple(value.given(part) for value, part in zip(self.layout.values, self.layout.parts(name, data)))


def _result_dtype(result):
    from numba.core import types
    from numba.np.numpy_support import as_dtype
    from . import answer_code
    if answer_code.is_several(result):
        return _Several([(answer_code.dtype_of(kind), isinstance(kind, types.Array)) for kind in result.types])
    if result == types.none:
        return None
    if isinstance(result, types.Array):
        return _ArrayOf(as_dtype(result.dtype), result.ndim)
    if isinstance(result, types.BaseTuple):
        return _tuple_of([as_dtype(types.unliteral(part)) for part in result.types])
    return as_dtype(result)


def _part_words(dtype):
    """A number's dtype as text, a tuple's as the list of its members' words; None: it is of another kind."""
    if dtype.names is None:
        return dtype.str if dtype.kind in "biufc" else None
    return [_part_words(dtype[i]) for i in range(len(dtype.names))]


def _part_dtype(words):
    return numpy.dtype(words) if isinstance(words, str) else _tuple_of([_part_dtype(word) for word in words])


def _several_words(parts):
    words = [[_part_words(dtype), varies] for dtype, varies in parts]
    try:
        same = [(_part_dtype(word), varies) for word, varies in words] == parts
    except (TypeError, ValueError):
        return None
    return ["several", *words] if same else None


def _words(result):
    """A result for the cache, as JSON has it: its kind, the dtypes, and of an array how many dimensions. None: it is of another kind."""
    if result is None:
        return ["none"]
    if isinstance(result, _Several):
        return _several_words(result.parts)
    dtypes = [result.dtype] if isinstance(result, _ArrayOf) else [result[i] for i in range(len(result.names or ()))] or [result]
    if any(dtype.kind not in "biufc" for dtype in dtypes):
        return None
    if isinstance(result, _ArrayOf):
        return ["array", result.dtype.str, result.ndim]
    return ["tuple" if result.names else "number", *(dtype.str for dtype in dtypes)]


def _kept(slices, words):
    """(slices, the type of its result) from the cache's entry, or None where that is malformed."""
    try:
        kind, *rest = words
        if kind == "none" and not rest:
            return slices, None
        if kind == "several" and rest and all(isinstance(varies, bool) for _, varies in rest):
            return slices, _Several([(_part_dtype(words), varies) for words, varies in rest])
        if kind == "array":
            text, ndim = rest
            return (slices, _ArrayOf(numpy.dtype(text), ndim)) if isinstance(ndim, int) and 1 <= ndim <= DIMENSIONS_MAX else None
        if kind == "number":
            return slices, numpy.dtype(*rest)
        return (slices, _tuple_of([numpy.dtype(text) for text in rest])) if kind == "tuple" and rest else None
    except (TypeError, ValueError, RecursionError):
        return None


def _tuple_of(parts):
    return numpy.dtype({"names": [f"f{i}" for i in range(len(parts))], "formats": parts}, align=True)


def _decoded(name, dtype, data):
    """A Python number, a tuple of them, or a NumPy array. A peer's reply may have any size."""
    if dtype is None:
        return None
    if isinstance(dtype, _Several):
        return dtype.values(name, bytes(data))
    if isinstance(dtype, _ArrayOf):
        data, shape = dtype.shape_of(name, data)
        return numpy.frombuffer(data, dtype.dtype).reshape(shape)
    if len(data) != dtype.itemsize:
        raise ValueError(f"the reply of {name} has {len(data)} bytes, expected {dtype.itemsize}")
    return numpy.frombuffer(data, dtype)[0].item()


def ifunc(function=None, *, name=None, payload=None, fastmath=False, boundscheck=False):
    """Makes a Python function one that travels. Its annotations declare its parameters; its result is the reply.

    `fastmath`: sums may be reordered, so that the node can widen them. `boundscheck`: an index outside an array raises.

    `payload=(BOUND, INIT)`: functions that make the payload at the sender, of the arguments of `send` and `call`: BOUND returns
    the array's length, or is None where nothing is open; INIT writes the function's values, first parameters of the same names,
    and raises to cancel the message."""
    options = {"fastmath": fastmath, "boundscheck": boundscheck}
    if function is None:
        return lambda decorated: PythonIfunc(decorated, name, payload, options)
    return PythonIfunc(function, name, payload, options)
