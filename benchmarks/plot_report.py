"""Reads the output of tc-perf --json. For every file the result is a report of this format, or Refused.

Here, and nowhere else, bytes of the file are checked; number() and text() below are the only ways to a row's values.
"""
import json
import textwrap

OTHERS = ("am", "put", "mpi", "mpi-tcp", "mpich", "mpich-tcp")  # modes that are not the library's
PLACEMENTS = ("near", "far", "shared", "mixed")
PROGRAMS, FORMAT = ("tc-perf", "metg_run", "mpi-am-bench"), 1
FILE_BYTES_MAX = 64 << 20
ROWS_MAX = 20000
TEXT_MAX = 40
NUMBER_MAX = 1e18


class Refused(Exception):
    """The found and the expected value."""


def number(row, name, least=0):
    """None: the row has no such number, or an impossible one."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= NUMBER_MAX:
        return None
    return value


def spread(row, name, least=0):
    """(value, low, high) of a row's figure; low and high are the value where the row has no quartiles."""
    value, around = number(row, name, least), row.get(f"{name}_quartiles")
    if value is None or not isinstance(around, list) or len(around) != 2:
        return value, value, value
    low, high = (number({"": each}, "", least) for each in around)
    return (value, low, high) if low is not None and high is not None and low <= value <= high else (value, value, value)


def text(value, most=TEXT_MAX):
    """One line that any drawing can hold."""
    line = "".join(letter if letter.isprintable() else "?" for letter in str(value)[:most + 1])
    return line if len(line) <= most else line[:most - 3] + "..."


def reject(name):
    raise ValueError(f"{name} is no number of JSON")


def parse(path):
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    if len(data) > FILE_BYTES_MAX:
        raise Refused(f"{path}: found more than {FILE_BYTES_MAX} bytes, expected a file that tc-perf --json wrote")
    try:
        return json.loads(data.decode(), parse_constant=reject)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: found no JSON ({text(error, 100)}), expected a file that tc-perf --json wrote") from error


class Report:
    def __init__(self, path, experiments):
        document = parse(path)
        self.path = path
        self.experiment = self.check(document, experiments)
        rows = document.get("rows")
        self.rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        if not 0 < len(self.rows) <= ROWS_MAX:
            raise Refused(f"{path}: found {len(self.rows)} rows, expected 1 to {ROWS_MAX}")
        self.env = self.dict_of(document, "env")
        paper = document.get("paper")  # figures of others that the run stands beside
        self.paper = [row for row in paper if isinstance(row, dict)][:ROWS_MAX] if isinstance(paper, list) else []
        self.options = self.dict_of(self.env, "options")
        self.placement, self.is_busy = document.get("placement"), document.get("busy") is True

    @staticmethod
    def dict_of(parent, name):
        child = parent.get(name)
        return child if isinstance(child, dict) else {}

    def check(self, document, experiments):
        program = document.get("program") if isinstance(document, dict) else None
        if program not in PROGRAMS:
            found = "a file without the member 'program'" if program is None else f"a file of '{text(program)}'"
            raise Refused(f"{self.path}: found {found}, expected one that tc-perf --json of this version wrote")
        if document.get("format") != FORMAT or isinstance(document["format"], bool):
            raise Refused(f"{self.path}: found format {text(document.get('format'))}, expected {FORMAT}: "
                          "the tc-perf that wrote it can draw it")
        experiment = document.get("experiment")
        if not isinstance(experiment, str) or experiment not in experiments:
            raise Refused(f"{self.path}: found experiment '{text(experiment)}', expected one of {', '.join(experiments)}")
        return experiment

    # --- for the lines below a title ---------------------------------------------------------------------------------

    def transport(self):
        chosen = {text(row["transport"]) for row in self.rows if "transport" in row}
        if chosen:
            return "transport " + " and ".join(sorted(chosen))
        tls = self.options.get("tls")
        return f"UCX_TLS={text(tls)}" if isinstance(tls, str) else "UCX's choice of transports"

    def how(self, has_spread):
        """A description of the measurement: "delivery direct; UCX_TLS=tcp,self; medians of 20 rounds, bands and whiskers:
        quartiles"."""
        own = [row for row in self.rows if row.get("delivery") not in (None, "none", "tcp") and row.get("mode") not in OTHERS]
        deliveries = list(dict.fromkeys(text(row["delivery"]) for row in own))
        asked = self.options.get("delivery")
        if not deliveries and isinstance(asked, list):
            deliveries = [text(name) for name in asked[:8] if name != "auto"]
        rounds = number(self.options, "rounds")
        parts = [f"delivery {', '.join(deliveries[:8])}"] if deliveries else []
        parts.append(self.transport())
        if rounds or has_spread:
            medians = f"medians of {rounds:g} rounds" if rounds else "medians"
            parts.append(medians + (", bands and whiskers: quartiles" if has_spread else ""))
        if self.placement in PLACEMENTS:
            parts.append(f"processors {self.placement}" + (", too busy for rates and tails" if self.is_busy else ""))
        return "; ".join(parts)

    def where(self):
        """The machine, the day and the versions."""
        versions = self.dict_of(self.env, "versions")
        known = [(name, versions.get(key)) for name, key in (("Three-Chains", "three_chains"), ("UCX", "ucx"), ("LLVM", "llvm"))]
        cpus = number(self.env, "cpus")
        parts = [text(self.env.get("cpu", ""), 80), f"{cpus:g} CPUs" if cpus else "", text(self.env.get("date", ""))[:10],
                 ", ".join(f"{name} {text(value)}" for name, value in known if value is not None)]
        return "; ".join(part for part in parts if part)


def wrapped(lines, width):
    return [part for line in lines for part in textwrap.wrap(line, width) or [""]]
