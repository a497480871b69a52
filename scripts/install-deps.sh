#!/usr/bin/env bash
# Installs, with apt, the packages that a fresh Debian 12 or 13 lacks to build and run Three-Chains. Does nothing, and needs
# neither network nor root, when everything is there.
#   scripts/install-deps.sh            packages of the build and the demo
#   scripts/install-deps.sh --cross    and those of scripts/cross-aarch64.sh
#   scripts/install-deps.sh --julia    and Julia, for bindings/julia (scripts/install-julia.sh)
#   scripts/install-deps.sh --tests    and those of the tests of every build variant
set -euo pipefail

packages=(
    build-essential cmake ninja-build pkg-config   # the build
    python3                                        # manuals of the headers; every check
    llvm-19-dev clang-19 lld-19                    # the code engine and tc-clang
    libclang-19-dev                                # tc-clang --stubs
    libucx-dev libsodium-dev libzstd-dev libelf-dev
    libjansson-dev                                 # JSON of tc-perf, and of OCI image layouts
    libpmix-dev                                    # groups under mpirun, prterun and Slurm
    libcmocka-dev spin                             # every preset builds the tests
    lowdown                                        # man pages
    libsqlite3-dev sqlite3 zstd                    # examples/record_insert
    libssl-dev                                     # connections with keys or certificates
    zlib1g-dev                                     # used by functions of tests/compat, with libssl; scripts/wheel.sh
)
test_packages=(
    ccache                                         # scripts/test.sh a second time
    g++ jq                                         # tests of headers, layers and documents
    man-db mandoc                                  # look at the man pages
    gawk original-awk busybox                      # each of their awks makes the same ones
    python3-sphinx python3-myst-parser furo        # scripts/site.sh
    minisign                                       # keys and signatures of its own
    gdb linux-perf                                 # docs/debugging.md
    python3-matplotlib                             # tc-perf plot, scripts/site.sh
    debhelper dh-python lintian                    # the Debian packages
    abigail-tools                                  # released symbols and types
    python3-yaml                                   # forms and workflow in .github
    iproute2                                       # two hosts as namespaces
    openmpi-bin libopenmpi-dev                     # jobs under PMIx, and tc/mpi.h
    mpich libmpich-dev                             # tc/mpi_continue.h and tests/mpi, by another MPI
    libtirpc-dev libzmq3-dev                       # tc-perf call: calls of others
    libomp-19-dev                                  # functions that use OpenMP
    rustc flang-19 ldc                             # functions in Rust, Fortran and D
    python3-cffi python3-dev python3-numba         # bindings/python, and functions in Python
    python3-setuptools python3-wheel python3-pip   # its wheels
    python3-venv mypy python3-typeshed             # a fresh environment for them; its type hints
    skopeo                                         # reads packages in OCI image layouts
    libclang-rt-19-dev                             # sanitizers and libFuzzer
    llvm-22-dev clang-22                           # the variant llvm22
)

cross_packages=(qemu-user)
case $(uname -m) in # headers of the second architecture's C library, and its compilers
    aarch64)
        packages+=(libc6-dev-amd64-cross)
        cross_packages+=(g++-x86-64-linux-gnu)
        ;;
    *)
        packages+=(libc6-dev-arm64-cross)
        cross_packages+=(g++-aarch64-linux-gnu)
        ;;
esac

what=${1:-}
case $what in
    "") ;;
    --cross) packages+=("${cross_packages[@]}") ;;
    --julia) ;;
    --tests) packages+=("${test_packages[@]}" "${cross_packages[@]}") ;;
    *)
        echo "usage: $0 [--cross | --julia | --tests]" >&2
        exit 2
        ;;
esac

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null; then
    echo "install-deps: no dpkg-query here, so nothing is installed; going on with what is there." >&2
    echo "install-deps: a build names missing parts; these Debian packages hold all of them: ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done
# Julia and libraries of the other architecture are no packages of this machine.
finish() {
    local here
    here=$(dirname "$0")
    case $what in
        --julia) exec "$here/install-julia.sh" ;;
        --tests)
            "$here/install-julia.sh" || echo "install-deps: going on without Julia; its tests will be skipped" >&2
            "$here/../bindings/rust/core-library" ||
                echo "install-deps: without it no test makes functions in Rust for the other architecture" >&2
            exec "$here/cross-aarch64.sh" --libraries
            ;;
    esac
    exit 0
}

if [ ${#missing[@]} -eq 0 ]; then
    echo "install-deps: all ${#packages[@]} packages are installed"
    finish
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install-deps: neither root nor sudo; as root, run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}

echo "install-deps: installing ${missing[*]}"
# One broken extra repository of the machine must not stop packages of Debian's own.
apt update || echo "install-deps: apt-get update had errors, going on with the lists that are there" >&2
unknown=()
for package in "${missing[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
done
if [ ${#unknown[@]} -gt 0 ]; then
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "install-deps: in none of this machine's archives: ${unknown[*]}" >&2
    echo "install-deps: Debian has newer compilers in its security archive; should that be missing in /etc/apt, add the line" >&2
    echo "    deb http://deb.debian.org/debian-security ${codename:-bookworm}-security main" >&2
    exit 1
fi
apt install --no-install-recommends "${missing[@]}"
finish
