"""The names that a C source defines for itself, and their renaming.

A source of the tree is regular enough for that without a parser of C: definitions begin at the left of the file's scope, and
nothing but functions has a body there. A name that is missed shows when the one file is compiled.
"""
import re

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\/]|\\\n|\\[^\n]|/(?!\*)|/\*.*?\*/)*)
  | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d[\w.]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<space>\s+)
  | (?P<mark>->|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
TAGGED = ("struct", "union", "enum")
ATTRIBUTES = ("__attribute__", "_Alignas", "_Atomic", "__asm__", "_Static_assert")


def tokens_of(text):
    return [(found.lastgroup, found[0]) for found in TOKEN.finditer(text)]


def declarations(tokens):
    """The declarations and definitions of the file's scope, as lists of tokens."""
    chunk, depth = [], 0
    for kind, token in tokens:
        if kind in ("comment", "directive", "space"):
            continue
        chunk.append(token)
        depth += token in "{(" if len(token) == 1 else 0
        depth -= token in "})" if len(token) == 1 else 0
        is_body = token == "}" and depth == 0 and is_function(chunk)
        if depth == 0 and (token == ";" or is_body):
            yield chunk
            chunk = []


def is_function(chunk):
    """Finds a function among chunks that end with a brace: its first brace follows a parenthesis."""
    return chunk[0] != "typedef" and chunk[chunk.index("{") - 1] == ")"


def without_groups(chunk):
    """Leaves out braces, brackets and the arguments of attributes with all that is in them."""
    kept, depth, skipped = [], 0, 0
    for index, token in enumerate(chunk):
        if token in ("{", "[") or (token == "(" and (skipped or index and chunk[index - 1] in ATTRIBUTES)):
            skipped += 1
        elif skipped and token in ("}", "]", ")"):
            skipped -= 1
        elif not skipped:
            depth += (token == "(") - (token == ")")
            kept.append(token)
    return kept


def declared_names(chunk):
    """The names of variables, types by typedef, or the function that a declaration declares."""
    body = chunk[:chunk.index("{")] if chunk[-1] == "}" else chunk
    plain = without_groups(body)
    if "static" in plain:
        plain = plain[plain.index("static"):]  # behind attributes, or a macro that is a whole declaration
    if "=" in plain and "(" not in plain[:plain.index("=")]:
        # Initialisers may have commas and calls, and all variables here have one declarator then.
        plain = plain[:plain.index("=")] + [";"]
    if "(" in plain:
        opened = plain.index("(")
        pointer = plain[opened + 1] == "*"
        return [next(token for token in plain[opened + 2:] if re.match(r"\w", token)) if pointer else plain[opened - 1]]
    return [plain[i] for i in range(len(plain) - 1) if plain[i + 1] in (",", ";", "=") and re.match(r"[A-Za-z_]", plain[i])]


def tags_and_constants(chunk):
    """The tags that a declaration of the file's scope defines, and the constants of its enums."""
    tags, constants = set(), set()
    for i, token in enumerate(chunk):
        if token not in TAGGED:
            continue
        opened = i + 1
        if opened < len(chunk) and re.match(r"[A-Za-z_]\w*$", chunk[opened]):
            opened += 1
            if opened < len(chunk) and chunk[opened] in ("{", ";"):
                tags.add(chunk[i + 1])
        if token == "enum" and opened < len(chunk) and chunk[opened] == "{":
            end, depth = opened, 0
            while end < len(chunk):
                depth += (chunk[end] in "({") - (chunk[end] in ")}")
                if depth == 0:
                    break
                if depth == 1 and chunk[end] in ("{", ",") and re.match(r"[A-Za-z_]", chunk[end + 1]):
                    constants.add(chunk[end + 1])
                end += 1
    return tags, constants


class Names:
    """The names of one source. `types` and `constants` may stand in a struct's body; `objects` are not renamed there, as its
    members may have the same names."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.tags, self.types, self.constants, self.objects = set(), set(), set(), set()
        self.macros = {DEFINE.match(token)[1] for kind, token in self.tokens if kind == "directive" and DEFINE.match(token)}
        for chunk in declarations(self.tokens):
            if chunk[0] == "_Static_assert":
                continue
            head = chunk[:chunk.index("{")] if chunk[-1] == "}" else chunk
            tags, constants = tags_and_constants(head if chunk[-1] == "}" else chunk)
            self.tags |= tags
            self.constants |= constants
            if chunk[0] == "typedef":
                self.types |= set(declared_names(chunk[1:]))
            elif "static" in without_groups(head):
                self.objects |= set(declared_names(chunk))
        self.macros -= {"_GNU_SOURCE"}

    @property
    def own(self):
        return self.tags | self.types | self.constants | self.objects

    def renamed(self, prefix, shared):
        """The source with the prefix before those of its names that are among the shared ones."""
        out, last, before, opened = [], "", "", []
        for kind, token in self.tokens:
            if kind == "directive":
                token = self.renamed_directive(token, prefix, shared)
            elif kind == "name":
                token = self.renamed_name(token, prefix, shared, (before, last), "struct" in opened)
            elif token == "{":
                opened.append("struct" if before in ("struct", "union") or last in ("struct", "union") else "block")
            elif token == "}" and opened:
                opened.pop()
            out.append(token)
            if kind not in ("space", "comment", "directive"):
                before, last = last, token
        return "".join(out)

    def renamed_name(self, name, prefix, shared, before, in_struct):
        if name not in shared or before[1] in (".", "->"):
            return name
        if before[1] in TAGGED:
            return prefix + name if name in self.tags else name
        if name in self.types or name in self.constants or (name in self.objects and not in_struct):
            return prefix + name
        return name

    def renamed_directive(self, text, prefix, shared):
        parts = []
        last = ""
        for index, (kind, token) in enumerate(tokens_of(text.lstrip()[1:])):
            if kind == "name" and index > 0:
                token = self.renamed_name(token, prefix, shared, ("", last), False)
            parts.append(token)
            last = token if kind != "space" else last
        return "#" + "".join(parts)
