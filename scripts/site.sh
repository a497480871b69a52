#!/bin/sh
# Makes a site of README, docs/ and examples/: pages for a browser that need no server and no network.
#   scripts/site.sh [FOLDER]     default: build/site; FOLDER/index.html is where to begin
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/site}
if ! command -v sphinx-build >/dev/null; then
    echo "site: no sphinx-build here; Debian packages: python3-sphinx python3-myst-parser furo python3-matplotlib" >&2
    exit 1
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
export PYTHONDONTWRITEBYTECODE=1
# Measured data are drawn from the JSON that documents lead to. Not below $out, as links take no blanks.
drawings=$(mktemp -d)
trap 'rm -rf "$drawings"' EXIT
for file in "$root"/docs/figures/measured/*.json; do
    printf '%s\0' "$(basename "$file" .json)"
done | xargs -0 -P "$(nproc)" -I NAME \
    python3 "$root/benchmarks/plot.py" "$root/docs/figures/measured/NAME.json" -o "$drawings/NAME.svg"
sphinx-build -q -W --keep-going -b html -c "$root/docs/site" -D drawings="$drawings" -d "$out/.doctrees" "$root" "$out"
rm -rf "$out/.doctrees" "$out/.buildinfo" "$out/objects.inv"
# The first page of a site is called index.html everywhere.
cat >"$out/index.html" <<'END'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=README.html"><title>Three-Chains</title></head>
<body><p><a href="README.html">Three-Chains</a></p></body></html>
END
echo "site: $out/index.html"
