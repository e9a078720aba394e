#!/usr/bin/env bash
# Installs what is missing, and nothing else: Debian packages of section base and of those named on the command line
# (run, test, slurm, paper, images; default run) and the Python environment .venv. Section images ends with Apptainer. Idempotent;
# says nothing when all is there.
# Not root: uses sudo when it asks no password, otherwise lists exactly what is missing and stops.
set -euo pipefail
cd "$(dirname "$0")/.."
sections=(base "${@:-run}")

die() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

wanted_packages() {
  awk -v sections=" ${sections[*]} " 'index(sections, " " $1 " ") { print $2 }' requirements-debian.txt
}

missing_packages() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done < <(wanted_packages)
}

# Elsewhere than on Debian we cannot know the packages' names, so we look for the programs themselves.
missing_programs() {
  local program wanted=(python3 Rscript rsvg-convert git)
  case " ${sections[*]} " in *" run "*) wanted+=(c++ cmake ninja mpicxx mpirun javac mvn ip) ;; esac
  for program in "${wanted[@]}"; do
    command -v "$program" >/dev/null || echo "$program"
  done
}

install_packages() {
  local packages=("$@") as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null ||
      die "these Debian packages are missing and installing them needs root: ${packages[*]}
  run as root: apt-get update && apt-get install -y --no-install-recommends ${packages[*]}
  then repeat your command"
    as_root=(sudo -n)
  fi
  printf 'setup: installing %d Debian packages: %s\n' "${#packages[@]}" "${packages[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

make_venv() {
  local stamp want
  stamp=.venv/kvasir.stamp
  # The absolute path belongs to the stamp: a moved checkout has a venv whose programs point elsewhere. pyproject.toml
  # names the programs of our own.
  want=$(cat requirements.txt pyproject.toml <(pwd -P) | sha256sum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && return
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "Python 3.11 or newer is needed, python3 is $(python3 --version 2>&1)"
  printf 'setup: making the Python environment .venv\n'
  python3 -m venv --clear .venv
  .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements.txt
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation \
    --config-settings editable_mode=compat -e .
  printf '%s\n' "$want" >"$stamp"
}

if command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -eq 0 ] || install_packages "${missing[@]}"
else
  mapfile -t missing < <(missing_programs)
  [ "${#missing[@]}" -eq 0 ] ||
    die "these programs are missing: ${missing[*]} (requirements-debian.txt says what each is for)"
fi
make_venv
case " ${sections[*]} " in *" images "*) scripts/apptainer.sh ;; esac
