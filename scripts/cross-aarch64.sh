#!/usr/bin/env bash
# The other architecture on one machine: builds library, tools and tests for aarch64 on an x86_64 machine, in build/aarch64,
# where qemu runs them; on an aarch64 machine the same for x86_64, in build/x86_64.
#   scripts/cross-aarch64.sh              everything
#   scripts/cross-aarch64.sh --libraries  only installs the libraries of such a build
#   scripts/cross-aarch64.sh --configure  also makes this machine's tools, and configures; further arguments go to cmake
# The machine's own packages are left as they are. Debian wants the libraries that both architectures have in one version,
# so installing the guest's beside the host's could change the host's; hence they go, without being installed, into a folder
# of their own, TC_GUEST_ROOT (default: /opt/three-chains/ARCHITECTURE, or below ~/.cache for users who may not write
# there). A machine that has them installed, by dpkg --add-architecture, uses those. Needs no network when everything is
# there. TC_HOST_BUILD (default: build/release) is this machine's own build; its tc-clang makes the functions.
set -euo pipefail
cd "$(dirname "$0")/.."

case $(uname -m) in
    x86_64) guest=aarch64 debian=arm64 ;;
    aarch64) guest=x86_64 debian=amd64 ;;
    *)
        echo "cross-aarch64: this machine is a $(uname -m), neither x86_64 nor aarch64" >&2
        exit 1
        ;;
esac
# LLVM's is the one of TC_LLVM_VERSION's default; the last ones are for tests and examples.
libraries=(libucx0 libllvm19 libzstd1 libsodium23 libelf1 libjansson4 libcmocka0 libsqlite3-0)
what=${1:-}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

all_installed() {
    local package
    for package in "$@"; do
        is_installed "$package" || return 1
    done
}

# apt with a state of its own: it knows the guest's packages only and no installed ones, so the fetched set is complete,
# and it can neither change nor lock the machine's packages.
guest_apt() {
    APT_CONFIG=$work/apt.conf apt-get -y -q -o Acquire::Retries=3 "$@" </dev/null
}

# Fetches the libraries and all that they need, and keeps of each package the files that programs
# load.
fill_root() {
    local deb folder
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
    : >"$work/status"
    cat >"$work/apt.conf" <<END
APT::Architecture "$debian";
APT::Architectures { "$debian"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
END
    echo "cross-aarch64: fetching ${libraries[*]} for $debian"
    guest_apt update || echo "cross-aarch64: apt-get update had errors, going on with what it got" >&2
    guest_apt install --download-only "${libraries[@]}"
    for deb in "$work"/cache/archives/*.deb; do
        dpkg-deb --extract "$deb" "$work/whole"
    done
    # Since Debian 13 packages have no /lib of their own. Every machine has it as a link.
    mkdir -p "$work/root/usr/lib"
    ln -s usr/lib "$work/root/lib"
    for folder in "$work/whole/lib" "$work/whole/usr/lib"; do
        [ ! -d "$folder" ] || cp -al "$folder/." "$work/root/usr/lib"
    done
    printf '%s\n' "${libraries[@]}" >"$work/root/complete"
    # At once, so that a root is whole or not there.
    mkdir -p "$(dirname "$root")"
    rm -rf "$root"
    mv "$work/root" "$root"
}

# Where the guest's libraries are, as `root`.
find_root() {
    if all_installed "${libraries[@]/%/:$debian}"; then
        root=/
        return
    fi
    root=${TC_GUEST_ROOT:-/opt/three-chains/$debian}
    if [ -z "${TC_GUEST_ROOT:-}" ] && [ ! -f "$root/complete" ] && ! mkdir -p "$root" 2>/dev/null; then
        root=${XDG_CACHE_HOME:-$HOME/.cache}/three-chains/$debian
    fi
    if ! printf '%s\n' "${libraries[@]}" | cmp -s - "$root/complete"; then
        fill_root
    fi
}

[ "$what" = --libraries ] || scripts/install-deps.sh --cross
find_root
echo "cross-aarch64: libraries for $debian in $root"
[ "$what" != --libraries ] || exit 0

host=${TC_HOST_BUILD:-build/release}
host_targets=(tc-clang tc-ar tc-node tc-package tc-send tc-info tc-perf tchains-orc record_source
    integration_functions integration_peer integration_member test_forwarding test_group_walks join_main check_args test_engine_cpu
    primes_source specialise_run specialise_run_static ifunc_total_in_c pairs_programs sim-explore
    time_limit)
[ -f "$host/CMakeCache.txt" ] || cmake --preset "$(basename "$host")"
scripts/build.sh "$host" --target "${host_targets[@]}"
cmake --preset "$guest" -DTC_GUEST_ROOT="$root" -DTC_HOST_BUILD="$(cd "$host" && pwd)" "${@:2}"
[ "$what" != --configure ] || exit 0
scripts/build.sh "build/$guest"
