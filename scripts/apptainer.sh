#!/usr/bin/env bash
# Installs Apptainer, unless it is there: from the distribution's own archive where that has it; on a Debian whose
# archive lacks it, Debian's package of it from the suite unstable, made to bring the few libraries that it wants newer.
# Either way the result is a package that `apt-get remove apptainer` takes away again. Where neither can be done, or
# root is needed and not to be had, it says what to ask the administrator for, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
# A part of the package, so that nothing else on the machine finds these libraries.
libraries=/usr/lib/apptainer-libraries
subuid=${KVASIR_SUBUID:-/etc/subuid}
subgid=${KVASIR_SUBGID:-/etc/subgid}

# Prints FIRST-LAST: subordinate ids that no user of this machine has.
free_ids() {
  local first
  first=$(cat "$subuid" "$subgid" 2>/dev/null |
    awk -F: '$2 + $3 > last { last = $2 + $3 } END { print (last > 100000 ? last : 100000) }') || true
  echo "$first-$((first + 65535))"
}

ask() {
  local user
  user=$(id -un)
  printf 'setup: no Apptainer: %s\n' "$*" >&2
  cat >&2 <<END
  Ask the administrator for Apptainer 1.2 or newer, for unprivileged user namespaces, for /dev/fuse of mode 0666, and for a
  range of subordinate ids for you in /etc/subuid and /etc/subgid
  (usermod --add-subuids $(free_ids) --add-subgids $(free_ids) $user).
  Without it everything runs as well, with the programs of this machine instead of those in images.
END
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif sudo -n true 2>/dev/null; then
    sudo -n "$@"
  elif command -v sudo >/dev/null; then
    ask "installing it, or giving you a range of ids, needs root, and sudo asks for a password"
  else
    ask "installing it, or giving you a range of ids, needs root, and there is no sudo"
  fi
}

install_from_archive() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

has_candidate() {
  LC_ALL=C apt-cache policy apptainer 2>/dev/null | grep -q '^ *Candidate: [0-9]'
}

# The mirror of this machine's own configuration that the distribution's main part comes from.
mirror() {
  # shellcheck disable=SC2016  # apt's own variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v release="$VERSION_CODENAME" '$2 == release && $3 == "main" { print $1; exit }'
}

# fetch FOLDER: the four packages from suite unstable, checked by apt as any other. Lists and cache are the folder's own:
# this machine's apt never hears of that suite.
fetch() {
  local folder=$1 uri options
  uri=$(mirror)
  [ -n "$uri" ] || ask "apt's configuration names no mirror for $VERSION_CODENAME"
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s unstable main\n' "$uri" >"$folder/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Dir::State::status=/dev/null
    -o APT::Sandbox::User=root -o Acquire::Languages=none)
  apt-get "${options[@]}" update || ask "the mirror in apt's configuration has no suite unstable"
  (cd "$folder" && apt-get "${options[@]}" download apptainer libc6 libseccomp2 libsqlite3-0) ||
    ask "the mirror in apt's configuration has it in no suite"
}

# repack FOLDER: apptainer.deb from what was fetched. Its programs start by the loader and libraries beside them.
repack() {
  local folder=$1 name file
  for file in "$folder"/*.deb; do
    name=$(basename "$file")
    dpkg-deb -x "$file" "$folder/${name%%_*}"
  done
  mkdir -p "$folder/apptainer$libraries" "$folder/apptainer/DEBIAN"
  find "$folder/libc6" "$folder/libseccomp2" "$folder/libsqlite3-0" \( -name 'ld-linux*.so.*' -o -name 'libc.so.6' \
    -o -name 'libm.so.6' -o -name 'libdl.so.2' -o -name 'libpthread.so.0' -o -name 'libresolv.so.2' -o -name 'libnss_*.so.2' \
    -o -name 'libseccomp.so.2' -o -name 'libsqlite3.so.0' \) -exec cp -L -n -t "$folder/apptainer$libraries" {} +
  local loader
  loader=$(basename "$(find "$folder/apptainer$libraries" -name 'ld-linux*')")
  find "$folder/apptainer/usr" -type f -perm -u+x | while read -r file; do
    patchelf --print-interpreter "$file" >/dev/null 2>&1 || continue
    patchelf --force-rpath --set-interpreter "$libraries/$loader" --set-rpath "$libraries" "$file"
  done
  dpkg-deb --control "$folder"/apptainer_*.deb "$folder/control"
  [ ! -f "$folder/control/conffiles" ] || cp "$folder/control/conffiles" "$folder/apptainer/DEBIAN/"
  {
    grep -E '^(Package|Architecture|Maintainer|Section|Priority):' "$folder/control/control"
    sed -n 's/^Version: .*/&+withlibraries/p' "$folder/control/control"
    echo 'Depends: squashfs-tools, squashfuse, fuse-overlayfs, uidmap, ca-certificates'
    echo 'Description: containers for HPC, with the libraries it needs'
  } >"$folder/apptainer/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip --build "$folder/apptainer" "$folder/apptainer.deb" >/dev/null
}

# Who builds images needs a range of ids of their own, root as well.
give_ids() {
  local user ids
  user=$(id -un)
  if grep -qs "^$user:" "$subuid"; then return; fi
  ids=$(free_ids)
  as_root usermod --add-subuids "$ids" --add-subgids "$ids" "$user"
}

if command -v apptainer >/dev/null; then
  give_ids
  exit 0
fi
command -v apt-get >/dev/null || ask "this distribution has no apt-get; its own package is usually called apptainer"
if has_candidate; then
  printf 'setup: installing Apptainer from the archive of this distribution\n'
  install_from_archive apptainer
else
  # shellcheck source=/dev/null
  . "${KVASIR_OS_RELEASE:-/etc/os-release}"
  [ "${ID:-}" = debian ] || ask "the archive of this distribution does not have it"
  printf "setup: installing Apptainer, Debian's own package of a later release\n"
  as_root true
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  fetch "$folder"
  repack "$folder"
  # apt reads a file given by its path as an unprivileged user.
  chmod -R go+rX "$folder"
  install_from_archive "$folder/apptainer.deb"
fi
apptainer version >/dev/null || ask "the installed one does not start"
give_ids
