"""The declarations of the public headers as cffi reads them: no preprocessor, no bodies, no attributes.

    header_cdef.py INCLUDE

It leaves unknown constructs unchanged, and cffi's parser, or the compiler that checks every declaration against the header,
reports them.
"""
import os
import re
import sys

# In the order of their dependencies. Headers of other subjects (mpi.h, ucx.h) use types that not every machine has.
HEADERS = ("status.h", "options.h", "abi.h", "version.h", "context.h", "endpoint.h", "ifunc.h", "call.h", "advanced.h", "group.h",
           "loader.h", "entry.h", "window.h", "window_view.h")

_NUMBER = re.compile(r"^#define (TC_\w+) +(?:0x[0-9a-fA-F]+|\d+)u?\s*$", re.MULTILINE)
_WORDS = re.compile(r"\b(TC_API|TC_MUST_CHECK)\b|\bTC_PRINTF\([^()]*\)")


def _without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def _without_bodies(text):
    """`static inline ... { ... }` becomes a declaration: the compiler calls it all the same."""
    out, position = [], 0
    for found in re.finditer(r"\bstatic inline\b", text):
        begin = text.index("{", found.end())
        depth, end = 1, begin + 1
        while depth > 0:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        out += [text[position:found.start()], text[found.end():begin].rstrip(), ";"]
        position = end
    return "".join(out) + text[position:]


def _without_cxx(text):
    return re.sub(r"^#ifdef __cplusplus\n.*?^#(?:endif|else)[^\n]*\n", "", text, flags=re.MULTILINE | re.DOTALL)


def cdef_of(text):
    """The declarations of one header."""
    text = _without_cxx(_without_comments(text))
    numbers = [f"#define {name} ..." if name != "TC_ERROR_TEXT_MAX" and name != "TC_IFUNC_ID_BYTES" else line.strip().rstrip("u")
               for name, line in ((found.group(1), found.group(0)) for found in _NUMBER.finditer(text))]
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*\n", "", text, flags=re.MULTILINE)
    text = _WORDS.sub("", _without_bodies(text))
    return "\n".join(numbers) + "\n" + text


def cdef(include):
    """The declarations of all of HEADERS in the folder `include`/tc."""
    # The preprocessor's results for words of other headers.
    parts = ["typedef int sig_atomic_t;", "struct iovec { void *iov_base; size_t iov_len; };", "#define TC_RANK_NONE ...", "#define TC_FOREVER ...",
             "#define TC_WINDOW_BYTES_MAX ...", "#define TC_VERSION_NUMBER ...", "static char *const TC_VERSION_STRING;"]
    for name in HEADERS:
        with open(os.path.join(include, "tc", name), encoding="utf-8") as file:
            parts.append(cdef_of(file.read()))
    return "\n".join(parts)


if __name__ == "__main__":
    print(cdef(sys.argv[1]))
