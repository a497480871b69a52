#!/usr/bin/env bash
# Fetches Julia 1.5.3 for bindings/julia, from the packages of Debian 11: Debian 12 and 13 have no Julia. They are not
# installed but unpacked beside the system, into TC_JULIA_ROOT (default: /opt/three-chains/julia, or below ~/.cache for
# users who may not write there); ROOT/bin/julia starts it. Needs no network when it is there.
#   scripts/install-julia.sh           fetches it
#   scripts/install-julia.sh --fetch   likewise, even if there is another one
#   scripts/install-julia.sh --where   prints the path of an installed Julia 1.5; status 1: no such Julia is there
set -euo pipefail
cd "$(dirname "$0")/.."

suite=bullseye
version=1.5.3+dfsg-3
packages=("julia=$version" "julia-common=$version" "libjulia1=$version" "libjulia-dev=$version")
# Libraries that every system has in its own version, and newer.
ours='^(libc6|libgcc-s1|libstdc\+\+6|gcc-[0-9]+-base|zlib1g|dpkg|tar|perl-base|debconf|libcrypt1|libselinux1|libacl1)_'
sums=scripts/julia-packages.sha256
default=/opt/three-chains/julia
home=${XDG_CACHE_HOME:-$HOME/.cache}/three-chains/julia

is_julia() {
    [[ "$("$1" --version 2>/dev/null)" == "julia version 1.5."* ]]
}

find_julia() {
    local candidate
    for candidate in "${TC_JULIA:-}" "${TC_JULIA_ROOT:+$TC_JULIA_ROOT/bin/julia}" "$default/bin/julia" "$home/bin/julia" \
        "$(command -v julia || true)"; do
        if [ -n "$candidate" ] && is_julia "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

if [ "${1:-}" = --where ]; then
    find_julia && exit 0
    echo "no Julia 1.5 is here: scripts/install-deps.sh --julia fetches one" >&2
    exit 1
fi
if [ "${1:-}" != --fetch ] && found=$(find_julia); then
    echo "install-julia: Julia is there: $found"
    exit 0
fi
case $(dpkg --print-architecture) in
    amd64) multiarch=x86_64-linux-gnu ;;
    arm64) multiarch=aarch64-linux-gnu ;;
    *)
        echo "install-julia: this machine is neither amd64 nor arm64" >&2
        exit 1
        ;;
esac
root=${TC_JULIA_ROOT:-$default}
if [ -z "${TC_JULIA_ROOT:-}" ] && ! mkdir -p "$root" 2>/dev/null; then
    root=$home
fi

# Where this machine has Debian's own packages from.
archive=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | sort -u | head -1)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if [ -z "$archive" ] || [ ! -f "$keys" ]; then
    echo "install-julia: expected a source of Debian's in /etc/apt whose lists are there (apt-get update), and $keys" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root/first" "$work/root/bin"
: >"$work/status"
echo "deb [signed-by=$keys] $archive $suite main" >"$work/sources.list"
# apt with a state of its own, which can neither change nor lock the machine's packages; it checks the suite's
# signature.
cat >"$work/apt.conf" <<END
APT::Architecture "$(dpkg --print-architecture)";
APT::Architectures { "$(dpkg --print-architecture)"; };
APT::Install-Recommends "false";
Acquire::Languages "none";
APT::Sandbox::User "";
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
END
julia_apt() {
    APT_CONFIG=$work/apt.conf apt-get -y -q -o Acquire::Retries=3 "$@" </dev/null
}

echo "install-julia: fetching ${packages[*]} of $suite"
julia_apt update
julia_apt install --download-only "${packages[@]}" >"$work/log" || { cat "$work/log" >&2; exit 1; }
rm -f "$work"/cache/archives/lock
for deb in "$work"/cache/archives/*.deb; do
    [[ ! "$(basename "$deb")" =~ $ours ]] || rm "$deb"
done
if [ "$multiarch" = x86_64-linux-gnu ]; then
    listed=$PWD/$sums
    (cd "$work/cache/archives" && sha256sum -- *.deb) | sort -k 2 >"$work/sums"
    if ! grep -v '^#' "$listed" | diff - "$work/sums" >&2; then
        echo "install-julia: the packages above are not those of $sums" >&2
        exit 1
    fi
fi
for deb in "$work"/cache/archives/*.deb; do
    dpkg-deb --extract "$deb" "$work/root"
done
rm -rf "$work/root/usr/share/doc" "$work/root/usr/share/locale" "$work/root/usr/share/man"

# The machine's libraries come first, because libtchains needs them. But for libunwind: 1.6 ends in a SIGSEGV when this Julia
# unwinds its own code.
cp -a "$work/root/usr/lib/$multiarch"/libunwind.so.8* "$work/root/first/"
cat >"$work/root/bin/julia" <<END
#!/bin/sh
root=\$(dirname "\$(dirname "\$(readlink -f "\$0")")")
LD_LIBRARY_PATH=\$root/first:/usr/lib/$multiarch:/lib/$multiarch:\$root/usr/lib/$multiarch:\$root/lib/$multiarch
export LD_LIBRARY_PATH
exec "\$root/usr/bin/julia" "\$@"
END
chmod +x "$work/root/bin/julia"
is_julia "$work/root/bin/julia" || { echo "install-julia: Julia does not start:" >&2; "$work/root/bin/julia" --version; exit 1; }
mkdir -p "$(dirname "$root")"
rm -rf "$root"
mv "$work/root" "$root"
chmod 755 "$root"
echo "install-julia: Julia $version is in $root"
