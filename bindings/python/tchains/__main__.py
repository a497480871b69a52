"""Compiles a function of a file.

    python3 -m tchains FILE.py FUNCTION -o OUT.tca               the archive, for all architectures
    python3 -m tchains FILE.py FUNCTION -o OUT.bc --target aarch64    the bitcode for one of them
"""
import argparse
import importlib.util
import sys

from .errors import Error
from .python_ifunc import PythonIfunc


def _load(path):
    spec = importlib.util.spec_from_file_location("tchains_source", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _function(module, path, name):
    found = getattr(module, name, None)
    if not isinstance(found, PythonIfunc):
        raise SystemExit(f"tchains: {path} has no function '{name}' under @tchains.ifunc")
    return found


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tchains", description="Compiles a function under @tchains.ifunc.")
    parser.add_argument("file")
    parser.add_argument("function")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--target", help="the bitcode for one architecture, in place of the archive")
    options = parser.parse_args()
    function = _function(_load(options.file), options.file, options.function)
    try:
        slices = {triple.split("-")[0]: code for triple, code in function.slices}
        if options.target and options.target not in slices:
            raise SystemExit(f"tchains: '{options.function}' is compiled for {' and '.join(slices)}, not for {options.target}")
        data = slices[options.target] if options.target else function.archive()
    except Error as error:
        raise SystemExit(f"tchains: {error}") from error
    with open(options.output, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    sys.exit(main())
