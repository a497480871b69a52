"""A strict reader of OpenMetrics text 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/)."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SUFFIXES = {"counter": ("_total", "_created"), "gauge": ("",), "info": ("_info",), "summary": ("", "_sum", "_count", "_created"),
            "unknown": ("",)}
UNESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Malformed(Exception):
    pass


class Family:
    def __init__(self, name):
        self.name = name
        self.type = self.unit = self.help = None
        self.samples = {}  # (suffix, labels as sorted pairs) -> number


def expect(is_right, what, line):
    if not is_right:
        raise Malformed(f"{what}: {line!r}")


def read_labels(text, line):
    """{name: value} of the labels between braces, and of nothing but labels."""
    labels, at = {}, 0
    while at < len(text):
        found = re.compile(LABEL).match(text, at)
        expect(found, "a label", line)
        name, value = found.groups()
        expect(name not in labels and not name.startswith("__"), "a name of a label, once", line)
        labels[name] = re.sub(r'\\[\\"n]', lambda escape: UNESCAPED[escape[0]], value)
        at = found.end()
        expect(at == len(text) or (text[at] == "," and at + 1 < len(text)), "a comma between labels", line)
        at += 1
    return labels


def read_descriptor(family, kind, text, line):
    expect(not family.samples, "descriptors come before samples", line)
    if kind == "TYPE":
        expect(family.type is None and text in SUFFIXES, "one known type", line)
        family.type = text
    elif kind == "UNIT":
        expect(family.unit is None and (text == "" or family.name.endswith("_" + text)), "a unit that ends the name", line)
        family.unit = text
    else:
        expect(family.help is None and not re.search(r"\\[^\\n\"]", text), "one help text", line)
        family.help = text


def read_number(text, line):
    expect(re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text), "a number", line)
    return float(text) if re.search(r"[.eE]", text) else int(text)


def read_sample(family, line):
    found = re.fullmatch(rf"({NAME})(?:\{{(.*)\}})? (\S+)", line)
    expect(found, "a sample without a timestamp", line)
    name, labels, number = found[1], read_labels(found[2] or "", line), read_number(found[3], line)
    expect(family is not None and name.startswith(family.name), "samples follow their own descriptors", line)
    suffix = name[len(family.name):]
    expect(suffix in SUFFIXES[family.type or "unknown"], f"a suffix of the type {family.type}", line)
    expect((family.type == "summary" and suffix == "") == ("quantile" in labels), "quantiles belong to summaries", line)
    expect(family.type not in ("counter", "summary") or number >= 0, "no number below 0", line)
    expect(family.type != "info" or number == 1, "1", line)
    key = (suffix, tuple(sorted(labels.items())))
    expect(key not in family.samples, "each sample once", line)
    family.samples[key] = number


def read(text):
    """{name: Family} of a page. Raises Malformed."""
    expect(text.endswith("# EOF\n") and text.count("# EOF") == 1, "the page ends with # EOF", text[-40:])
    expect("\r" not in text, "lines end with a line feed", "")
    families, family = {}, None
    for line in text.split("\n")[:-2]:
        found = re.fullmatch(rf"# (TYPE|UNIT|HELP) ({NAME}) (.*)", line)
        if found:
            kind, name, rest = found.groups()
            if family is None or family.name != name:
                expect(name not in families, "a family's lines stand together", line)
                family = families[name] = Family(name)
            read_descriptor(family, kind, rest, line)
        else:
            expect(not line.startswith("#") and line != "", "no comment and no empty line", line)
            read_sample(family, line)
    return families


def value(families, name, suffix="", **labels):
    """The sample with these labels, and perhaps others."""
    for (own, found), number in families[name].samples.items():
        if own == suffix and labels.items() <= dict(found).items():
            return number
    return None
