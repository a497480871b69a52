"""Failures: a class for each status that programs ask for, with the library's text."""
from ._binding import ffi, lib


class Error(Exception):
    """A call of the library failed. `status` is its number, `name` ("TC_E_TIMEOUT") and `text` give the reason."""

    def __init__(self, status, text=""):
        self.status = status
        self.name = ffi.string(lib.tc_status_name(status)).decode()
        self.text = text or ffi.string(lib.tc_status_text(status)).decode()
        super().__init__(f"{self.name}: {self.text}")

    def __reduce__(self):
        return type(self), (self.status, self.text)


class Timeout(Error, TimeoutError):
    """The deadline passed first."""


class NotFound(Error, LookupError):
    """No such file, function, option, rank or call."""


class Invalid(Error, ValueError):
    """An argument, option or payload outside its range."""


class Raised(Error, RuntimeError):
    """The function raised an exception at the node, or threw one; the text has its type, its message, and the line."""


class TooLarge(Error, ValueError):
    """Above a limit that the text names."""


class Refused(Error, PermissionError):
    """The peer refused the connection or the function."""


class Unreachable(Error, ConnectionError):
    """No peer listens there, or no route."""


class PeerLost(Error, ConnectionError):
    """The peer died or broke the protocol."""


class WorkerLost(PeerLost):
    """A worker of tchains.local ended while it had the call; the text has its number, its process and how that ended."""


class Closed(Error, ConnectionError):
    """Either side closed the endpoint, or its context."""


class NoMemory(Error, MemoryError):
    """An allocation failed."""


class CompileError(Error, TypeError):
    """A Python function cannot become one that travels. The text is Numba's own, with the line."""

    def __init__(self, status, text=""):
        super().__init__(status, text)


_CLASSES = {
    lib.TC_E_TIMEOUT: Timeout,
    lib.TC_E_NOT_FOUND: NotFound,
    lib.TC_E_INVALID: Invalid,
    lib.TC_E_THROWN: Raised,
    lib.TC_E_TOO_LARGE: TooLarge,
    lib.TC_E_REFUSED: Refused,
    lib.TC_E_UNREACHABLE: Unreachable,
    lib.TC_E_PEER_LOST: PeerLost,
    lib.TC_E_CLOSED: Closed,
    lib.TC_E_NO_MEMORY: NoMemory,
}


def error_of(status, text=""):
    """The exception for a status."""
    return _CLASSES.get(status, Error)(status, text)


def text_of(err):
    """The text of a tc_error, which is one line; bytes that a peer chose are replaced where they are no text."""
    return ffi.string(err.text).decode(errors="replace")


def check(status, err=None):
    """Raises the exception of a status other than TC_OK."""
    if status != lib.TC_OK:
        raise error_of(status, text_of(err) if err is not None else "")
