#!/usr/bin/env python3
"""The Debian packages: dpkg-buildpackage, lintian, dpkg --install into a folder, a project built with the installed files, dpkg
--purge.

    check_debian.py SOURCE_FOLDER VERSION CMAKE C_COMPILER CXX_COMPILER
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "install"), os.path.join(HERE, "..", "layout")]
from check_install import check_links  # noqa: E402
from installation import Installation, run  # noqa: E402
from source_tree import walk  # noqa: E402

FULL = ["libtchains1", "libtchains-dev", "tchains-tools"]
FOR_BOTH = ["tchains-node", "tchains-doc", "python3-tchains", "tchains-rust"]
WITHOUT_LLVM = ["libtchains1-nollvm", "tchains-tools-nollvm"]
BUILD_SECONDS = 3000


def copy_tree(source, copy):
    """Packages are built in a copy: dpkg-buildpackage writes into the tree and beside it."""
    for path in walk(source):
        os.makedirs(os.path.dirname(os.path.join(copy, path)), exist_ok=True)
        shutil.copy2(os.path.join(source, path), os.path.join(copy, path))


def build(tree):
    """The packages are beside the tree afterwards."""
    options = f"nocheck noautodbgsym parallel={os.cpu_count()}"
    done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=tree, stdin=subprocess.DEVNULL,
                          env={**os.environ, "DEB_BUILD_OPTIONS": options}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=BUILD_SECONDS, check=False)
    if done.returncode != 0:
        sys.exit(f"dpkg-buildpackage: status {done.returncode}\n{done.stdout[-20000:]}")


def check_lintian(folder):
    changes, = glob.glob(os.path.join(folder, "*.changes"))
    told = run(["lintian", "--allow-root", "--fail-on", "error", changes])
    print(f"lintian: {told.strip() or 'nothing to say'}")


def check_bills(folder, version):
    """Each package has its bill of materials beside it: of its files, and only of them."""
    for name in FULL + FOR_BOTH + WITHOUT_LLVM:
        deb, = glob.glob(os.path.join(folder, f"{name}_{version}_*.deb"))
        with open(os.path.join(folder, f"{name}_{version}.spdx.json"), encoding="utf-8") as file:
            stated = {entry["fileName"] for entry in json.load(file)["files"]}
        listed = run(["dpkg-deb", "--contents", deb]).splitlines()
        if stated != (there := {line.split(None, 5)[5] for line in listed if line.startswith("-")}):
            sys.exit(f"{name}: the bill of materials differs in {sorted(stated ^ there)}")


def check_settings(root, tools):
    """The service's file is one that its node takes."""
    installed = os.path.join(root.folder, "etc/tchains/tc-node.conf")
    told = run([os.path.join(tools, "tc-node"), "--config", installed, "--check-config"],
               {**os.environ, "LD_LIBRARY_PATH": glob.glob(os.path.join(root.folder, "usr/lib/*-linux-gnu"))[0]})
    if "nothing is wrong" not in told:
        sys.exit(f"tc-node --check-config: {told}")


def check_unit(root):
    """systemd takes it as it is, but for where the node is installed here, and finds little to expose (2.0 of 10)."""
    if not shutil.which("systemd-analyze"):
        print("tc-node.service: not looked at, there is no systemd-analyze")
        return
    installed, = glob.glob(os.path.join(root.folder, "**", "tc-node.service"), recursive=True)
    with open(installed, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "tc-node.service")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/bin/tc-node", os.path.join(root.folder, "usr/bin/tc-node")))
        shutil.copy(installed.removesuffix(".service") + ".socket", folder)
        told = run(["systemd-analyze", "--man=no", "--recursive-errors=no", "verify", unit, os.path.join(folder, "tc-node.socket")])
        if "tc-node." in told:
            sys.exit(f"systemd-analyze verify: {told}")
        run(["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", unit])


class Root:
    """A folder that dpkg installs into, with a database of its own. The packages' dependencies are this machine's."""

    def __init__(self, folder, debs, version):
        self.folder, self.debs, self.version = folder, debs, version
        database = os.path.join(folder, "var/lib/dpkg")
        for name in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(database, name))
        with open(os.path.join(database, "status"), "w", encoding="ascii"):
            pass
        # Scripts of packages run outside the folder, where these two would look for the module in the machine's own.
        self.scripts = os.path.join(debs, "scripts")
        os.mkdir(self.scripts)
        for name in ("py3compile", "py3clean"):
            os.symlink(shutil.which("true"), os.path.join(self.scripts, name))

    def dpkg(self, *arguments):
        path = self.scripts + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin"
        return run(["dpkg", f"--root={self.folder}", "--log=/dev/null", "--force-depends,not-root,script-chrootless", *arguments],
                   {**os.environ, "PATH": path})

    def install(self, names):
        self.dpkg("--install", *(glob.glob(os.path.join(self.debs, f"{name}_{self.version}_*.deb"))[0] for name in names))

    def installed(self):
        with open(os.path.join(self.folder, "var/lib/dpkg/status"), encoding="utf-8") as file:
            return sorted(re.findall(r"Package: (\S+)\nStatus: install ok installed", file.read()))

    def expect(self, names):
        if self.installed() != sorted(names):
            sys.exit(f"installed are {self.installed()}, expected {sorted(names)}")

    def files(self):
        return [path for path in walk(self.folder) if not path.startswith("var/lib/dpkg/")]


def dependencies(folder, name, version):
    deb, = glob.glob(os.path.join(folder, f"{name}_{version}_*.deb"))
    return run(["dpkg-deb", "--field", deb, "Depends"])


def try_rust(root, installation, scratch):
    """A function by tc-rustc, and a program by cargo, which takes the crate from where the package has it."""
    if not os.path.exists("/usr/bin/rustc") or not os.path.exists("/usr/bin/cargo"):
        print("tchains-rust: not tried out, there is no cargo or no rustc of Debian's")
        return
    project = os.path.join(scratch, "rust")
    os.makedirs(os.path.join(project, "src"))
    crates = os.path.join(root.folder, "usr/share/tchains/rust")
    for name, text in {
            "Cargo.toml": f"""[package]\nname = "hello"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]
tchains = {{ path = "{crates}/tchains" }}\n""",
            "src/main.rs": """fn main() {\n    println!("{}", tchains::versions().0);\n}\n"""}.items():
        with open(os.path.join(project, name), "w", encoding="utf-8") as file:
            file.write(text)
    environment = {**installation.environment, "PATH": f"{root.folder}/usr/bin:/usr/bin:/bin", "RUSTC": "/usr/bin/rustc",
                   "TCHAINS_LIB_DIR": installation.libraries, "CARGO_HOME": os.path.join(project, "home")}
    said = run(["/usr/bin/cargo", "run", "--offline", "--quiet", "--manifest-path", os.path.join(project, "Cargo.toml")],
               environment).strip()
    if said != root.version.split("-")[0]:
        sys.exit(f"a program in Rust found the version {said}, expected {root.version}")
    function = os.path.join(root.folder, "usr/share/doc/tchains/examples/languages/rust/median.rs")
    run([installation.tool("tc-rustc"), "-o", os.path.join(project, "median.tca"), function], environment)


def try_out(root, scratch, arguments, with_llvm):
    os.mkdir(scratch)
    cmake, cc, cxx = arguments
    installation = Installation(os.path.join(root.folder, "usr"), scratch, cc, cxx)
    # The loader of this machine does not know this folder.
    os.environ["LD_LIBRARY_PATH"] = installation.libraries
    installation.environment["LD_LIBRARY_PATH"] = installation.libraries
    if (re.search(r"llvm\s+none", run([installation.tool("tc-info")])) is None) != with_llvm:
        sys.exit("tc-info does not find the code engine, or one that should not be there")
    installation.try_cmake(cmake, with_llvm)
    installation.try_pkg_config(with_llvm)
    installation.refuses_newer_headers()
    installation.try_julia()
    packages = os.path.join(root.folder, "usr/lib/python3/dist-packages")
    version = run(["/usr/bin/python3", "-B", "-c", "import tchains; print(tchains.__version__)"],
                  {**os.environ, "PYTHONPATH": packages}).strip()
    if version != root.version.split("-")[0]:
        sys.exit(f"the Python package is of version {version}, expected {root.version}")
    if with_llvm:
        try_rust(root, installation, scratch)
    del os.environ["LD_LIBRARY_PATH"]


def main():
    source, version, *programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        copy_tree(source, os.path.join(folder, "tree"))
        build(os.path.join(folder, "tree"))
        check_lintian(folder)
        check_bills(folder, version)
        for name in WITHOUT_LLVM:
            if re.search("llvm|clang", dependencies(folder, name, version)):
                sys.exit(f"{name} depends on LLVM: {dependencies(folder, name, version)}")
        root = Root(os.path.join(folder, "root"), folder, version)
        root.install(FULL + FOR_BOTH)
        root.expect(FULL + FOR_BOTH)
        check_unit(root)
        check_settings(root, os.path.join(root.folder, "usr/bin"))
        check_links(os.path.join(root.folder, "usr/share/doc/tchains"))
        try_out(root, os.path.join(folder, "full"), programs, with_llvm=True)
        # The flavour replaces the other, and programs built for that still run.
        root.install(WITHOUT_LLVM)
        root.expect(["libtchains-dev", *WITHOUT_LLVM, *FOR_BOTH])
        try_out(root, os.path.join(folder, "without"), programs, with_llvm=False)
        root.dpkg("--purge", *root.installed())
        if root.files():
            sys.exit(f"left after dpkg --purge: {root.files()}")
    print(f"{len(FULL + FOR_BOTH + WITHOUT_LLVM)} packages of {version}: built, checked, used and removed")


if __name__ == "__main__":
    main()
