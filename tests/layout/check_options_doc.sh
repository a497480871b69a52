#!/bin/sh
# docs/options.md matches the option table. check_options_doc.sh TC_INFO docs/options.md
if ! "$1" --options --markdown | diff -u "$2" -; then
    echo "docs/options.md is out of date: tc-info --options --markdown > docs/options.md"
    exit 1
fi
