"""Groups: processes that address each other by rank."""
import collections

from ._binding import ffi, lib
from .endpoint import Peer
from .errors import check, error_of
from .waiting import nanoseconds


Program = collections.namedtuple("Program", "number name")


class Member(Peer):
    """One rank of a group; the endpoint to it is made when it is first used, and again when it has ended."""

    def __init__(self, group, rank):
        super().__init__(group.context)
        self.group, self.rank = group, rank

    def _pointer(self):
        err, out = ffi.new("tc_error *"), ffi.new("tc_ep **")
        check(lib.tc_group_ep(self.group.pointer(), self.rank, out, err), err)
        return out[0]


class Group:
    """A group of Context.join or Context.group: `group[rank]` sends and calls as an endpoint does."""

    def __init__(self, context):
        self.context = context
        self._state = ffi.new("tc_group **")
        self.rank = self.size = 0
        self._members = {}

    def open(self, how, *what):
        """Has the library make it. When a signal raises meanwhile no group is made."""
        err = ffi.new("tc_error *")
        try:
            self.context.turn.use(lambda pointer: check(how(pointer, *what, self._state, err), err), blocking=True)
        except BaseException:
            self.close()
            raise
        self.rank = lib.tc_group_rank(self._state[0])
        self.size = lib.tc_group_size(self._state[0])
        return self

    def pointer(self):
        """The library's handle, for the thread that has the context's turn."""
        if self._state[0] == ffi.NULL:
            raise error_of(lib.TC_E_CLOSED, "the group is closed")
        return self._state[0]

    def __len__(self):
        return self.size

    def __getitem__(self, rank):
        if not 0 <= rank < self.size:
            raise IndexError(f"the group has the ranks 0 to {self.size - 1}; found {rank}")
        return self._members.setdefault(rank, Member(self, rank))

    def program(self, rank):
        """The program that a rank runs, of those that tc-run started together: its number and name, 0 and "" in other jobs."""
        rank, name = self[rank].rank, ffi.new("char **")
        number = self.context.turn.use(lambda _: lib.tc_group_program(self.pointer(), rank, name))
        return Program(number, ffi.string(name[0]).decode())

    def call_all(self, function, *arguments, **more):
        """Calls a function at every rank, this one included, at the same time; the results by rank. When some fail, the error
        of the lowest rank."""
        calls = [self[rank].start(function, *arguments, **more) for rank in range(self.size)]
        try:
            failures = [call.exception() for call in calls]
        except BaseException:
            for call in calls:
                call.cancel()
            raise
        for rank, failure in enumerate(failures):
            if failure is not None:
                raise type(failure)(failure.status, f"rank {rank}: {failure.text}")
        return [call.result() for call in calls]

    def _together(self, function, timeout):
        err = ffi.new("tc_error *")
        limit = nanoseconds(timeout, lib.TC_FOREVER)
        self.context.turn.use(lambda _: check(function(self.pointer(), limit, err), err), blocking=True)

    def connect(self, timeout=30):
        """Opens the endpoints to all members."""
        self._together(lib.tc_group_connect, timeout)

    def barrier(self, timeout=30):
        """Waits until all members are here, and runs their messages. An interrupted one counts as entered; rank 0, when it
        is interrupted, gives it up for all."""
        self._together(lib.tc_group_barrier, timeout)

    def close(self):
        """Leaves the group."""
        if self._state[0] == ffi.NULL or not self.context.turn.usable():
            return

        def close(_):
            pointer, self._state[0] = self._state[0], ffi.NULL
            lib.tc_group_destroy(pointer)
        self.context.turn.use(close, blocking=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
