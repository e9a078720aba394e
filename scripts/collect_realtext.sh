#!/usr/bin/env bash
# collect_realtext.sh OUTPUT FOLDER...: the text files below the folders, one after another, as one file.
# Binary and compressed files are left out; a newline ends each file, so that no two words join.
set -euo pipefail
output=$1
shift
for folder in "$@"; do
  [ -r "$folder" ] || {
    echo "error: $folder: no such readable file or folder; the scale's realtext names it (config/scales)" >&2
    exit 1
  }
done
scratch=$(mktemp "$output.XXXXXX")
trap 'rm -f "$scratch"' EXIT
# grep -I drops what looks binary; sorted, so that the same files give the same text.
# xargs says 123 when a whole batch of files held no text: no error.
find "$@" -type f ! -name '*.gz' -print0 | LC_ALL=C sort -z | { xargs -0 -r grep -IlZ . || [ $? -eq 123 ]; } |
  while IFS= read -r -d '' file; do
    cat -- "$file"
    echo
  done >"$scratch"
[ -s "$scratch" ] || {
  echo "error: no text found below $*" >&2
  exit 1
}
chmod 644 "$scratch"
mv "$scratch" "$output"
