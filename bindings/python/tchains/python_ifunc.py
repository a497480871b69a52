"""`@tchains.ifunc`: a Python function that Numba compiles, and that runs where there is no Python."""
import functools
import keyword
import weakref

import numpy

from .endpoint import REPLY_BYTES
from .parameters import Signature

_MODES = {"fastmath": False, "boundscheck": False}


class PythonIfunc:
    """A Python function that can be sent. Calling it runs it here, as Python."""

    def __init__(self, function, name, options):
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name or function.__name__
        if not (self.name.isascii() and self.name.isidentifier()) or keyword.iskeyword(self.name):
            raise ValueError(f"the name of a function that travels is a C identifier; found {self.name!r}: ifunc(name=...)")
        self.signature = Signature(function)
        self.options = options
        self._compiled = None
        self._opened = weakref.WeakKeyDictionary()

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)

    def compile(self):
        """Has Numba compile it now, and raises CompileError if it cannot; else the first message does."""
        if self._compiled is None:
            from . import numba_module, slices  # Numba takes half a second to load
            text, result = numba_module.compile_text(self.function, self.name, self.signature, self.options)
            self._compiled = slices.bitcode(text), result, text
        return self

    @property
    def slices(self):
        """[(triple, bitcode)], one for each architecture."""
        return self.compile()._compiled[0]

    @property
    def llvm(self):
        """The module as LLVM's text, to be read."""
        return self.compile()._compiled[2]

    def archive(self):
        """The bytes of NAME.tca, for programs in any language."""
        from .archive import archive_of
        return archive_of(self.name, self.slices)

    def save(self, path=None):
        """Writes NAME.tca, or `path`; gives the path."""
        path = path or self.name + ".tca"
        with open(path, "wb") as file:
            file.write(self.archive())
        return path

    def opened(self, context):
        """Its handle in a context."""
        if context not in self._opened:
            self._opened[context] = _Handle(context, context.open_bitcode(self.name, self.slices))
        return self._opened[context].function

    def message(self, context, arguments, named):
        """(handle, payload) of a message."""
        payload = self.signature.payload(arguments, named)
        return self.opened(context), payload

    @property
    def reply_bytes(self):
        """Room for its result: what it has, or of an array a number of bytes that is usual."""
        dtype = _result_dtype(self.compile()._compiled[1])
        return REPLY_BYTES if isinstance(dtype, _ArrayOf) else dtype.itemsize if dtype is not None else 0

    def decoder(self, into):
        """What makes a result of the bytes of a reply."""
        if into is not None:
            return None
        return functools.partial(_decoded, self.name, _result_dtype(self.compile()._compiled[1]))


class _Handle:
    """A function of one context; not a strong reference to the context, whose end frees it."""

    def __init__(self, context, function):
        function.context = weakref.proxy(context)
        self.function = function


class _ArrayOf:
    def __init__(self, dtype):
        self.dtype = dtype


def _result_dtype(result):
    from numba.core import types
    from numba.np.numpy_support import as_dtype
    if result == types.none:
        return None
    if isinstance(result, types.Array):
        return _ArrayOf(as_dtype(result.dtype))
    if isinstance(result, types.BaseTuple):
        parts = [as_dtype(types.unliteral(part)) for part in result.types]
        return numpy.dtype({"names": [f"f{i}" for i in range(len(parts))], "formats": parts}, align=True)
    return as_dtype(result)


def _decoded(name, dtype, data):
    """A Python number, a tuple of them, or a NumPy array. What a peer replied may have any size."""
    if dtype is None:
        return None
    if isinstance(dtype, _ArrayOf):
        if len(data) % dtype.dtype.itemsize != 0:
            raise ValueError(f"the reply of {name} has {len(data)} bytes, expected a multiple of {dtype.dtype.itemsize}")
        return numpy.frombuffer(data, dtype.dtype)
    if len(data) != dtype.itemsize:
        raise ValueError(f"the reply of {name} has {len(data)} bytes, expected {dtype.itemsize}")
    return numpy.frombuffer(data, dtype)[0].item()


def ifunc(function=None, *, name=None, fastmath=False, boundscheck=False):
    """Makes a Python function one that travels. Its annotations say what its parameters are; what it returns is the reply.

    `fastmath`: sums may be reordered, so that the node can widen them. `boundscheck`: an index outside an array raises."""
    options = {**_MODES, "fastmath": fastmath, "boundscheck": boundscheck}
    if function is None:
        return lambda decorated: PythonIfunc(decorated, name, options)
    return PythonIfunc(function, name, options)
