"""The reason why the C part of the package cannot be loaded, in words."""
import os
import platform
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))


def _here():
    """This machine's C library and processor."""
    name, version = platform.libc_ver()
    return f"{name or 'a C library that is not glibc'}{' ' + version if version else ''}, {platform.machine()}"


def _advice(text):
    newer = re.search(r"version `(GLIBC_[\w.]+)' not found", text)
    if newer:
        return (f"it was made for a machine whose glibc has {newer.group(1)}, and this one has {_here()}; take the wheel whose tag this "
                "machine's pip accepts, or make one here by scripts/wheel.sh")
    if "libc.so.6" in text or "ld-linux" in text or "musl" in text:
        return f"it needs glibc, and this machine has {_here()}; make a wheel here by scripts/wheel.sh"
    if "libtchains.so" in text:
        if os.path.isdir(os.path.join(FOLDER, "lib")):
            return f"the wheel's own copy belongs in {os.path.join(FOLDER, 'lib')}: install the wheel again"
        return "install libtchains (Debian: apt install libtchains1), or a wheel that has it inside (scripts/wheel.sh)"
    if "_cffi_backend" in text:
        return "install cffi (Debian: apt install python3-cffi; pip: cffi)"
    if "_binding" in text:
        return f"this Python ({platform.python_version()}, {_here()}) has no compiled part in {FOLDER}: install the package, or build it"
    return f"this machine has {_here()}"


def explained(error):
    """The ImportError to raise for one that the import of `_binding` has raised."""
    text = str(error)
    return ImportError(f"tchains: its shared library cannot be loaded: {text}: {_advice(text)}", name="tchains._binding", path=error.path)
