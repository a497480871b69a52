"""The functions of several.h in Python, and calls of those of every language."""
import os

import numpy as np
import tchains

LIMITS = np.dtype([("low", np.float64), ("high", np.float64)])
POINT = np.dtype([("x", np.int16), ("y", np.int16)])


@tchains.ifunc(name="blend_python")
def blend(limits: LIMITS, name: tchains.Payload(np.uint8), a: tchains.Payload(np.float64), values: tchains.Payload(np.float32),
          codes: np.uint64, twice: bool):
    total = 0.0
    for x in a:
        if limits.low <= x <= limits.high:
            total += x
    found = np.full(codes, -1, np.int32)
    for i in range(min(len(found), len(name))):
        found[i] = name[i]
    before = 0.0
    for value in values:
        before += value
    return total, values * np.float32(2 if twice else 1), (before, np.int32(len(name))), found


@tchains.ifunc(name="gather_python")
def gather(which: tchains.Payload(np.uint16), factor: np.uint8, points: tchains.Payload(POINT), count: np.uint64):
    found = np.zeros(count, POINT)
    for i in range(min(len(which), len(found))):
        if which[i] < len(points):
            found[i].x = points[which[i]].x * factor
            found[i].y = points[which[i]].y * factor
    return found


@tchains.ifunc(name="join_python")
def join(first: tchains.Payload(np.uint8), second: tchains.Payload(np.uint8), count: np.uint64, swapped: bool):
    both = np.zeros(count, np.uint8)
    front, back = (second, first) if swapped else (first, second)
    for i in range(min(len(both), len(front))):
        both[i] = front[i]
    for i in range(min(len(both) - len(front), len(back))):
        both[len(front) + i] = back[i]
    return both


FUNCTIONS = (blend, gather, join)
PROTOTYPES = ("({f64,f64},u8[],f64[],inout f32[],out {f64,i32},out i32[],bool)->f64", "(u16[],u8,{i16,i16}[],u64)->{i16,i16}[]",
              "(u8[],u8[],u64,bool)->u8[]")
VALUES = np.array([1.5, 2.25, -1], np.float32)
NAME = "héé"
CODES = [104, 0xc3, 0xa9, 0xc3, 0xa9, -1]
POINTS = np.array([(1, -2), (3, 4), (-5, 6)], POINT)
BLEND = ((1.5, 4.0), NAME, [1.0, 2, 3, 4, 5], VALUES, 6, True)
BLEND_NONE = ((0.0, 0.0), "", [], np.zeros(0, np.float32), 0, False)
GATHER = (np.array([2, 0, 7], np.uint16), 3, POINTS, 4)
GATHER_NONE = (np.zeros(0, np.uint16), 1, np.zeros(0, POINT), 0)
JOIN, JOIN_NONE = ("añb", "cd", 8, True), ("", "", 0, False)
MESSAGES = {"blend": (blend, BLEND), "blend_none": (blend, BLEND_NONE), "gather": (gather, GATHER), "gather_none": (gather, GATHER_NONE),
            "join": (join, JOIN), "join_none": (join, JOIN_NONE)}


def check_messages(path, functions):
    """The bytes of a message, by the function's own parameters and by the prototypes of all."""
    with open(path, encoding="utf-8") as file:
        golden = {line.split()[0]: bytes.fromhex("".join(line.split()[1:])) for line in file if not line.startswith("#")}
    for name, (own, arguments) in MESSAGES.items():
        assert bytes(own.signature.payload(arguments, {})) == golden[name], name
        for function in functions[name.split("_", maxsplit=1)[0]]:
            _, payload = function.message(function.context, arguments, {})
            assert bytes(payload) == golden[name], f"{name} of {function.name}"


def check_blend(answer, language):
    total, doubled, tally, codes = answer
    assert total == 9 and doubled.tolist() == [3, 4.5, -2], f"blend of {language}: {answer}"
    assert tally == (2.75, 5) and codes.tolist() == CODES, f"blend of {language}: {answer}"


def refused(call, kind):
    """A call with values of other types is not sent."""
    try:
        call()
    except kind:
        return
    raise AssertionError("values of another type were not refused")


def check_calls(node, language, blend_of, gather_of, join_of):
    """Calls of one language's functions."""
    check_blend(node.call(blend_of, *BLEND), language)
    total, doubled, tally, codes = node.call(blend_of, *BLEND_NONE)
    assert (total, tally, len(doubled), len(codes)) == (0, (0, 0), 0, 0), language
    found = node.call(gather_of, *GATHER)
    assert found.tolist() == [(-15, 18), (3, -6), (0, 0), (0, 0)], f"gather of {language}: {found}"
    both = node.call(join_of, *JOIN)
    assert (both.encode() if isinstance(both, str) else bytes(both)) == "cdañb\0\0".encode(), f"join of {language}: {both}"
    refused(lambda: node.call(gather_of, np.array([1], np.int16), 3, POINTS, 4), TypeError)
    refused(lambda: node.call(gather_of, np.array([1], np.uint16), -3, POINTS, 4), OverflowError)
    refused(lambda: node.call(blend_of, *BLEND[:3], np.ones(1), 6, True), TypeError)


def save(folder):
    """Writes the archives of the functions in Python."""
    for function in FUNCTIONS:
        function.save(os.path.join(folder, function.name + ".tca"))


def check(context, node, golden, folder, languages):
    """Calls the functions of all languages."""
    for own, text in zip(FUNCTIONS, PROTOTYPES):
        assert own.prototype == text, own.prototype
    check_calls(node, "Python itself", *FUNCTIONS)
    functions = {"blend": [], "gather": [], "join": []}
    for language in languages:
        found = [context.open_file(os.path.join(folder, f"{name}_{language}.tca")) for name in functions]
        for name, one in zip(functions, found):
            functions[name].append(one)
        check_calls(node, language, *found)
    check_messages(golden, functions)
    liar = context.open_file(os.path.join(folder, "blend_liar.tca"))
    for lie in range(1, 5):
        refused(lambda lie=lie: node.call(liar, (0, 0), "", [], [1, 2, 3], lie, False), ValueError)
