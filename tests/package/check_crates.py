#!/usr/bin/env python3
"""The crates for Rust as cargo packages them: made without a network, unpacked elsewhere, and used by a program that finds the
library by TCHAINS_LIB_DIR, or by pkg-config. Ends with 77 where there is no cargo.

    check_crates.py SOURCE_FOLDER BUILD_FOLDER [--pkg-config FOLDER]
"""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

MEMBERS = ("tchains-sys", "tchains", "tchains-ifunc")
OPTIONS = ("--offline", "--no-verify", "--allow-dirty", "--config", 'patch.crates-io.tchains-sys.path="../tchains-sys"')
PROGRAM = """[package]
name = "count"
version = "1.0.0"
edition = "2021"

[dependencies]
tchains = {{ path = "{tchains}" }}

[patch.crates-io]
tchains-sys = {{ path = "{sys}" }}

[workspace]
"""
MAIN = """fn main() {
    let context = tchains::Context::new().expect("a context");
    drop(context);
    println!("a context, by crates");
}
"""
PKG_CONFIG = "prefix={prefix}\nlibdir={libdir}\nName: tchains\nDescription: this build\nVersion: {version}\nLibs: -L${{libdir}} -ltchains\n"


def run(command, folder, environment, may_fail=False):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout if done.returncode == 0 else None


def package(crates, environment):
    """The archives that cargo makes. No registry has the crate that two of them need: the patch stands for it, and no archive has
    the patch."""
    for member in MEMBERS:
        run(["cargo", "package", *OPTIONS], os.path.join(crates, member), environment)
    folder = os.path.join(environment["CARGO_TARGET_DIR"], "package")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".crate")]


def unpack(archives, folder):
    found = {}
    for path in archives:
        with tarfile.open(path) as archive:
            archive.extractall(folder)  # cargo's own, made above
        name = os.path.basename(path)[:-len(".crate")]
        found[re.sub(r"-\d[\d.]*$", "", name)] = os.path.join(folder, name)
    return found


def use(found, folder, build, environment, way):
    """A program elsewhere: it links, and finds the library by itself when it runs."""
    os.makedirs(os.path.join(folder, "src"))
    with open(os.path.join(folder, "Cargo.toml"), "w", encoding="utf-8") as file:
        file.write(PROGRAM.format(tchains=found["tchains"], sys=found["tchains-sys"]))
    with open(os.path.join(folder, "src", "main.rs"), "w", encoding="utf-8") as file:
        file.write(MAIN)
    with open(os.path.join(folder, "build.rs"), "w", encoding="utf-8") as file:
        file.write('fn main() {\n    let folder = std::env::var("DEP_TCHAINS_PROGRAM_LIB_DIR").expect("the library\'s folder");\n'
                   '    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder);\n}\n')
    run(["cargo", "build", "--offline", "--quiet"], folder, environment)
    program = os.path.join(environment["CARGO_TARGET_DIR"], "debug", "count")
    plain = {name: value for name, value in environment.items() if name != "LD_LIBRARY_PATH"}
    said = run([program], folder, {**plain, "TC_ENGINE_PATH": os.path.join(build, "lib"), "TC_CACHE_DIR": ""})
    print(f"{way}: {said.strip()}")


def main():
    tree, build = sys.argv[1:3]
    if shutil.which("cargo") is None:
        print("skipped: no cargo")
        sys.exit(77)
    with open(os.path.join(tree, "include/tc/version.h"), encoding="utf-8") as file:
        version = re.search(r'TC_VERSION_STRING "(.*)"', file.read())[1]
    with tempfile.TemporaryDirectory() as folder:
        crates, lib = os.path.join(folder, "rust"), os.path.join(os.path.abspath(build), "lib")
        shutil.copytree(os.path.join(tree, "bindings/rust"), crates, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
        environment = {**os.environ, "CARGO_HOME": os.path.join(folder, "home"), "CARGO_TARGET_DIR": os.path.join(folder, "target")}
        environment.pop("TCHAINS_LIB_DIR", None)
        archives = package(crates, environment)
        names = {os.path.basename(path) for path in archives}
        if not {f"{name}-{version}.crate" for name in MEMBERS} <= names:
            sys.exit(f"cargo packaged {sorted(names)}, expected {MEMBERS} of {version}")
        found = unpack(archives, os.path.join(folder, "unpacked"))
        use(found, os.path.join(folder, "by-variable"), build, {**environment, "TCHAINS_LIB_DIR": lib}, "TCHAINS_LIB_DIR")
        described = os.path.join(folder, "described")
        os.mkdir(described)
        with open(os.path.join(described, "tchains.pc"), "w", encoding="utf-8") as file:
            file.write(PKG_CONFIG.format(prefix=build, libdir=lib, version=version))
        shutil.rmtree(os.path.join(folder, "target", "debug"))
        use(found, os.path.join(folder, "by-pkg-config"), build, {**environment, "PKG_CONFIG_PATH": described}, "pkg-config")
        print(f"packaged: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
