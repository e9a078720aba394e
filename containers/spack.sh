#!/bin/bash
# kvasir-spack ENVIRONMENT GROUP PACKAGE..., inside a build: installs these packages of a group of an environment by Spack,
# exactly as its lock has them, then leaves in /opt/kvasir/store what they need when they run:
#   /opt/kvasir/packages/NAME  the package's folder      /opt/kvasir/spack  all packages, with versions and hashes
# The build lends it, under /mnt, what is not to stay in the image: Spack, its packages, its configuration, and of the
# project those packages' part alone (src/harness/images/spack_mounts.py).
set -euo pipefail
environment=$1
shift 2
mkdir /opt/spack
cp -r /mnt/project /opt/spack/project
cd "/opt/spack/project/$environment"

# Nothing of this machine's own Spack.
export SPACK_USER_CONFIG_PATH=/mnt/config SPACK_SYSTEM_CONFIG_PATH=/opt/spack/none SPACK_USER_CACHE_PATH=/opt/spack/cache \
  SPACK_GNUPGHOME=/opt/spack/gnupg SPACK_PYTHON=/usr/bin/python3 PYTHONDONTWRITEBYTECODE=1 KVASIR_SPACK_SITE=debian12 \
  HOME=/opt/spack
# Builds of tar and others refuse root, which a build is in its own namespace. Git refuses folders of other users.
export FORCE_UNSAFE_CONFIGURE=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

# To where a build tells of itself.
spack() { /mnt/spack/bin/spack "$@" >&2; }
[ ! -f /mnt/cache.pub ] || spack -e . gpg trust --yes-to-all /mnt/cache.pub

# Our own sources change under one hash (README, Spack), so a cache may have older ones.
case $1 in kvasir-*) ours=never ;; *) ours=auto ;; esac
spack -e . install --only-concrete --fail-fast --show-log-on-error "--use-buildcache=package:$ours,dependencies:auto" || {
  echo "kvasir-spack: Spack could not install $*, see above: a source that could not be fetched is to be had on the net," >&2
  echo "  or from what the site file names in images: spack: build_cache or source_mirror" >&2
  exit 1
}
python3 /usr/local/lib/kvasir-store.py /mnt/project/"$environment"/spack.lock /opt/kvasir
rm -rf /opt/spack
