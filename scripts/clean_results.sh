#!/usr/bin/env bash
# clean_results.sh [1]: deletes the results of all scales and sites and Snakemake's notes about them, after naming them
# and asking. 1: without asking; where nobody can be asked, it refuses without that.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob
folders=(results*/)
# Site files may name others; none without the logs of a scale is taken for one.
while read -r name; do
  logs=("$name"/*/logs)
  [[ $name == results* ]] || [ "${#logs[@]}" -eq 0 ] || folders+=("$name/")
done < <(sed -nE "s/^results: *['\"]?([A-Za-z0-9._-]+).*/\1/p" config/sites/*.yaml | sort -u)
[ ! -d .snakemake ] || folders+=(.snakemake/)
if [ "${#folders[@]}" -eq 0 ]; then
  echo "no results are there"
  exit 0
fi
mkdir -p .snakemake
exec 9>.snakemake/kvasir.lock
flock -n 9 || {
  echo "error: a 'make reproduce' is running in this folder; wait for it or stop it" >&2
  exit 1
}
echo "this deletes:"
du -sh -- "${folders[@]}"
if [ "${1:-}" != 1 ]; then
  [ -t 0 ] || {
    echo "error: nobody can be asked here; make clean-results FORCE=1 deletes them" >&2
    exit 1
  }
  read -r -p "delete them? [y/N] " answer
  case $answer in
    y | Y | yes) ;;
    *)
      echo "nothing was deleted"
      exit 1
      ;;
  esac
fi
rm -rf -- "${folders[@]}"
