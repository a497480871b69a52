#!/usr/bin/env python3
"""Holds the crate tchains_sys to the public headers.

    check_declarations.py HEADERS SOURCES C_COMPILER RUSTC

Every function that the crate declares is one of the headers', with the same parameters and result, as C calls them; every constant
has the value that a C compiler gives it; and every struct has the size and the offsets that it has in C. Functions of the headers
that the crate reads are all there.
"""
import os
import re
import subprocess
import sys
import tempfile

PLAIN = {"c_void": "void", "c_char": "char", "c_int": "int", "c_uint": "unsigned", "usize": "size_t", "u8": "uint8_t", "u16": "uint16_t",
         "u32": "uint32_t", "u64": "uint64_t"}
CALLBACK = re.compile(r"(.*?)\(\*(\w+)\)\((.*)\)$")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def split(text):
    """At commas that are in no parentheses."""
    parts, depth = [""], 0
    for before, sign in zip(" " + text, text):
        depth += (sign in "(<[") - (sign in ")>]" and before + sign != "->")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def c_type(text):
    """`const char *name` as `char const *`: the target type, then a star for each pointer."""
    if found := CALLBACK.match(text):
        return f"{c_type(found[1] + 'x')}({', '.join(c_type(part) for part in split(found[3]))})"
    text = re.sub(r"\w+\[\w+\]$", "*x", text)
    text = re.sub(r"\w+$", "", text) if re.search(r"\w+[ *]+\w+$", text) else text
    words = [word for word in text.replace("*", " ").split() if word not in ("volatile", "struct")]
    const = ["const"] if "const" in words and "*" in text else []
    return " ".join([word for word in words if word != "const"] + const + ["*"] * text.count("*"))


def rust_type(text):
    text = text.strip()
    if found := re.match(r"Option<\s*unsafe extern \"C\" fn\((.*)\)(?:\s*->\s*(.*?))?,?\s*>$", text, re.DOTALL):
        return f"{rust_type(found[2] or 'c_void')}({', '.join(rust_type(part.split(':', 1)[1]) for part in split(found[1]))})"
    pointers = re.match(r"((?:\*(?:const|mut) )*)(.*)", text)
    kinds = re.findall(r"\*(const|mut) ", pointers[1])
    const = ["const"] if "const" in kinds else []
    return " ".join([PLAIN.get(pointers[2], pointers[2])] + const + ["*"] * len(kinds))


def headers(folder, names):
    """Functions of these headers: name -> (result, parameters)."""
    functions = {}
    for name in names:
        text = re.sub(r"/\*.*?\*/", "", read(os.path.join(folder, "tc", name + ".h")), flags=re.DOTALL)
        for declaration in re.findall(r"TC_API\s+([^;{]*?)\s*;", re.sub(r"(?m)^#.*(?:\\\n.*)*$", "", text)):
            result, name_of, parameters = re.match(r"(.*?)(\w+)\((.*)\)$", " ".join(declaration.split())).groups()
            functions[name_of] = (c_type(result + "x"), [c_type(part) for part in split(parameters)])
    return functions


def crate(text):
    functions = {}
    for name, parameters, result in re.findall(r"pub fn (\w+)\(([^;]*)\)(?:\s*->\s*([^;)>]*))?;", text, re.DOTALL):
        functions[name] = (rust_type(result or "c_void"), [rust_type(part.split(":", 1)[1]) for part in split(parameters)])
    return functions


def compare(ours, theirs):
    for name, (result, parameters) in sorted(ours.items()):
        if name not in theirs:
            yield f"{name}: in no header"
        elif theirs[name] != (result, parameters):
            yield f"{name}: found {result}({', '.join(parameters)}), the header has {theirs[name][0]}({', '.join(theirs[name][1])})"
    yield from (f"{name}: not in the crate" for name in sorted(set(theirs) - set(ours)))


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout


def program_lines(structs, constants, statement, size, offset, value):
    for name, fields in structs:
        yield statement.format(name, size.format(name))
        yield from (statement.format(f"{name}.{field}", offset.format(name, field)) for field in fields)
    yield from (statement.format(name, value.format(name)) for name in constants)


def measured(folder, include, text, compiler, rustc):
    """The same table by both compilers: sizes, offsets and values."""
    structs = [(name, re.findall(r"pub (\w+):", body)) for name, body in re.findall(r"pub struct (\w+) \{\n(.*?)\n\}", text, re.DOTALL)
               if not name.startswith("$")]
    constants = re.findall(r"pub const (\w+):", text)
    c_lines = program_lines(structs, constants, 'printf("{0} %lld\\n", (long long)({1}));', "sizeof({0})", "offsetof({0}, {1})", "{0}")
    rust_lines = program_lines(structs, constants, 'println!("{0} {{}}", {1});', "std::mem::size_of::<{0}>()",
                               "{{ let place = std::mem::MaybeUninit::<{0}>::uninit(); let start = place.as_ptr(); "
                               "unsafe {{ std::ptr::addr_of!((*start).{1}) as usize - start as usize }} }}", "{0} as i64")
    headers_of_c = "".join(f"#include <{name}>\n" for name in ("stddef.h", "stdio.h", "sys/uio.h", "tc/tc.h", "tc/am_entry.h", "tc/task_sync.h", "tc/window_rows.h", "tc/window_view.h", "tc/before_0_2.h"))
    sources = {"table.c": headers_of_c + "typedef struct iovec iovec; /* POSIX has no typedef */\nint main(void) {\n" + "\n".join(c_lines) + "\n}\n",
               "table.rs": "use tchains_sys::*;\nfn main() {\n" + "\n".join(rust_lines) + "\n}\n"}
    for name, source in sources.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(source)
    run([compiler, "-I", include, "-o", f"{folder}/by_c", f"{folder}/table.c"])
    run([rustc, "--edition", "2021", "-L", folder, "--extern", "tchains_sys", "-o", f"{folder}/by_rust", f"{folder}/table.rs"])
    return [dict(line.rsplit(" ", 1) for line in run([f"{folder}/{name}"]).splitlines()) for name in ("by_rust", "by_c")]


def main():
    include, sources, compiler, rustc = sys.argv[1:5]
    modules = sorted(name for name in os.listdir(sources) if name.startswith("sys_"))
    text = "\n".join(read(os.path.join(sources, name)) for name in modules)
    names = [re.match(r"//! `<tc/(\w+)\.h>`", read(os.path.join(sources, name)))[1] for name in modules]
    ours, theirs = crate(text), headers(include, names)
    problems = list(compare(ours, theirs))
    with tempfile.TemporaryDirectory() as folder:
        run([rustc, "--edition", "2021", "--crate-type", "rlib", "--crate-name", "tchains_sys", "--cfg", 'feature="function"', "--out-dir",
             folder, os.path.join(sources, "lib.rs")])
        rust, c = measured(folder, include, text, compiler, rustc)
    problems += [f"{name}: {value} in Rust, {c[name]} in C" for name, value in rust.items() if c[name] != value]
    print("\n".join(problems + [f"{len(ours)} functions, {len(rust)} sizes, offsets and values, {len(problems)} problems"]))
    return 1 if problems or len(ours) < 50 or len(rust) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
