"""A digest of all that the code of a Python function depends on: two processes with the same digest compile the same code.

It holds the function's instructions and constants, the values of the names outside that it uses, and the same of every function
among those; the types of its parameters; and the versions of all compilers. Numba takes values of names outside as constants, so
they are a part of the digest. A value with unknown content, such as a module or an object of the user's, has no fingerprint, and
the function is compiled in each process.
"""
import builtins
import dis
import hashlib
import importlib.metadata
import os
import platform
import sys
import types

import numpy

# Their functions, classes and modules are known by name and version.
_KNOWN = {"builtins", "cmath", "llvmlite", "math", "numba", "numpy", "operator", "tchains"}
_NAMED = (types.BuiltinFunctionType, types.FunctionType, type)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


class Unknown(Exception):
    """Something has no digest."""


def _is_known(module):
    return isinstance(module, str) and module.partition(".")[0] in _KNOWN


class _Digest:
    def __init__(self):
        self._hash = hashlib.blake2b(digest_size=32)
        self._functions = {}

    def hex(self):
        return self._hash.hexdigest()

    def add(self, *words):
        """Each with its length, so that no two lists of words are alike."""
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode(errors="surrogatepass")
            self._hash.update(len(data).to_bytes(8, "little") + data)

    def _sequence(self, values):
        self.add(type(values).__name__, len(values))
        for value in values:
            self.value(value)

    def _array(self, array):
        if array.dtype.hasobject:
            raise Unknown("an array of objects")
        self.add("array", array.dtype.descr, array.dtype.alignment, array.shape, array.flags.f_contiguous, array.flags.writeable,
                 array.tobytes())

    def value(self, value):
        """A constant, or the value of a name outside the function."""
        if isinstance(value, _PLAIN) and type(value) in _PLAIN:
            self.add(type(value).__name__, repr(value))
        elif type(value) in (tuple, list):
            self._sequence(value)
        elif type(value) is frozenset:
            self._sequence(sorted(value, key=repr))
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, numpy.ndarray) and type(value) is numpy.ndarray:
            self._array(value)
        elif isinstance(value, numpy.generic):
            self._array(numpy.asarray(value))
        elif isinstance(value, numpy.dtype):
            self.add("dtype", value.descr, value.itemsize, value.alignment)
        elif isinstance(value, types.ModuleType) and _is_known(value.__name__):
            self.add("module", value.__name__)
        elif isinstance(value, _NAMED) and _is_known(getattr(value, "__module__", None)):
            self.add("known", type(value).__name__, value.__module__, value.__qualname__)
        elif isinstance(value, numpy.ufunc) and getattr(numpy, value.__name__, None) is value:
            self.add("ufunc", value.__name__)
        elif type(value) is types.FunctionType:
            self.function(value)
        else:
            self._of_numba(value)

    def _of_numba(self, value):
        """Its types, and functions under @numba.njit. Where it was not loaded there are no such types."""
        numba = sys.modules.get("numba")
        if numba is not None and isinstance(value, numba.core.types.Type):
            self.add("type", type(value).__name__, value)
        elif numba is not None and isinstance(value, numba.core.dispatcher.Dispatcher):
            self.add("jit", sorted(map(repr, value.targetoptions.items())))
            self.function(value.py_func)
        else:
            raise Unknown(f"{type(value).__module__}.{type(value).__qualname__}")

    def _code(self, code):
        """Its lines and its file's name are in the texts of its exceptions."""
        self.add("code", code.co_code, code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_name,
                 os.path.basename(code.co_filename), code.co_firstlineno, list(code.co_lines()), getattr(code, "co_exceptiontable", b""),
                 code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self._sequence(code.co_consts)

    def function(self, function):
        """A function of the user's."""
        if type(function) is not types.FunctionType:
            raise Unknown(f"a function that is {type(function).__qualname__}")
        if function in self._functions:
            self.add("again", self._functions[function])
            return
        self._functions[function] = len(self._functions)
        self.add("function")
        self._code(function.__code__)
        self.value(function.__defaults__ or ())
        for name, value in sorted((function.__kwdefaults__ or {}).items()):
            self.add(name)
            self.value(value)
        for cell in function.__closure__ or ():
            try:
                self.value(cell.cell_contents)
            except ValueError:
                self.add("empty")
        self._names(function)

    def _names(self, function):
        for name in sorted(_names_outside(function.__code__)):
            self.add("name", name)
            if name in function.__globals__:
                self.value(function.__globals__[name])
            else:
                self.add("builtin" if hasattr(builtins, name) else "missing")

    def members(self, thing):
        """An object of this package's that describes something."""
        self.add(type(thing).__name__)
        for name, value in sorted(vars(thing).items()):
            self.add(name)
            self.value(value)


def _names_outside(code):
    names = {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_outside(constant)
    return names


def _own_sources():
    """This package, which may change without another version."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                yield name, file.read()


def _add_compiler(digest):
    digest.add(sys.implementation.name, sys.version, platform.machine(), numpy.__version__)
    for package in ("numba", "llvmlite"):
        try:
            digest.add(package, importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError as error:
            raise Unknown(f"the version of {package}") from error
    for name, source in _own_sources():
        digest.add(name, source)
    digest.add(sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_")))
    if os.path.exists(".numba_config.yaml"):
        with open(".numba_config.yaml", "rb") as file:
            digest.add(file.read())


def _add_signature(digest, signature):
    for name, kind in signature.parameters.items():
        digest.add("parameter", name)
        digest.members(kind)
    if signature.result is not None:
        digest.members(signature.result)


def fingerprint(function, name, signature, makers, options):
    """64 hexadecimal digits. Raises Unknown for a function that depends on something without a digest."""
    digest = _Digest()
    _add_compiler(digest)
    digest.add(name, sorted(options.items()))
    _add_signature(digest, signature)
    digest.function(function)
    if makers is not None:
        digest.add("makers")
        _add_signature(digest, makers.source)
        for maker in (makers.bound, makers.init):
            digest.add("maker")
            if maker is not None:
                digest.function(maker)
    return digest.hex()
