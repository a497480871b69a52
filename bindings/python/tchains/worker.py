"""One node of tchains.local: a process that runs functions of its starter, and ends with it.

It ends when its standard input does, which the starter holds open; by the kernel's signal when the starter dies; and, where it has a
lifetime, by SIGALRM. All three also end a function that is running. The first line of the input is a JSON object: `parent`,
`lifetime`, `options`. The first line of the output is another: `port`, or `error`. The output of functions goes to the standard error.
"""
import json
import os
import signal
import sys
import threading

from ._binding import lib
from .context import Context
from .errors import Error


def _end_with_input():
    while os.read(0, 4096):
        pass
    os._exit(0)  # functions that run are not waited for


def _first_line():
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)  # not by a buffer, which would take more
        if not byte:
            os._exit(0)
        line += byte
    return json.loads(line)


def _say(**what):
    os.write(1, json.dumps(what).encode() + b"\n")


def main():
    """Serves until the starter ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the starter's
    task = _first_line()
    if lib.tchains_end_with_parent() != 0 or os.getppid() != task["parent"]:
        sys.exit("tchains: the starter of this worker has ended")
    if task["lifetime"] is not None:
        signal.setitimer(signal.ITIMER_REAL, task["lifetime"])
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        context = Context(**task["options"])
        port = context.listen("127.0.0.1:0")
    except Error as error:
        _say(error=str(error))
        sys.exit(1)
    _say(port=port)
    os.dup2(2, 1)
    context.serve()
