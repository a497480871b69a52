"""The programs in a wheel that has them: `tc-node` and others of an environment's bin run those in the package's own folder."""
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")


def _run(name):
    path = os.path.join(FOLDER, name)
    try:
        os.execv(path, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {path}: {error.strerror}")


def tc_node():
    """tc-node(1)"""
    _run("tc-node")


def tc_send():
    """tc-send(1)"""
    _run("tc-send")
