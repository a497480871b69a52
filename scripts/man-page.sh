#!/bin/sh
# Makes a man page of one Markdown file, with lowdown. Other names in its chapter NAME become pages that lead to it.
#   scripts/man-page.sh NAME.SECTION.md VERSION OUT_FOLDER [CHAPTER [FILE...]]
# CHAPTER, if not empty, is left out. The page's date is that of the newest FILE that its Markdown was made of; without any, the
# Markdown's own.
set -eu
if [ $# -lt 3 ]; then
    echo "usage: $0 NAME.SECTION.md VERSION OUT_FOLDER [CHAPTER [FILE...]]" >&2
    exit 2
fi
source=$1 version=$2 out=$3 without=${4:-}
shift $(($# > 3 ? 4 : 3))
[ $# -gt 0 ] || set -- "$source"
page=$(basename "$source" .md)
section=${page##*.}
name=${page%.*}
case $section in
    1) volume="Three-Chains Programs" ;;
    3) volume="Three-Chains Library" ;;
    *) volume="Three-Chains" ;;
esac
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
else
    date=$(date -u -d "@$(stat -c %Y "$@" | sort -n | tail -n 1)" +%F)
fi

mkdir -p "$out"
# Typographic quotes and dashes would spoil options, and lowdown takes the text between two underscores of a name for
# emphasis. The last program fixes constructs that differ between viewers or cause warnings: a font that not all have,
# paragraphs right after headings, definition lists by vertical motion, and names cut at line ends. Not by gsub: the meaning
# of backslashes in its replacement differs from awk to awk.
awk -F '`' -v without="# $without" '
    BEGIN { OFS = FS }
    /^# / { left_out = $0 == without }
    left_out { next }
    /^ *```/ { code = !code }
    !code {
        for (i = 1; i <= NF; i += 2) {
            count = split($i, part, "_")
            for (n = 2; n <= count; n++)
                part[1] = part[1] "\\_" part[n]
            $i = part[1]
        }
    }
    { print }' "$source" >"$out/$page.md"
lowdown -s -t man --parse-no-super --out-no-smarty -m "title=$(echo "$name" | tr '[:lower:]' '[:upper:]')" -m "section=$section" \
    -m "date=$date" -m "source=Three-Chains $version" -m "volume=$volume" -o "$out/$page.new" "$out/$page.md"
rm "$out/$page.md"
sed -z -i -e 's/\\f\(C\|(CR\|\[CR\]\)/\\fB/g' \
    -e 's/\n\.\(S[HS]\)[ \n]\([^\n]*\)\n\.[LP]P\n/\n.\1 \2\n/g' \
    -e 's/\n\(\.TH [^\n]*\)\n/\n\1\n.nh\n.ad l\n/' \
    -e 's/\n\.LP\n\([^\n]*\)\n\.if n \\\n\.sp -1v\n\.if t \\\n\.sp -0\.25v\n\.IP "" 5n\n/\n.TP\n\1\n/g' \
    "$out/$page.new"
mv "$out/$page.new" "$out/$page"

sed -n '/^# NAME$/,/ - /{/ - /{s/ - .*//;s/,/\n/g;p;q};/^#/d;/^$/d;s/,/\n/g;p}' "$source" | tr -d ' ' |
    while read -r other; do
        [ -z "$other" ] || [ "$other" = "$name" ] || echo ".so man$section/$page" >"$out/$other.$section"
    done
