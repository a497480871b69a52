"""Three-Chains: functions that move between processes.

    import tchains

    with tchains.Context() as ctx, ctx.connect("127.0.0.1:7000") as node:
        node.call(ctx.open("count"), b"hello")

`@tchains.ifunc` makes a Python function one that runs at a node without Python; it needs Numba and NumPy, which the rest of the
package does not. docs/python.md is the guide.
"""
import importlib
import importlib.util

from ._binding import ffi as _ffi, lib as _lib
from .context import Context
from .errors import (Closed, CompileError, Error, Invalid, NoMemory, NotFound, PeerLost, Raised, Refused, Timeout,
                     TooLarge, Unreachable)
from .global_pointer import GlobalPointer
from .window_rights import Rights
from .window_steps import Condition, Step

__version__ = _ffi.string(_lib.TC_VERSION_STRING).decode()

# Parts that need NumPy, Numba or asyncio are loaded on first use.
_LATER = {"ifunc": "python_ifunc", "Payload": "parameters", "Data": "parameters", "State": "parameters", "TargetArgs": "parameters",
          "Reply": "parameters", "Unit": "parameters", "Input": "parameters", "Output": "parameters", "Persistent": "parameters",
          "Description": "parameters", "serving": "aio", "here": None}

__all__ = ["Closed", "CompileError", "Condition", "Context", "Error", "GlobalPointer", "Invalid", "NoMemory", "NotFound", "PeerLost",
           "Raised", "Refused", "Rights", "Step", "Timeout", "TooLarge", "Unreachable", *_LATER]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    missing = [module for module in ("numpy", "numba") if importlib.util.find_spec(module) is None]
    if missing and name != "serving":
        raise ModuleNotFoundError(f"tchains.{name} needs {' and '.join(missing)} (Debian: apt install python3-numba; "
                                  "pip: tchains[ifunc])", name=missing[0])
    module = importlib.import_module(f".{_LATER[name] or name}", __name__)
    value = module if _LATER[name] is None else getattr(module, name)
    globals()[name] = value
    return value
