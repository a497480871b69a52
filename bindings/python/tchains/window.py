"""Windows: memory of this process that is open to peers."""
from . import shared_memory
from ._binding import ffi, lib
from .endpoint import Peer
from .errors import check, error_of
from .global_pointer import GlobalPointer, whole
from .group import Group
from .window_rights import Rights


def _own_memory(memory, rights):
    """Memory of the program's, kept at its address by the object that is returned, and a memoryview of it."""
    view = memoryview(memory)
    writes = rights & (Rights.WRITE | Rights.ATOMIC)
    if "O" in view.format or not view.c_contiguous or (writes and view.readonly):
        needed = f", that can be written, for the rights {writes.name}" if writes else ""
        raise TypeError(f"expected contiguous memory without Python objects{needed}; found {memory!r:.80}")
    whole(view.nbytes, "size", 1)
    return ffi.from_buffer(memory, require_writable=bool(writes)), view.cast("B")


def _name(context, owner, kind):
    """The library's handle of a peer or group of this context; it is used in the same turn."""
    if not isinstance(owner, kind):
        raise TypeError(f"expected {'an endpoint' if kind is Peer else 'a group'}; found {owner!r}")
    if owner.context is not context:
        raise error_of(lib.TC_E_INVALID, f"{owner!r} is of another context than the window")


class Window:
    """An open window, of `context.window`. Closed by `close`, by `with`, or with its context, and not when it is collected: peers use
    it by its pointer alone. Its memory is kept until then."""

    def __init__(self, context):
        self.context = context
        self.size, self.rights = 0, Rights(0)
        self._pointer = self._view = self._mapping = None
        self._state = ffi.new("tc_gptr *")

    def open(self, memory, rights, names, arena_begin, shared):
        """Has the library open it. The memory is kept before peers can use it, and a signal that raises leaves no window."""
        self.rights = Rights(whole(rights, "rights", 1, 2**32 - 1))
        kept = None
        if isinstance(memory, int):
            self.size = whole(memory, "size", 1, 2**63 - 1)
            memory = None if shared else bytearray(self.size)
        elif shared:
            raise TypeError(f"the library makes the memory of a shared window: expected its size; found {memory!r:.80}")
        if memory is not None:
            kept, self._view = _own_memory(memory, self.rights)
            self.size = self._view.nbytes
        params = ffi.new("tc_window_params *", {
            "memory": ffi.NULL if kept is None else ffi.cast("void *", kept), "bytes": self.size, "rights": self.rights,
            "arena_begin": whole(arena_begin, "arena_begin"), "shared": bool(shared)})
        identity = self._names(names)
        params.identity = ffi.NULL if identity is None else identity
        try:
            self.context.turn.use(lambda pointer: self._open(pointer, params, names, kept))
        except BaseException:
            self.close()
            self.context.turn.windows.pop(self._state, None)
            raise
        return self

    def _names(self, names):
        """Checks the peers' names; returns the identity for the library."""
        endpoint, group, identity = names
        if endpoint is not None:
            _name(self.context, endpoint, Peer)
        if group is not None:
            _name(self.context, group, Group)
        if identity is None:
            return None
        text = identity.encode()
        if b"\0" in text:
            raise error_of(lib.TC_E_INVALID, f"identity is {identity!r}, expected a text without zeros")
        return ffi.new("char[]", text)

    def _open(self, pointer, params, names, kept):
        endpoint, group, _identity = names
        if endpoint is not None:
            params.peer = endpoint._pointer()
        if group is not None:
            params.group = group.pointer()
        err, turn = ffi.new("tc_error *"), self.context.turn
        turn.windows[self._state] = kept
        status = lib.tc_window_open(pointer, params, self._state, err)
        if status != lib.TC_OK:
            del turn.windows[self._state]
        check(status, err)
        opened = self._state[0]
        rank = None if opened.rank == lib.TC_RANK_NONE else opened.rank
        self._pointer = GlobalPointer(opened.window, opened.generation, rank, opened.offset)
        if params.shared:
            self._mapping = shared_memory.map_again(lib.tc_window_memory(pointer, opened), self.size)

    def _check(self):
        if self._state.generation == 0:
            raise error_of(lib.TC_E_CLOSED, "the window is closed")
        self.context.turn.check_usable()

    @property
    def pointer(self):
        """The GlobalPointer to its beginning, for peers; it names no window any more when this one is closed."""
        return self._pointer

    @property
    def memory(self):
        """A memoryview of its bytes. It stays valid when the window is closed; a shared window's has the last bytes then."""
        self._check()
        if self._mapping is not None:
            return shared_memory.view_of(self._mapping, self.size, True)
        return self._view[:]

    def close(self):
        """Closes it: peers' operations that come later are refused, and the memory is the program's again."""
        turn = self.context.turn
        if self._state.generation != 0 and turn.usable():
            turn.use(self._close)
        self._view = self._mapping = None

    def _close(self, pointer):
        """It may be repeated, as a signal may raise before the last line."""
        lib.tc_window_close(pointer, self._state[0])
        self.context.turn.windows.pop(self._state, None)
        self._state.generation = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
