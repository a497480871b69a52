"""Functions of archives, as tc-clang and tc-ar make them: C, or whatever language."""
import weakref

from ._binding import ffi, lib
from .archive import code_of
from .endpoint import REPLY_BYTES
from .errors import check
from .holes import holes_of, values_of


class Function:
    """An opened function. One with a prototype takes the arguments that it states, and its result is of the types that it states.
    Any other, and one whose `typed` is False, takes one payload, any object with a buffer, or several values that are packed as a C
    struct of them, the last one perhaps an array; its result is the bytes of the reply."""

    def __init__(self, context):
        self.context = context
        self.typed = True
        self._prototype = ()  # or its Prototype, or None
        self._state = ffi.new("tc_ifunc **")
        weakref.finalize(self, _collected, context.turn, self._state).atexit = False

    def open(self, how, *what):
        """Has the library open it. The handle is here before a signal can raise."""
        err = ffi.new("tc_error *")
        self.context.turn.use(lambda pointer: check(how(pointer, *what, self._state, err), err))
        return self

    def open_code(self, **fields):
        """Opens the code that these fields of a tc_code describe."""
        code, _kept = code_of(**fields)
        return self.open(lib.tc_ifunc_open_code, code)

    @property
    def pointer(self):
        """The library's handle, for the thread that has the context's turn."""
        return self._state[0]

    @property
    def name(self):
        """Its name, which is for people."""
        return self.context.turn.use(lambda _: ffi.string(lib.tc_ifunc_name(self.pointer)).decode())

    @property
    def prototype(self):
        """The types of its arguments and of its answer, as its archive states them, or None."""
        text = self.context.turn.use(lambda _: lib.tc_ifunc_prototype(self.pointer))
        return ffi.string(text).decode() if text != ffi.NULL else None

    def check_prototype(self, text):
        """Has calls pack and unpack by this prototype from now on. Raises Error with both where the function states another
        one; one that states no prototype takes any."""
        from .prototype import Prototype
        types, err = Prototype(self.name, text), ffi.new("tc_error *")
        words = ffi.new("char[]", text.encode())
        self.context.turn.use(lambda _: check(lib.tc_ifunc_check_prototype(self.pointer, words, err), err))
        self._prototype = types
        return self

    @property
    def holes(self):
        """The constants that `fill` sets: {name: bytes of its value}, empty for a function that has its values."""
        return self.context.turn.use(lambda _: {name: size for name, (size, _kind) in holes_of(self.pointer).items()})

    def fill(self, **values):
        """The function with a value for each hole, a function of its own: `line.fill(slope=2.5, rise=3)`. An int or a float is
        taken as the hole's type; anything else with a buffer, such as `numpy.float32(2)` or bytes, as it is. Raises Error where a
        name, a size or a kind is another one, OverflowError where an int does not fit."""
        name, err, filled = self.name, ffi.new("tc_error *"), Function(self.context)

        def fill(_):
            given, _kept = values_of(name, self.pointer, values)
            check(lib.tc_ifunc_fill(self.pointer, given, len(given), filled._state, err), err)
        self.context.turn.use(fill)
        filled.typed = self.typed
        return filled

    def _types(self):
        if self._prototype == ():
            text = self.prototype
            if text is not None:
                err = ffi.new("tc_error *")  # its archive may have any text
                self.context.turn.use(lambda _: check(
                    lib.tc_ifunc_check_prototype(self.pointer, lib.tc_ifunc_prototype(self.pointer), err), err))
            if text is not None:
                from .prototype import Prototype  # needs NumPy, which plain bytes do not
                self._prototype = Prototype(self.name, text)
            else:
                self._prototype = None
        return self._prototype if self.typed else None

    @property
    def reply_bytes(self):
        """The space for its reply."""
        types = self._types()
        return REPLY_BYTES if types is None else types.reply_bytes(REPLY_BYTES)

    @property
    def id(self):
        """Its content id, which is its identity: hexadecimal."""
        found = ffi.new("uint8_t[]", lib.TC_IFUNC_ID_BYTES)
        self.context.turn.use(lambda _: lib.tc_ifunc_id(self.pointer, found))
        return bytes(found).hex()

    @property
    def code_size(self):
        """The bytes of its archive."""
        return self.context.turn.use(lambda _: lib.tc_ifunc_code_size(self.pointer))

    def archive(self):
        """The bytes of its archive, NAME.tca."""
        size = ffi.new("size_t *")
        return self.context.turn.use(lambda _: bytes(ffi.buffer(lib.tc_ifunc_archive(self.pointer, size), size[0])))

    def opened(self, context):
        """Itself: a handle belongs to its context."""
        if context is not self.context:
            raise ValueError(f"the function {self.name} was opened in another context")
        return self

    def message(self, context, arguments, named):
        """(handle, payload) of a message."""
        if named:
            raise TypeError(f"{self.name} takes values without names; found {', '.join(named)}")
        types = self._types()
        if types is not None:
            return self.opened(context), types.payload(arguments)
        if len(arguments) > 1:
            from .parameters import packed
            return self.opened(context), packed(arguments)
        return self.opened(context), arguments[0] if arguments else b""

    def explain(self, arguments, named):
        """Raises the reason why no payload was made, where it is known better than by the library."""

    def decoder(self, into):
        """The function that makes a result of the bytes of a reply."""
        types = self._types()
        if into is not None:
            return None
        return bytes if types is None else types.result


def _collected(turn, state):
    if state[0] != ffi.NULL and turn.usable():
        turn.garbage.append((lib.tc_ifunc_close, state[0]))
