"""Fuzzes every parser, and the orders of messages, for a while: scripts/fuzz.sh --help"""
import argparse, glob, json, os, re, subprocess, sys, time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(TREE, "tests/fuzz/corpus")
# Memory that was let go stays poisoned for some inputs, not for thousands; UCX leaves the sanitizer's functions alone.
SURROUNDINGS = {"ASAN_OPTIONS": "quarantine_size_mb=2:malloc_context_size=8", "UCX_MEM_MMAP_HOOK_MODE": "none",
                "TC_CACHE_DIR": ""}
LIMITS = ["-max_len=4096", "-timeout=20", "-rss_limit_mb=2048"]
COLUMNS = ["fuzzer", "inputs", "inputs/s", "edges", "features", "corpus", "bytes", "crashes"]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="fuzz.sh", description="Builds the fuzzers (clang 19, AddressSanitizer and "
        "UBSan), runs each, one after the other, keeps what reaches something new in tests/fuzz/corpus, and prints what "
        "became of it. Ends with 1 if an input crashed, leaked or hung: it is in build/fuzz/crashes.")
    parser.add_argument("--inputs", type=int, default=1000000, metavar="N", help="for each fuzzer (default 1000000)")
    parser.add_argument("--seconds", type=int, default=0, metavar="N", help="at most so long for each (0: any time)")
    parser.add_argument("--json", action="store_true", help="an object per fuzzer and line, in place of the table")
    parser.add_argument("--build", metavar="FOLDER", help="with the programs that are there, of a build with TC_SANITIZE")
    parser.add_argument("--no-merge", action="store_true", help="leaves tests/fuzz/corpus as it is")
    parser.add_argument("fuzzers", nargs="*", metavar="FUZZER", help="such as archive or handshake; none: all")
    return parser.parse_args()


def build(quiet):
    out = subprocess.DEVNULL if quiet else sys.stderr
    for command in (["cmake", "--preset", "fuzz"], ["cmake", "--build", "--preset", "fuzz"]):
        subprocess.run(command, cwd=TREE, stdout=out, check=True)


class Places:
    """State of a build: its programs, the findings of each fuzzer in all its runs, and the input that ended one."""

    def __init__(self, folder):
        self.programs = os.path.join(folder, "tests/fuzz")
        self.found = os.path.join(folder, "found")
        self.crashes = os.path.join(folder, "crashes")

    def crashes_of(self, name):
        return set(glob.glob(os.path.join(self.crashes, name + "-*")))


def choose(places, names):
    programs = glob.glob(os.path.join(places.programs, "fuzz_*"))
    there = sorted(os.path.basename(path)[len("fuzz_"):] for path in programs)
    unknown = [name for name in names if name not in there]
    if unknown or not there:
        sys.exit(f"fuzz.sh: no fuzzer {' '.join(unknown)}; there are: {' '.join(there) or 'none, build first'}")
    return names or there


def start(places, name, arguments):
    return subprocess.Popen([os.path.join(places.programs, "fuzz_" + name), *LIMITS, *arguments], cwd=TREE, text=True,
                            errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, env={**os.environ, **SURROUNDINGS})


def show(name, line, began):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{name}: {time.monotonic() - began:.0f} s {line.strip()[:90]}")
        sys.stderr.flush()


def number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(places, name, inputs, seconds):
    """One fuzzer's run: its own figures in the end."""
    found, given = os.path.join(places.found, name), os.path.join(CORPUS, name)
    for folder in (found, given, places.crashes):
        os.makedirs(folder, exist_ok=True)
    before, began, said = places.crashes_of(name), time.monotonic(), []
    process = start(places, name, [f"-runs={inputs}", f"-max_total_time={seconds}", "-print_final_stats=1",
                           f"-artifact_prefix={places.crashes}/{name}-", found, given])
    for line in process.stderr:
        said.append(line)
        show(name, line, began)
    if process.wait() != 0:
        sys.stderr.write("".join(said[-40:]))
    show(name, "", began)
    text, took = "".join(said), time.monotonic() - began
    ran = number(r"number_of_executed_units: (\d+)", text)
    return {"fuzzer": name, "inputs": ran, "inputs/s": round(ran / took), "edges": number(r"cov: (\d+)", text),
            "features": number(r" ft: (\d+)", text), "crashes": len(places.crashes_of(name) - before)}


def merge(places, name):
    """Adds as few inputs as reach all that was reached."""
    process = start(places, name, ["-set_cover_merge=1", os.path.join(CORPUS, name), os.path.join(places.found, name)])
    text = process.stderr.read()
    if process.wait() != 0:
        sys.stderr.write(text[-2000:])
        sys.exit(f"fuzz.sh: {name}: what was found could not be merged")


def measure_corpus(row):
    files = [entry for entry in os.scandir(os.path.join(CORPUS, row["fuzzer"])) if entry.is_file()]
    row["corpus"] = len(files)
    row["bytes"] = sum(entry.stat().st_size for entry in files)


def print_rows(rows):
    total = {"fuzzer": "all", "inputs/s": "", "edges": "", "features": ""}
    for column in ("inputs", "corpus", "bytes", "crashes"):
        total[column] = sum(row[column] for row in rows)
    texts = [COLUMNS] + [[f"{row[c]:,}" if isinstance(row[c], int) else row[c] for c in COLUMNS] for row in rows + [total]]
    widths = [max(len(line[i]) for line in texts) for i in range(len(COLUMNS))]
    for line in texts:
        print("  ".join([line[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(line[1:], widths[1:])]))


def main():
    arguments = parse_arguments()
    if arguments.build is None:
        build(arguments.json)
    places = Places(os.path.abspath(arguments.build or os.path.join(TREE, "build/fuzz")))
    rows = []
    for name in choose(places, arguments.fuzzers):
        row = run(places, name, arguments.inputs, arguments.seconds)
        if not arguments.no_merge and row["crashes"] == 0:
            merge(places, name)
        measure_corpus(row)
        rows.append(row)
        if arguments.json:
            print(json.dumps(row), flush=True)
    if not arguments.json:
        print_rows(rows)
    sys.exit(1 if any(row["crashes"] for row in rows) else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
