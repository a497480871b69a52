"""The C reader of the layout tests: functions and variables that a file defines and declares, and names that it uses.

A parser of this tree's plain C, not of C at large: no functions made by macros, no old-style definitions. Every branch of an #if
counts, so braces have to be balanced in each.
"""
import re

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?(.*)", re.DOTALL)
TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|->|\n|[^\s\w]')
NAME = re.compile(r"[A-Za-z_]\w*")
PAIRS = {"(": ")", "[": "]", "{": "}"}
ATTRIBUTES = {"__attribute__", "_Alignas", "alignas", "_Static_assert", "static_assert", "__asm__", "asm"}
# Names that stand before a parenthesis and are no call.
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "_Alignof", "__typeof__", "typeof", "_Generic", "do", "else", "case",
            "void", "int", "char", "unsigned", "long", "bool", "const", "static", "struct", "union", "enum"} | ATTRIBUTES


class Token(str):
    """A word or a sign, and the line it is on."""
    line = 0


def tokens_of(text):
    found, line = [], 1
    for match in TOKEN.finditer(text):
        if match.group() == "\n":
            line += 1
            continue
        token = Token(match.group())
        token.line = line
        found.append(token)
    return found


def blank(match):
    """Text without meaning; its lines stay. A string stays visible as one."""
    text = match.group()
    return ('""' if text[0] == '"' else "0" if text[0] == "'" else " ") + "\n" * text.count("\n")


def close_of(tokens, at):
    """Where the bracket closes that opens at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i] in PAIRS) - (tokens[i] in PAIRS.values())
        if depth == 0:
            return i
    raise ValueError(f"line {tokens[at].line}: '{tokens[at]}' is never closed")


def without_attributes(tokens):
    kept, i = [], 0
    while i < len(tokens):
        upper = tokens[i] in ATTRIBUTES or (tokens[i].isupper() and i + 1 < len(tokens) and tokens[i + 1] == "(")
        if upper and i + 1 < len(tokens) and tokens[i + 1] == "(":
            i = close_of(tokens, i + 1) + 1
            continue
        kept.append(tokens[i])
        i += 1
    return kept


def flat(tokens):
    """(index, token) of those outside all brackets; an opening bracket stands for its contents."""
    i = 0
    while i < len(tokens):
        yield i, tokens[i]
        i = close_of(tokens, i) + 1 if tokens[i] in PAIRS else i + 1


def function_name(head):
    """Returns the function that these tokens define or declare, or None."""
    head = without_attributes(head)
    if not head or head[0] == "typedef":
        return None
    for i, token in flat(head):
        if token == "=":
            return None
        if token != "(":
            continue
        inner = [t for t in head[i + 1:close_of(head, i)] if t != "*"]
        if head[i + 1:i + 2] == ["*"]:  # returns a pointer to a function; or is such a pointer
            return inner[0] if len(inner) > 1 and inner[1] == "(" else None
        name = head[i - 1] if i else None
        return name if name is not None and NAME.fullmatch(name) and name not in KEYWORDS else None
    return None


def variable_name(tokens):
    """The variable that these tokens, without the semicolon, define or declare, or None."""
    tokens = without_attributes(tokens)
    if not tokens or tokens[0] == "typedef" or (tokens[0] in ("struct", "union", "enum") and len(tokens) == 2):
        return None
    name = None
    for i, token in flat(tokens):
        if token in ("=", "[") or (token == "," and name):
            break
        if token == "{":
            name = None
        elif token == "(":
            inner = [t for t in tokens[i + 1:close_of(tokens, i)] if NAME.fullmatch(t)]
            return inner[0] if tokens[i + 1] == "*" and inner else None
        elif NAME.fullmatch(token):
            name = token if i else None
    return name


class Function:
    def __init__(self, name, head, body):
        self.name = name
        self.line = name.line
        self.static = "static" in head
        self.head = head
        self.body = body


class Source:
    """One file. functions: those it defines. declared: {name: line} of those it declares. variables: {name: static?} that it
    defines. values: tokens of initialisers. macros: {name: tokens}.
    structs: {name: tokens of its members}."""

    def __init__(self, text):
        self.functions, self.declared, self.variables, self.declared_variables = [], {}, {}, {}
        self.values, self.macros, self.structs = [], {}, {}
        text = NOISE.sub(blank, text)
        for directive in DIRECTIVE.findall(text):
            define = DEFINE.match(directive)
            if define:
                self.macros.setdefault(define.group(1), []).extend(tokens_of(define.group(3).replace("\\\n", " ")))
        self.tokens = tokens_of(DIRECTIVE.sub(blank, text))
        self.read()

    def read(self):
        start, i = 0, 0
        while i < len(self.tokens):
            token = self.tokens[i]
            if token == "{":
                head = self.tokens[start:i]
                if head[:1] == ["extern"] and head[1:] == ['"', '"']:
                    start = i = i + 1
                    continue
                end = close_of(self.tokens, i)
                name = function_name(head)
                if name is not None:
                    self.functions.append(Function(name, head, self.tokens[i + 1:end]))
                    start = end + 1
                i = end
            elif token == ";":
                self.declaration(self.tokens[start:i])
                start = i + 1
            elif token == "}":  # of extern "C"
                start = i + 1
            elif token in PAIRS:
                i = close_of(self.tokens, i)
            i += 1

    def declaration(self, tokens):
        for i, token in flat(tokens):
            if token == "{" and "struct" in tokens[max(0, i - 2):i]:
                tag = tokens[i - 1] if tokens[i - 1] != "struct" else tokens[-1]
                self.structs[tag] = tokens[i + 1:close_of(tokens, i)]
        name = function_name(tokens)
        if name is not None:
            self.declared.setdefault(name, name.line)
            return
        name = variable_name(tokens)
        if name is None:
            return
        if "extern" in tokens[:1]:
            self.declared_variables.setdefault(name, name.line)
            return
        self.variables[name] = "static" in tokens
        self.values += tokens[tokens.index("="):] if "=" in tokens else []

    def uses(self):
        """Every token that may use a function or variable: bodies and initialisers, each with the one before and after it."""
        for tokens in [f.body for f in self.functions] + [self.values]:
            for i, token in enumerate(tokens):
                yield tokens[i - 1] if i else "", token, tokens[i + 1] if i + 1 < len(tokens) else ""
