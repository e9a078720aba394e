#!/usr/bin/env bash
# count_words.sh INPUT OUTPUT: how often each word occurs, by coreutils alone (`count word` a line).
# Words are what white space of the C locale separates; they may hold any other byte.
set -euo pipefail
export LC_ALL=C
scratch=$(mktemp "$2.XXXXXX")
trap 'rm -f "$scratch"' EXIT
tr -s ' \t\n\v\f\r' '\n' <"$1" | sed '/^$/d' | sort | uniq -c >"$scratch"
chmod 644 "$scratch"
mv "$scratch" "$2"
