"""Every switch over the kinds of the wire names each of them, so that a new one cannot be forgotten: gives each
enumeration one member more, and expects that the compiler refuses the sources that switch over it, by its name.
The specification has a row for each kind, with its name and number, and the fuzzer of frames an input that begins
with a frame of it.

    check_new_kind.py SOURCE_TREE C_COMPILER
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The enumeration, its last member, and the sources that decide by it.
ENUMERATIONS = (
    ("tci_frame_kind", "TCI_FRAME_REPLY = 7", ("wire/frame.c", "dispatch/dispatch.c")),
    ("tci_control", "TCI_CONTROL_ABANDONED = 11", ("dispatch/control.c",)),
    ("tci_hello_kind", "TCI_HELLO_WAKEUP = 6", ("endpoint/handshake.c",)),
    ("tci_record_kind", "TCI_RECORD_PAYLOAD = 0xe4", ("endpoint/record_in.c",)),
    ("tci_am", "TCI_AM_COUNT = 5", ("context/arrivals.c",)),
    ("tci_run_kind", "TCI_RUN_REFUSAL = 5", ("bootstrap/run_protocol.c",)),
)
NEW = "TCI_A_NEW_KIND"
# The enumerations whose members are rows of docs/wire-format.md: the header, and the members' prefix.
SPECIFIED = (("tci_frame_kind", "wire/frame.h", "TCI_FRAME_"), ("tci_control", "wire/frame.h", "TCI_CONTROL_"),
             ("tci_hello_kind", "wire/hello.h", "TCI_HELLO_"))


def compile_with(tree: Path, compiler: str, source: str, member: str, folder: Path) -> tuple[str, str]:
    """The compiler's messages about a source unchanged, and with one kind more."""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-Werror=switch"]
    includes = [f"-I{tree / part}" for part in ("include", "runtime", "bitcode-archive")]
    whole = subprocess.run([compiler, "-E", "-P", *flags, *includes, str(tree / "runtime" / source)],
                           check=True, capture_output=True, text=True).stdout
    said = []
    for text in (whole, whole.replace(member, f"{member}, {NEW} = 77")):
        file = folder / "preprocessed.i"
        file.write_text(text)
        run = subprocess.run([compiler, *flags, "-fsyntax-only", str(file)], capture_output=True, text=True,
                             check=False)
        said.append("" if run.returncode == 0 else run.stderr)
    return said[0], said[1]


def unspecified(tree: Path) -> list[str]:
    """The kinds that have no row in the specification."""
    rows = {tuple(cell.strip() for cell in line.strip("|").split("|")[:2])
            for line in (tree / "docs/wire-format.md").read_text().splitlines() if line.startswith("|")}
    faults = []
    for enumeration, header, prefix in SPECIFIED:
        body = re.search(r"enum %s \{(.*?)\n\}" % enumeration, (tree / "runtime" / header).read_text(), re.S)
        members = re.findall(prefix + r"(\w+) = (\d+)", body.group(1))
        faults += [f"docs/wire-format.md: no row | {name} | {number} | for {prefix}{name}" for name, number in members
                   if not {(name, number), (number, name)} & rows]
    return faults


def unfuzzed(tree: Path) -> list[str]:
    """The kinds of frames with which no input of the fuzzer begins."""
    inputs = tree / "tests/fuzz/corpus/frame"
    first = {file.read_bytes()[14:15] for file in inputs.iterdir()}
    members = re.findall(r"TCI_FRAME_(\w+) = (\d+)", (tree / "runtime/wire/frame.h").read_text())
    return [f"{inputs.relative_to(tree)}: no input begins with a frame of the kind {number}, {name}"
            for name, number in members if bytes([int(number)]) not in first]


def main() -> int:
    tree, compiler = Path(sys.argv[1]), sys.argv[2]
    faults = unspecified(tree) + unfuzzed(tree)
    with tempfile.TemporaryDirectory() as folder:
        for enumeration, member, sources in ENUMERATIONS:
            for source in sources:
                before, after = compile_with(tree, compiler, source, member, Path(folder))
                if before:
                    faults.append(f"{source} does not compile as it is: {before}")
                elif NEW not in after:
                    faults.append(f"runtime/{source}: one more {enumeration} behind {member} is caught by "
                                  f"nothing; expected a switch without a default")
    print("\n".join(faults) or f"{len(ENUMERATIONS)} enumerations: a new kind ends the build")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
