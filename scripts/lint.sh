#!/usr/bin/env bash
# All style and type checks. Stops at the first kind that finds something.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
mapfile -d '' shell_files < <(git ls-files -z '*.sh' .ci/run)
mapfile -d '' cpp_files < <(git ls-files -z 'src/engine/*.cpp' 'src/engine/*.hpp')

step() { printf 'lint: %s\n' "$1"; }

step "ruff" && ruff check -q . && ruff format -q --check .
step "mypy" && mypy --no-error-summary src/harness src/snakemake_logger_plugin_kvasir
step "shellcheck" && shellcheck "${shell_files[@]}"
step "snakefmt" && snakefmt --check Snakefile rules
step "snakemake --lint" && snakemake --lint >/dev/null
step "lintr" && Rscript --vanilla -e 'l <- lintr::lint_dir("scripts/figures"); print(l); quit(status = length(l) > 0)'
step "clang-format" && clang-format --dry-run -Werror "${cpp_files[@]}"
