#!/usr/bin/env bash
# Both commands of README in a bare Debian, in a folder made by debootstrap: scripts/demo.sh, then scripts/test.sh, each with the
# time and the space that it took.
#   scripts/test-in-debian.sh 12|13 [--mirror URL] [--fresh] [--folder FOLDER] [ctest argument ...]
#   scripts/test-in-debian.sh 12|13 --wheel FILE.whl [--mirror URL] [--fresh] [--folder FOLDER]
# With --wheel, the commands of docs/python.md that lead from nothing to a function in Python, each with its time; --fresh, as a folder
# of an earlier run has the packages already.
# The folder is by default build/debian12 or build/debian13, and kept for the next run. Arguments for CTest are by default "-LE
# variant": everything but the other builds; "-R ." is everything. Needs root, the package debootstrap and a mirror, by default
# the one that this machine's apt takes Debian from; not a part of continuous integration. The machine is left as it is: mounts
# are in a namespace of the script's own.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
folder=
mirror=
fresh=
wheel=
version=${1:-}
shift || true

fail() {
    echo "test-in-debian: $*" >&2
    exit 1
}

case $version in
    12) name=bookworm ;;
    13) name=trixie ;;
    *)
        echo "usage: $0 12|13 [--mirror URL] [--fresh] [--folder FOLDER] [ctest argument ...]" >&2
        exit 2
        ;;
esac
while [ $# -gt 0 ]; do
    case $1 in
        --mirror) mirror=${2:?--mirror needs a URL} && shift 2 ;;
        --folder) folder=${2:?--folder needs a path} && shift 2 ;;
        --fresh) fresh=yes && shift ;;
        --wheel) wheel=$(readlink -e "${2:?--wheel needs a file}") || fail "$2: no such file"; shift 2 ;;
        *) break ;;
    esac
done
[ -z "$wheel" ] || [ $# -eq 0 ] || fail "$1: not expected with --wheel"
[ $# -gt 0 ] || set -- -LE variant

# archive LABEL: where this machine's apt takes it from.
archive() {
    apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
        awk -v label="$1" '$2 == "Debian" && $3 == label { print $1; exit }'
}

[ "$(id -u)" -eq 0 ] || fail "debootstrap needs root"
command -v debootstrap >/dev/null || fail "no debootstrap: apt install debootstrap"
mirror=${mirror:-$(archive Debian)}
[ -n "$mirror" ] || fail "this machine's apt names no mirror of Debian: --mirror URL"
security=$(archive Debian-Security)
security=${security:-http://deb.debian.org/debian-security}

folder=${folder:-build/debian$version${wheel:+-wheel}}
[ -z "$fresh" ] || rm -rf --one-file-system "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# The last successful step creates the file that the next run checks. The archives are those that Debian's installer writes
# down.
if [ ! -e "$folder/complete" ]; then
    echo "test-in-debian: making Debian $version in $folder"
    debootstrap --variant=minbase "$name" "$folder" "$mirror" >"$folder.log" 2>&1 ||
        fail "debootstrap failed; see $folder.log"
    cat >"$folder/etc/apt/sources.list" <<END
deb $mirror $name main
deb $mirror $name-updates main
deb $security $name-security main
END
    echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/unsafe-io"
    : >"$folder/complete"
fi

# guide NAME: the text of that name in docs/python.md.
guide() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{ /^\`\`\`/d; p }" docs/python.md
}

cat >"$folder/three-chains-test" <<'END'
set -euo pipefail
TIMEFORMAT='%lR, processor %lU + %lS'
megabytes() {
    du -sxm --exclude=/proc --exclude=/sys --exclude=/dev / | cut -f 1
}
measured() {
    local before spent status
    before=$(megabytes)
    echo "== $*"
    exec 3>&1 4>&2
    spent=$({ time "$@" >&3 2>&4; } 2>&1) && status=0 || status=$?
    summary+="$* ended with $status: $spent, $(($(megabytes) - before)) MB"$'\n'
    [ "$status" -eq 0 ]
}
END
if [ -n "$wheel" ]; then
    mkdir -p "$folder/three-chains-wheel"
    rm -rf "$folder"/three-chains-wheel/*
    cp "$wheel" "$folder/three-chains-wheel/"
    guide 'python3 first' >"$folder/three-chains-wheel/first.py"
    {
        echo 'cd /three-chains-wheel; summary=; result=0'
        guide 'sh wheel' | sed 's/.*/measured sh -c "&" || result=1/'
        echo 'printf "Debian %s\n%s" "$(cat /etc/debian_version)" "$summary"; exit $result'
    } >>"$folder/three-chains-test"
else
    # The sources as they are, without build results. A file that differs becomes new there: it may be older than what an earlier
    # run built of the one before it.
    there=$folder/three-chains
    sources() {
        tar -C "$source" --exclude=./build --exclude=./.git --exclude=./out -cf - .
    }
    mkdir -p "$there"
    differing=$(sources | tar -C "$there" -df - 2>/dev/null | sed -n -E 's/: (Contents differ|Size differs)$//p' | sort -u) || true
    sources | tar -C "$there" -xf -
    [ -z "$differing" ] || (cd "$there" && xargs -d '\n' touch <<<"$differing")
    cat >>"$folder/three-chains-test" <<'END'
cd /three-chains
summary=
result=0
measured scripts/demo.sh || result=1
measured scripts/test.sh "$@" || result=1
printf 'Debian %s, UCX %s, LLVM %s, OpenSSL %s, %s\n%s' "$(cat /etc/debian_version)" "$(pkg-config --modversion ucx)" \
    "$(llvm-config-19 --version)" "$(pkg-config --modversion openssl)" "$(gcc --version | head -n 1)" "$summary"
exit $result
END
fi

# UCX keeps shared memory in /dev/shm and finds networks in /sys, and everybody looks into /proc. The folder becomes a mount
# point, as / is on every machine: a namespace of a test's own needs that.
exec unshare --mount --pid --fork --kill-child sh -c '
    root=$1 && shift && mount --bind "$root" "$root" && cd "$root" &&
        mount -t proc proc proc && mount -t sysfs -o ro sysfs sys && mount --rbind /dev dev &&
        mount -t tmpfs tmpfs dev/shm &&
        exec chroot . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            bash /three-chains-test "$@"
' sh "$folder" "$@" </dev/null
