"""Functions that make a function's payloads at the sender: `@ifunc(payload=(BOUND, INIT))`.

BOUND takes the arguments of `send` and `call` and returns the size of the array's open dimension; None where nothing is open.
INIT takes the parts of the payload, to write to, under the function's names for them, and then the arguments of BOUND.
"""
import inspect

import numpy

from ._binding import lib
from .errors import Error
from .parameters import Data, Payload, Scalar, Signature, State, TargetArgs


def _same(a, b):
    """Returns whether two kinds of parameters are of one type."""
    return type(a) is type(b) and a.dtype == b.dtype and getattr(a, "shape", None) == getattr(b, "shape", None)


class Makers:
    """BOUND and INIT of one function, and the arguments that they take."""

    def __init__(self, name, signature, pair):
        try:
            self.bound, self.init = pair
        except (TypeError, ValueError):
            raise TypeError(f"{name}: expected payload=(BOUND, INIT), two functions; found {pair!r}") from None
        if not callable(self.init) or not (self.bound is None or callable(self.bound)):
            raise TypeError(f"{name}: expected payload=(BOUND, INIT), two functions; found {pair!r}")
        self.name, self.signature = name, signature
        self._check_opened()
        self.source = self._source(self.init, self._written())
        if self.bound is not None:
            self._check_bound()

    def _check_opened(self):
        if len(self.signature.arrays) > 1 or any(kind.dtype.names is not None and isinstance(kind, Scalar)
                                                 for kind in self.signature.parameters.values()):
            raise TypeError(f"{self.name}: payload=(BOUND, INIT) makes a message of numbers and of one array")
        opened = self.signature.array.open if self.signature.array is not None else []
        if len(opened) > 1:
            raise ValueError(f"{self.name}: one dimension at most is open of an array that is made at the sender; found the shape "
                             f"{self.signature.array.shape}")
        if opened and self.bound is None:
            raise TypeError(f"{self.name}: payload=(BOUND, INIT) has no BOUND, which says how long the array will be")
        if not opened and self.bound is not None:
            raise TypeError(f"{self.name}: its payload has always the same size; expected payload=(None, INIT)")

    def _written(self):
        """The parameters of INIT that it writes to."""
        expected = self.signature.sent
        found = list(inspect.signature(self.init).parameters.values())[:len(expected)]
        if [one.name for one in found] != expected or any(one.annotation is not one.empty for one in found):
            raise TypeError(f"{self.init.__name__} writes the payload of {self.name}: expected ({', '.join(expected)}, ...), without "
                            f"annotations; found ({', '.join(str(one) for one in found)}, ...)")
        return expected

    def _source(self, function, written=()):
        signature = Signature(function, without=written)
        for name, kind in signature.parameters.items():
            if isinstance(kind, (Data, State, TargetArgs)):
                raise TypeError(f"{function.__name__} runs at the sender: parameter {name} is {type(kind).__name__}, which a node has; "
                                "expected a number's type or tchains.Payload(...)")
            if isinstance(kind, Payload) and kind.writable:
                raise TypeError(f"{function.__name__} may not change what is sent: parameter {name} is writable")
        return signature

    def _check_bound(self):
        bound = self._source(self.bound).parameters
        expected = self.source.parameters
        if list(bound) != list(expected) or not all(_same(bound[name], expected[name]) for name in bound):
            raise TypeError(f"{self.bound.__name__}{inspect.signature(self.bound)} takes other arguments than "
                            f"{self.init.__name__}{inspect.signature(self.init)}, behind what that writes")

    def views(self):
        """(dtype, shape) of each view that INIT writes to: of a number an array of one."""
        for name in self.signature.sent:
            kind = self.signature.parameters[name]
            yield kind.dtype, (1,) if isinstance(kind, Scalar) else kind.shape

    def explain(self, arguments, named):
        """Runs them as Python, and raises their exceptions: compiled they only report that they raised."""
        given = self.source.values(arguments, named)
        try:
            size = int(self.bound(**given)) if self.bound is not None else None
            if size is not None and size < 0:
                raise ValueError(f"{self.bound.__name__} returned {size}")
            self.init(*(numpy.empty([size if length is None else length for length in shape], dtype)
                        for dtype, shape in self.views()), **given)
        except Exception as error:
            raise Error(lib.TC_E_PAYLOAD, f"{self.name}: no payload: {type(error).__name__}: {error}") from error
