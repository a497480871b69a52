"""Common parts of the Python package's tests: a node, the tools' paths, and skips for missing parts."""
import importlib.util
import os
import signal
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "integration"))
from tool_process import Node, Process, wait_until  # pylint: disable=wrong-import-position

BUILD = os.environ["TC_TEST_BUILD"]
SKIPPED = 77

MISSING = [name for name in ("numpy", "numba") if importlib.util.find_spec(name) is None]
needs_numba = unittest.skipIf(MISSING, f"this Python lacks {' and '.join(MISSING)} (Debian: apt-get install python3-numba)")


class PythonCase(unittest.TestCase):
    """A test with processes of its own."""

    @staticmethod
    def tool(name):
        return os.path.join(BUILD, "bin", name)

    @staticmethod
    def shipped(name):
        return os.path.join(BUILD, "tests", "shipped", name + ".tca")

    def node(self, *arguments, **environment):
        return Node(self, self.tool("tc-node"), *arguments, **environment)

    def connected(self, *arguments, **options):
        """A context and an endpoint to a node of its own."""
        import tchains
        node = self.node(*arguments)
        context = tchains.Context(**options)
        self.addCleanup(context.close)
        return context, context.connect(node.address, timeout=60)

    def python(self, *command, **environment):
        """Another Python, with the package."""
        return Process(self, [sys.executable, "-B", *command], PYTHONPATH=os.environ["PYTHONPATH"], **environment)

    def started_under_signals(self, start):
        """Starts operations and waits for each while a signal interrupts both; returns the started ones.

        The signal is refused outside of the two: there, nothing catches it.
        """
        started, ended, interrupts, open_to_signals = [], 0, 0, False

        def interrupt(*_):
            nonlocal interrupts, open_to_signals
            if open_to_signals:
                open_to_signals = False
                interrupts += 1
                raise KeyboardInterrupt
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, interrupt))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        while ended < 100 and interrupts < 50:
            try:
                open_to_signals = True
                started.append(start())
                started[-1].result()
                ended += 1
                open_to_signals = False
            except KeyboardInterrupt:
                pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        return started


def main():
    """Ends with the status of a skipped test when no other test ran."""
    program = unittest.main(exit=False)
    result = program.result
    if result.testsRun == len(result.skipped) and result.skipped and result.wasSuccessful():
        print("skipped:", result.skipped[0][1])
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())


__all__ = ["BUILD", "ROOT", "Process", "PythonCase", "main", "needs_numba", "wait_until"]
