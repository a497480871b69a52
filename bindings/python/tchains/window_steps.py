"""Chains of operations on windows, as the library takes them."""
import enum
import sys
import typing

from . import memory
from ._binding import ffi, lib
from .errors import error_of
from .global_pointer import WORD_MAX, pointer_of, whole

_WORD = 8


class Condition(enum.IntEnum):
    """When a step is done. A step succeeds if it is done and, where it compares, has swapped."""
    ALWAYS = lib.TC_WINDOW_ALWAYS
    IF_SUCCEEDED = lib.TC_WINDOW_IF_SUCCEEDED  # the step before has succeeded
    IF_FAILED = lib.TC_WINDOW_IF_FAILED        # the step before was not done, or has not swapped


class ChainResult(typing.NamedTuple):
    """The results by step, None for steps that were not done, and whether each step has succeeded."""
    results: tuple
    succeeded: tuple


def _no_value(_pointer, _data):
    return None


def _bytes(_pointer, data):
    return bytes(data)


def _number(_pointer, data):
    return int.from_bytes(data, sys.byteorder)


def _allocated(pointer, data):
    return pointer.at(_number(pointer, data))


def _checked_size(size):
    size = whole(size, "size", 1)
    if size > lib.TC_WINDOW_BYTES_MAX:
        raise error_of(lib.TC_E_TOO_LARGE, f"a step of {size} bytes, expected {lib.TC_WINDOW_BYTES_MAX} at most")
    return size


def _source(data):
    source = memory.Bytes(data)
    _checked_size(source.size)
    return source


class Step:
    """One step of a chain. `condition` is about the step before. `base`: the number of an earlier step, from 0 on; its result of 8
    bytes is added to the offset. A put's bytes are read when the chain is started."""

    __slots__ = ("pointer", "data", "result_bytes", "_fields", "_value")

    def __init__(self, operation, pointer, size, *, condition=Condition.ALWAYS, base=None, data=None, value=_number, **words):
        self.pointer, self.data, self._value = pointer_of(pointer), data, value
        self.result_bytes = {_no_value: 0, _bytes: size}.get(value, _WORD)
        self._fields = {
            "operation": operation, "condition": Condition(condition), "at": pointer.fields(), "size": size,
            "base": 0 if base is None else 1 + whole(base, "base", 0, lib.TC_WINDOW_STEPS_MAX - 1), **words}

    @classmethod
    def get(cls, pointer, size, **more):
        """Its result is the bytes there."""
        return cls(lib.TC_WINDOW_GET, pointer, _checked_size(size), value=_bytes, **more)

    @classmethod
    def put(cls, pointer, data, **more):
        """Writes the bytes of anything with a buffer."""
        return cls(lib.TC_WINDOW_PUT, pointer, _source(data).size, data=data, value=_no_value, **more)

    @classmethod
    def fetch_add(cls, pointer, value, **more):
        """Adds to the word there, modulo 2**64; its result is the value before."""
        value = whole(value, "value", -2**63) & WORD_MAX
        return cls(lib.TC_WINDOW_FETCH_ADD, pointer, _WORD, operand=value, **more)

    @classmethod
    def compare_swap(cls, pointer, expected, desired, **more):
        """Replaces the word there if it is `expected`; its result is the value before."""
        return cls(lib.TC_WINDOW_COMPARE_SWAP, pointer, _WORD, expected=whole(expected, "expected"),
                   operand=whole(desired, "desired"), **more)

    @classmethod
    def masked_compare_swap(cls, pointer, expected, expected_mask, desired, desired_mask, **more):
        """Replaces the bits of desired_mask if those of expected_mask are as in `expected`; its result is the value before."""
        return cls(lib.TC_WINDOW_MASKED_COMPARE_SWAP, pointer, _WORD,
                   expected=whole(expected, "expected"), expected_mask=whole(expected_mask, "expected_mask"),
                   operand=whole(desired, "desired"), operand_mask=whole(desired_mask, "desired_mask"), **more)

    @classmethod
    def allocate(cls, arena, size, **more):
        """Its result is a GlobalPointer to memory of the arena, at a multiple of 16."""
        return cls(lib.TC_WINDOW_ALLOCATE_BYTES, pointer_of(arena).at(0), whole(size, "size", 1), value=_allocated, **more)

    def fields(self, result):
        """The members of a tc_window_step with its result there, and the memory of a put."""
        if self.data is None:
            return {**self._fields, "result": result}, None
        source = _source(self.data)  # perhaps of another size by now
        return {**self._fields, "source": source.pointer, "size": source.size}, source

    def is_due(self, succeeded_before):
        """Returns whether it is done after a step that has succeeded, or has not."""
        condition = self._fields["condition"]
        return condition == Condition.ALWAYS or (condition == Condition.IF_SUCCEEDED) == succeeded_before

    def value(self, data):
        """Its result, of the bytes that the library has written."""
        return self._value(self.pointer, data)


class Chain:
    """Steps, and the memory of their results. It has to stay until the library has ended the chain."""

    def __init__(self, steps):
        self.steps = tuple(steps)
        if not 1 <= len(self.steps) <= lib.TC_WINDOW_STEPS_MAX:
            raise error_of(lib.TC_E_TOO_LARGE, f"a chain of {len(self.steps)} steps, expected 1 to {lib.TC_WINDOW_STEPS_MAX}")
        for step in self.steps:
            if not isinstance(step, Step):
                raise TypeError(f"expected steps, as tchains.Step.get(pointer, size); found {step!r}")
        total = sum(step.result_bytes for step in self.steps)
        if total > lib.TC_WINDOW_BYTES_MAX:
            raise error_of(lib.TC_E_TOO_LARGE, f"a chain of {total} bytes to get, expected {lib.TC_WINDOW_BYTES_MAX} at most")
        self._memory = ffi.new("uint8_t[]", max(total, 1))
        self.table = ffi.new("tc_window_step[]", len(self.steps))
        self.sources = []
        offset = 0
        for entry, step in enumerate(self.steps):
            fields, source = step.fields(self._memory + offset)
            for name, value in fields.items():
                setattr(self.table[entry], name, value)
            self.sources.append(source)
            offset += step.result_bytes

    def data(self, number):
        """The bytes of a step's result, as the library has written them; they live as long as the chain."""
        offset = sum(step.result_bytes for step in self.steps[:number])
        return ffi.buffer(self._memory + offset, self.steps[number].result_bytes)

    def result(self, succeeded):
        """The ChainResult; `succeeded` has a bit for each step."""
        results, before = [], False
        for number, step in enumerate(self.steps):
            results.append(step.value(self.data(number)) if step.is_due(before) else None)
            before = bool(succeeded >> number & 1)
        return ChainResult(tuple(results), tuple(bool(succeeded >> number & 1) for number in range(len(self.steps))))
