#!/usr/bin/env bash
# typeset.sh TEXT.tex FOLDER: typeset TEXT in FOLDER, where the parts it reads lie.
set -euo pipefail
command -v latexmk >/dev/null || {
  echo "error: latexmk is missing; 'make paper' installs it (requirements-debian.txt, section paper)" >&2
  exit 1
}
sources=$(realpath -- "$(dirname -- "$1")")
cp -- "$1" "$2/"
cd "$2"
export TEXINPUTS=".:$sources:"    # the text's own parts; an empty entry stands for the system's
export SOURCE_DATE_EPOCH=1577836800 FORCE_SOURCE_DATE=1
latexmk -C "$(basename "$1")" >/dev/null    # what a killed one left is broken, and latexmk believes it
latexmk -pdf -interaction=nonstopmode -halt-on-error "$(basename "$1")"
latexmk -c "$(basename "$1")"
