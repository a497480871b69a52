"""Three-Chains: functions that move between processes.

    import tchains

    with tchains.Context() as ctx, ctx.connect("127.0.0.1:7000") as node:
        node.call(ctx.open("count"), b"hello")

`@tchains.ifunc` makes a Python function one that runs at a node without Python; it needs Numba and NumPy, which the rest of the
package does not. docs/python.md is the guide.
"""
import importlib
import importlib.util

try:
    from ._binding import ffi as _ffi, lib as _lib
except ImportError as _error:
    from .loading import explained as _explained
    raise _explained(_error) from _error
from .calls import Call
from .context import Context
from .endpoint import Endpoint
from .errors import (Closed, CompileError, Error, Invalid, NoMemory, NotFound, PeerLost, Raised, Refused, Timeout,
                     TooLarge, Unreachable, WorkerLost)
from .function import Function
from .global_pointer import GlobalPointer
from .group import Group, Member, Program
from .operations import Operation
from .window import Window
from .window_rights import Rights
from .window_steps import ChainResult, Condition, Step
from .window_view import View

__version__ = _ffi.string(_lib.TC_VERSION_STRING).decode()

# Parts that need NumPy, Numba or asyncio are loaded on first use.
_LATER = {"ifunc": "python_ifunc", "PythonIfunc": "python_ifunc", "Payload": "parameters", "Data": "parameters", "State": "parameters", "TargetArgs": "parameters",
          "Reply": "parameters", "Unit": "parameters", "Input": "parameters", "Output": "parameters", "Persistent": "parameters",
          "Description": "parameters", "serving": "aio", "local": "cluster", "Worker": "cluster", "Workers": "cluster", "Task": "cluster",
          "here": None}
# Parts of those without NumPy and Numba.
_PLAIN = {"serving", "local", "Task", "Worker", "Workers"}

__all__ = ["Call", "ChainResult", "Closed", "CompileError", "Condition", "Context", "Endpoint", "Error", "Function", "GlobalPointer", "Group",
           "Invalid", "Member", "NoMemory", "NotFound", "Operation", "PeerLost", "Program", "Raised", "Refused", "Rights", "Step",
           "Timeout", "TooLarge", "Unreachable", "View", "Window", "WorkerLost", *_LATER]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    missing = [module for module in ("numpy", "numba") if importlib.util.find_spec(module) is None]
    if missing and name not in _PLAIN:
        raise ModuleNotFoundError(f"tchains.{name} needs {' and '.join(missing)} (Debian: apt install python3-numba; "
                                  "pip: tchains[ifunc])", name=missing[0])
    module = importlib.import_module(f".{_LATER[name] or name}", __name__)
    value = module if _LATER[name] is None else getattr(module, name)
    globals()[name] = value
    return value
