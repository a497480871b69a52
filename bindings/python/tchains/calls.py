"""Calls that are under way."""
from ._binding import ffi, lib
from .errors import error_of
from .started import Started, ended, interrupted


class Call(Started):
    """One call: `result()` waits for its reply, `await` does so in asyncio's loop. A call with `into` gives the number of bytes that
    are there."""

    def __init__(self, endpoint, room, decode):
        super().__init__(endpoint.context)
        self.endpoint = endpoint
        self.room = room
        self.id = 0
        self.path = ()
        self.rank = None
        self._decode = decode
        self._size = 0

    def params(self, timeout_ns, hop_limit, trace):
        """The completion of tc_call_start."""
        return ffi.new("tc_call_params *", {
            "result": self.room.pointer, "result_capacity": self.room.size, "timeout_ns": timeout_ns, "hop_limit": hop_limit,
            "trace": trace, "done": lib.tchains_call_done, "user": self.user()})

    def record(self, outcome):  # pylint: disable=arguments-differ
        """How it ended, as reported by the library."""
        if outcome.status != lib.TC_OK:
            self._failure = error_of(outcome.status, ffi.string(outcome.text).decode(errors="replace"))
        self._size = outcome.result_size
        self.rank = None if outcome.rank == lib.TC_RANK_NONE else outcome.rank
        self.path = tuple(outcome.path[i] for i in range(outcome.path_length)) if outcome.path != ffi.NULL else ()
        self._end()

    def cancel(self):
        """Abandons it; whether it was under way. The function runs all the same."""
        if self._ended:
            return False

        def cancelled(pointer):
            if self._ended or lib.tc_call_cancel(pointer, self.id) != lib.TC_OK:
                return False
            self.forget()
            self._failure = error_of(lib.TC_E_CLOSED, "the call was cancelled")
            self._ended = True
            return True
        if self.context.turn.use(cancelled):
            self.tell()
            return True
        return False

    def _value(self):
        if self._decode is None:
            return self._size
        return self._decode(memoryview(self.room.owner).cast("B")[:self._size])


@ffi.def_extern(onerror=interrupted)
def tchains_call_done(user, *outcome):
    """The library's report that a call has ended."""
    ended(user, outcome)
