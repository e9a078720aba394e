#!/usr/bin/env bash
# All style and type checks. Stops at the first kind that finds something.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
mapfile -d '' shell_files < <(git ls-files -z '*.sh' .ci/run)
mapfile -d '' cpp_files < <(git ls-files -z 'src/*.cpp' 'src/*.hpp')

step() { printf 'lint: %s\n' "$1"; }

step "ruff" && ruff check -q . && ruff format -q --check .
step "mypy" && mypy --no-error-summary src/harness src/snakemake_logger_plugin_kvasir
step "pytest collects" && pytest --collect-only -q >/dev/null
step "shellcheck" && shellcheck "${shell_files[@]}"
step "snakefmt" && snakefmt --check Snakefile rules 2>/dev/null
step "snakemake --lint" && snakemake --lint >/dev/null 2>&1
step "lintr" && Rscript --vanilla -e 'l <- lintr::lint_dir("scripts/figures"); print(l); quit(status = length(l) > 0)'
step "clang-format" && clang-format --dry-run -Werror "${cpp_files[@]}"
# clang-tidy reads how each file is compiled from a configured build tree; headers are checked through the sources.
step "clang-tidy"
for program in engine netsim; do
  cmake -S "src/$program" -B "build/$program-tests" -G Ninja -DBUILD_TESTING=ON >/dev/null
  git ls-files -z "src/$program/source/*.cpp" "src/$program/apps/*.cpp" |
    xargs -0 -n 2 -P "$(nproc)" clang-tidy --quiet -p "build/$program-tests" 2>/dev/null
done
