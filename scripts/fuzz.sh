#!/usr/bin/env bash
# Builds the fuzzers and runs a campaign with them: docs/fuzzing.md.
#   scripts/fuzz.sh [--inputs N] [--seconds N] [--json] [FUZZER...]
exec python3 -B "$(dirname "$0")/../tests/fuzz/campaign.py" "$@"
