"""Operations on windows of a peer: each is a chain of steps, and can block, be started, or be awaited."""
import functools
import inspect

from . import memory, window_view
from ._binding import ffi, lib
from .errors import error_of, text_of
from .global_pointer import pointer_of, whole
from .started import Started, ended, interrupted
from .waiting import nanoseconds
from .window_steps import Chain, Step


class Operation(Started):
    """A chain that is under way: `result()` waits for its end, `await` does so in asyncio's loop."""

    kind = "operation"

    def __init__(self, peer, request):
        super().__init__(peer.context)
        self.endpoint = peer
        self.chain = Chain(request.steps)
        self._value_of, self._into = request.value, request.into
        self._succeeded = 0
        self._cancelled = False

    def params(self, timeout_ns):
        """The completion of tc_window_chain_start."""
        return ffi.new("tc_window_start_params *",
                       {"timeout_ns": timeout_ns, "done": lib.tchains_window_done, "user": self.user()})

    def record(self, status, succeeded, text):  # pylint: disable=arguments-differ
        """How it ended, as reported by the library."""
        if self._cancelled:
            self.forget()
            return
        if status != lib.TC_OK:
            self._failure = error_of(status, ffi.string(text).decode(errors="replace"))
        elif self._into is not None:
            self._into[:] = self.chain.data(len(self.chain.steps) - 1)
        self._into = None
        self._succeeded = succeeded
        self._end()

    def cancel(self):
        """Abandons it; whether it was under way. It may take effect all the same, but `into` is not written any more."""
        def cancelled(_):
            if self._ended:
                return False
            self._cancelled, self._into = True, None
            self._failure = error_of(lib.TC_E_CLOSED, "the operation was cancelled")
            self._ended = True
            return True
        if self._ended or not self.context.turn.use(cancelled):
            return False
        self.tell()
        return True

    def _value(self):
        return self._value_of(self.chain.result(self._succeeded))


class _Request:
    """Steps, and how the result of an operation is made of theirs. `into`: memory for the last one's."""

    def __init__(self, steps, value=lambda chain: chain.results[-1], into=None):
        self.steps, self.value, self.into = steps, value, into


def _sized(size, into):
    """(bytes to get, memory that they go to if `into` is given)"""
    if into is None:
        if size is None:
            raise TypeError("expected the size, or memory as `into`")
        return size, None
    target = memory.Room(into, 0)
    whole(target.size, "the size of `into`", 1)
    size = target.size if size is None else whole(size, "size", 1, target.size)
    return size, memoryview(target.owner).cast("B")[:size]


def _request_get(pointer, size=None, *, into=None):
    """The bytes there; with `into`, memory that they are written to, their number."""
    size, target = _sized(size, into)
    steps = [Step.get(pointer, size)]
    return _Request(steps) if target is None else _Request(steps, lambda _: size, target)


def _request_get_indirect(pointer, size=None, *, skip=0, into=None):
    """The word there is an offset in the same window: gets bytes from `skip` bytes behind that."""
    size, target = _sized(size, into)
    steps = [Step.get(pointer, 8), Step.get(pointer_of(pointer).at(skip), size, base=0)]
    return _Request(steps) if target is None else _Request(steps, lambda _: size, target)


def _request_put(pointer, data):
    """Writes the bytes of anything with a buffer."""
    return _Request([Step.put(pointer, data)])


def _request_fetch_add(pointer, value):
    """Adds to the word there, modulo 2**64; returns the value before."""
    return _Request([Step.fetch_add(pointer, value)])


def _request_compare_swap(pointer, expected, desired):
    """Replaces the word there if it is `expected`; returns the value before."""
    return _Request([Step.compare_swap(pointer, expected, desired)])


def _request_masked_compare_swap(pointer, expected, expected_mask, desired, desired_mask):
    """Replaces the bits of desired_mask if those of expected_mask are as in `expected`; returns the value before."""
    return _Request([Step.masked_compare_swap(pointer, expected, expected_mask, desired, desired_mask)])


def _request_allocate(arena, size):
    """A GlobalPointer to memory of an arena, at a multiple of 16."""
    return _Request([Step.allocate(arena, size)])


def _request_chain(steps):
    """Runs steps (tchains.Step) as one message, in one go; returns a ChainResult."""
    return _Request(list(steps), lambda chain: chain)


def _ways(request):
    """The three methods of an operation: one that blocks, one that starts it, one for asyncio. All have a `timeout`, the seconds that
    it has, or else the option call_timeout."""
    @functools.wraps(request)
    def block(self, *arguments, timeout=None, **named):
        operation = self._started(request(*arguments, **named), timeout)
        try:
            return operation.result()
        except BaseException:
            operation.cancel()
            raise

    @functools.wraps(request)
    def start(self, *arguments, timeout=None, **named):
        return self._started(request(*arguments, **named), timeout)

    @functools.wraps(request)
    async def wait(self, *arguments, timeout=None, **named):
        return await self._awaited(request(*arguments, **named), timeout)

    name = request.__name__.removeprefix("_request_")
    its_own = inspect.signature(request)
    signature = its_own.replace(parameters=[
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *its_own.parameters.values(),
        inspect.Parameter("timeout", inspect.Parameter.KEYWORD_ONLY, default=None)])
    for method, title in (block, name), (start, "start_" + name), (wait, name + "_async"):
        method.__name__ = title
        method.__qualname__ = "Operations." + title
        method.__signature__ = signature
    start.__doc__ = f"Starts `{name}` and returns the Operation: {request.__doc__}"
    wait.__doc__ = f"`{name}` for asyncio: {request.__doc__}"
    return block, start, wait


class Operations:
    """The operations of an endpoint and of a member of a group on windows of that peer's."""

    get, start_get, get_async = _ways(_request_get)
    get_indirect, start_get_indirect, get_indirect_async = _ways(_request_get_indirect)
    put, start_put, put_async = _ways(_request_put)
    fetch_add, start_fetch_add, fetch_add_async = _ways(_request_fetch_add)
    compare_swap, start_compare_swap, compare_swap_async = _ways(_request_compare_swap)
    masked_compare_swap, start_masked_compare_swap, masked_compare_swap_async = _ways(_request_masked_compare_swap)
    allocate, start_allocate, allocate_async = _ways(_request_allocate)
    chain, start_chain, chain_async = _ways(_request_chain)

    def map(self, pointer, timeout=30):
        """Maps the whole window of a process of the same user on the same host, which opened it with `shared`
        (window_view.View)."""
        return window_view.View(self.context, pointer_of(pointer)).open(self, timeout)

    def _attempt(self, request, timeout):
        operation = Operation(self, request)
        chain = operation.chain
        params, err = operation.params(nanoseconds(timeout, 0)), ffi.new("tc_error *")

        def attempt(_):
            if operation.done():  # it was given up before there was capacity
                return lib.TC_OK
            peer = self._pointer()
            operation.begin()
            status = lib.tc_window_chain_start(peer, chain.table, len(chain.steps), params, err)
            if status != lib.TC_OK:
                operation.forget()
            if status not in (lib.TC_OK, lib.TC_E_AGAIN):
                raise error_of(status, text_of(err))
            return status
        return operation, attempt

    def _started(self, request, timeout):
        operation, attempt = self._attempt(request, timeout)
        try:
            self._sending(attempt, timeout)
        except BaseException:
            operation.cancel()
            raise
        operation.chain.sources.clear()  # the library has copied them
        return operation

    async def _awaited(self, request, timeout):
        from . import aio
        operation, attempt = self._attempt(request, timeout)
        try:
            await aio.send(self, attempt, timeout)
        except BaseException:
            operation.cancel()
            raise
        operation.chain.sources.clear()
        return await operation


@ffi.def_extern(onerror=interrupted)
def tchains_window_done(user, *outcome):
    """The library's report that a chain has ended."""
    ended(user, outcome)
