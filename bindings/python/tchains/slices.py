"""One module for each architecture that nodes have: the same code under another target's triple and data layout.

Numba's code has sizes and offsets in it as numbers. They are the same on the targets here, which lay out numbers, pointers and
structs of these alike; an instruction of one processor alone keeps its module from being retargeted.
"""
import platform
import re

from llvmlite import binding as llvm

# As LLVM 14 writes them; later versions have additional parts.
LAYOUTS = {
    "x86_64": "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128",
    "aarch64": "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128",
}
_OWN_CALL = re.compile(r"@llvm\.(x86|aarch64|arm)\.[\w.]+")
_OWN_TYPE = re.compile(r"\b(x86_fp80|x86_mmx|x86_amx|i128|fp128)\b")


def own_to_processor(text):
    """The part of the module for its own processor alone, or None."""
    code = re.sub(r"^target .*$", "", text, flags=re.MULTILINE)
    found = _OWN_CALL.search(code) or _OWN_TYPE.search(code)
    if found:
        return found.group(0)
    return "inline assembly" if re.search(r"\basm (sideeffect )?\"", text) else None


def retargeted(text, architecture):
    """The module's text for another architecture."""
    text = re.sub(r'^target datalayout = ".*"$', f'target datalayout = "{LAYOUTS[architecture]}"', text, flags=re.MULTILINE)
    text = re.sub(r'^target triple = ".*"$', f'target triple = "{architecture}-unknown-linux-gnu"', text, flags=re.MULTILINE)
    return re.sub(r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", text)


def bitcode(text):
    """[(triple, bytes)] of a module's text: for this architecture, and for the others that its declarations allow."""
    own = platform.machine()
    others = [] if own_to_processor(text) else [name for name in LAYOUTS if name != own]
    slices = []
    for architecture in [own, *others]:
        module = llvm.parse_assembly(retargeted(text, architecture))
        module.verify()
        slices.append((f"{architecture}-unknown-linux-gnu", module.as_bitcode()))
    return slices
