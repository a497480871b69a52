#!/usr/bin/env bash
# Runs an example with the package of a build: run.sh BUILD filter [...] or run.sh BUILD map_reduce [RANKS]
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "${1:?usage: run.sh BUILD filter [--rows N] [--compare] | map_reduce [RANKS]}")
what=${2:?filter or map_reduce}
shift 2
python=python3
for one in "${TC_PYTHON:-}" /usr/bin/python3; do # that with Numba; another one may come before it in PATH
    if [ -n "$one" ] && "$one" -c 'import cffi, numba' 2>/dev/null; then python=$one; break; fi
done
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
case $what in
    filter) exec "$python" "$here/filter.py" "$build" "$@" ;;
    map_reduce) exec "$build/bin/tc-run" -n "${1:-4}" "$python" "$here/map_reduce.py" ;;
    *) echo "run.sh: no example '$what': filter or map_reduce" >&2; exit 2 ;;
esac
