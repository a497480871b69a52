#!/usr/bin/env bash
# Builds the project in Debian 13 (UCX 1.18, LLVM 19, gcc 14), in a folder made by debootstrap, and runs its unit tests and its
# conformance suites there. Needs root, the package debootstrap and a mirror; not a part of continuous integration, because the
# first run fetches about 700 MB and takes ten minutes or more, and later ones as long as a build takes.
#   scripts/test-in-debian13.sh [--mirror URL] [--fresh] [FOLDER]     FOLDER: default build/debian13, kept for the next run
# The mirror is by default the one that this machine's apt takes Debian from. The machine is left as it is: what is mounted is
# so in a namespace of the script's own, and ends with it.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
folder=build/debian13
mirror=
fresh=

while [ $# -gt 0 ]; do
    case $1 in
        --mirror) mirror=${2:?--mirror needs a URL} && shift 2 ;;
        --fresh) fresh=yes && shift ;;
        -*)
            echo "usage: $0 [--mirror URL] [--fresh] [FOLDER]" >&2
            exit 2
            ;;
        *) folder=$1 && shift ;;
    esac
done

fail() {
    echo "test-in-debian13: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "debootstrap needs root"
command -v debootstrap >/dev/null || fail "no debootstrap: apt install debootstrap"
if [ -z "$mirror" ]; then
    mirror=$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
        awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
    [ -n "$mirror" ] || fail "this machine's apt names no mirror of Debian: --mirror URL"
fi

[ -z "$fresh" ] || rm -rf --one-file-system "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# The last thing that debootstrap does well is what the next run looks for.
if [ ! -e "$folder/complete" ]; then
    echo "test-in-debian13: making Debian 13 in $folder"
    debootstrap --variant=minbase trixie "$folder" "$mirror" >"$folder.log" 2>&1 ||
        fail "debootstrap failed; see $folder.log"
    echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io"
    : >"$folder/complete"
fi

# The sources as they are, without what was built of them.
mkdir -p "$folder/three-chains"
tar -C "$source" --exclude=./build --exclude=./.git --exclude=./out -cf - . | tar -C "$folder/three-chains" -xf -

cat >"$folder/three-chains-test" <<'END'
set -eu
cd /three-chains
scripts/install-deps.sh
printf 'Debian %s, UCX %s, LLVM %s, %s\n' "$(cat /etc/debian_version)" "$(pkg-config --modversion ucx)" \
    "$(llvm-config-19 --version)" "$(gcc --version | head -n 1)"
cmake --preset release
cmake --build build/release -j "$(nproc)"
exec ctest --test-dir build/release -L 'unit|conformance' -j "$(nproc)" --no-tests=error --output-on-failure
END

# UCX keeps shared memory in /dev/shm and finds networks in /sys, and everybody looks into /proc.
exec unshare --mount --pid --fork --kill-child sh -c '
    mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" && mount -t tmpfs tmpfs "$1/dev/shm" &&
        exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 TC_CACHE_DIR= \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} sh /three-chains-test
' sh "$folder" </dev/null
