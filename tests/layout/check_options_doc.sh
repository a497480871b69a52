#!/bin/sh
# docs/options.md matches the option table, up to its chapter about bounds.
# check_options_doc.sh TC_INFO docs/options.md [--write]
chapter='^## Bounds of queues and tables$'
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
{ "$1" --options --markdown && echo && sed -n "/$chapter/,\$p" "$2"; } >"$new" || exit 1
if [ "${3-}" = --write ]; then
    cat "$new" >"$2"
elif ! diff -u "$2" "$new"; then
    echo "docs/options.md is out of date: tests/layout/check_options_doc.sh TC_INFO docs/options.md --write"
    exit 1
fi
