"""asyncio: the loop watches the context's descriptor and progresses the context when there is work."""
import asyncio
import weakref

from ._binding import lib
from .errors import Timeout
from .waiting import Deadline

# Events that cannot wake this side (tc_context_arm) are polled this often, and all others at least once a second.
_LOOK_S = 0.001
_LONGEST_S = 1.0

_pumps = weakref.WeakKeyDictionary()


class _Pump:
    """Progresses one context in one loop, for as long as somebody waits."""

    def __init__(self, context, loop):
        self.context, self.loop = context, loop
        self.users, self.timer, self.descriptor = 0, None, -1
        self.waiters = set()

    def __enter__(self):
        self.users += 1
        if self.users == 1:
            self.descriptor = self.context.fileno()
            self.loop.add_reader(self.descriptor, self.look)
            self.timer = self.loop.call_soon(self.look)
        return self

    def __exit__(self, *_):
        self.users -= 1
        if self.users == 0:
            self.timer.cancel()
            self.loop.remove_reader(self.descriptor)

    def look(self):
        """One turn: progress, notify the waiters, and return the time of the next poll."""
        self.timer.cancel()
        if self.users == 0:
            return
        try:
            self.context.progress()
            armed = self.context.turn.use(lib.tc_context_arm)
        except Exception as error:  # the context was closed meanwhile: the waiters have to be notified
            self._tell(error)
            return
        self._tell(None)
        if armed == lib.TC_E_AGAIN:
            self.timer = self.loop.call_soon(self.look)
        else:
            self.timer = self.loop.call_later(_LONGEST_S if armed == lib.TC_OK else _LOOK_S, self.look)

    def _tell(self, error):
        waiters, self.waiters = self.waiters, set()
        for waiter in waiters:
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)

    async def turn(self, seconds):
        """Waits for the next look, or that long."""
        waiter = self.loop.create_future()
        self.waiters.add(waiter)
        await asyncio.wait([waiter], timeout=seconds)
        self.waiters.discard(waiter)
        if waiter.done():
            waiter.result()


def _pump(context):
    loop = asyncio.get_running_loop()
    pump = _pumps.get(context)
    if pump is None or pump.loop is not loop:
        pump = _pumps[context] = _Pump(context, loop)
    return pump


async def wait_call(call):
    """The result of a call. Cancelling the task cancels the call."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    call.add_done_callback(lambda _: loop.call_soon_threadsafe(_finish, ended))
    try:
        with _pump(call.context):
            await ended
    except asyncio.CancelledError:
        call.cancel()
        raise
    return call.result()


def _finish(future):
    if not future.done():
        future.set_result(None)


async def send(peer, attempt, timeout):
    """Sends when there is space."""
    deadline = Deadline(timeout)
    for step in peer.attempts(attempt):
        if peer.try_once(step):
            continue
        with _pump(peer.context) as pump:
            while not peer.try_once(step):
                left = deadline.slice_ns()
                if left == 0:
                    raise Timeout(lib.TC_E_TIMEOUT, f"no room at the peer in {timeout} s")
                await pump.turn(left / 1e9)


class serving:
    """`async with tchains.serving(context):` the loop runs messages of peers, in the body."""

    def __init__(self, context):
        self.context, self.pump = context, None

    async def __aenter__(self):
        self.pump = _pump(self.context)
        self.pump.__enter__()
        return self.context

    async def __aexit__(self, *_):
        self.pump.__exit__()
