#!/usr/bin/env python3
"""README's example works as README describes: a new reader's first minutes.

    check_readme.py ROOT BUILD C_COMPILER [C_FLAG ...]

Its blocks are run as those of other documents (run_document.py). Then the sender goes once more, to the same target and to one
that refuses the function.
"""
import os
import subprocess
import sys
import tempfile

from run_document import BLOCK, DEADLINE_S, Runner


def check_refusal(runner):
    """A target with rules that withhold the function's symbols: the sender reports that, and fails."""
    runner.run("echo 'deny * *printf' >rules && chmod 600 rules\n")
    runner.start_target(f"TC_SYMBOLS=@rules tc-node --listen 127.0.0.1:{runner.port}")
    done = subprocess.run("./sender", cwd=runner.folder, env=runner.environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE_S, check=False)
    print(done.stderr)
    if done.returncode != 1 or "printf" not in done.stderr or "denied" not in done.stderr:
        raise SystemExit(f"./sender, refused: exit status {done.returncode}, expected 1 and a text that says what was denied")


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:3])
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(folder, root, build, sys.argv[3:])
        try:
            for kind, text in blocks:
                runner.block(kind, text)
            runner.target.wait_for("1: hello\n")
            runner.run("./sender\n")
            runner.target.wait_for("2: hello\n")
            check_refusal(runner)
        finally:
            runner.end_target()
    if runner.counts.get("c") != 2:
        raise SystemExit(f"README.md has {runner.counts}, expected two files of C")
    return 0


if __name__ == "__main__":
    sys.exit(main())
