#!/bin/bash
# kvasir-install [STAGE...], inside a build: installs exactly the Debian packages that packages.lock pins for the stages,
# then removes what depends on the day. The build lends it, under /mnt, what is not to stay in the image: where packages
# come from (this machine's own apt configuration), the pins, and the date that the image gets.
set -euo pipefail
SOURCE_DATE_EPOCH=$(cat /mnt/epoch)
export SOURCE_DATE_EPOCH
pins=$(mktemp)
for stage in "$@"; do cat "/mnt/pins/$stage"; done | sort -u >"$pins"

# dpkg leaves out what nobody reads in an image, and does not wait for a disk that nobody will find half written.
cat >/etc/dpkg/dpkg.cfg.d/kvasir <<'END'
path-exclude=/usr/share/doc/*
force-unsafe-io
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/lintian/*
path-exclude=/usr/share/bug/*
END

if [ -s "$pins" ]; then
  # An unprivileged build has no other user that apt could become.
  options=(-qq -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/mnt/sources.list -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::netrc=/mnt/auth.conf -o Dir::Etc::netrcparts=/dev/null -o Acquire::Languages=none)
  export APT_CONFIG=/mnt/apt.conf DEBIAN_FRONTEND=noninteractive
  apt-get "${options[@]}" update
  said=$(mktemp)
  if ! xargs -a "$pins" apt-get "${options[@]}" install -y --no-install-recommends --allow-downgrades >"$said" 2>&1; then
    cat "$said" >&2
    exit 1
  fi
  rm -f "$said"
fi

# What is there must be what is pinned, nothing more and nothing else.
known=$(mktemp)
cat /mnt/pins/base "$pins" | sort -u >"$known"
if ! there=$(dpkg-query -W -f '${Package}=${Version}\n' | sort | comm -23 - "$known") || [ -n "$there" ]; then
  echo "kvasir-install: packages.lock has other versions than these, or none: make image-lock" >&2
  echo "$there" >&2
  exit 1
fi
rm -f "$known" "$pins"

# By name, never from /: the build sees the folders of the machine it runs on.
places=(/bin /etc /lib /opt /sbin /srv /usr /var)
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/cache/ldconfig/aux-cache /var/log/apt \
  /var/log/*.log /var/cache/debconf/*-old /var/lib/dpkg/*-old /usr/share/man/* /usr/share/info/* /usr/share/locale/* \
  /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow-
# It lists what the mirror had, and nobody reads it.
: >/var/lib/dpkg/available
# The day on which a password was set, of users who have none.
sed -i 's/^\([^:]*:[^:]*:\)[0-9]*/\1/' /etc/shadow
find /usr/share/doc -xdev -type f ! -name copyright -delete
# A later build, by a user who is only root of a namespace, cannot give files to other groups.
# What lies in /var/tmp is the building machine's.
find "${places[@]}" -xdev -path /var/tmp -prune -o \( ! -user root -o ! -group root \) -exec chown -h root:root {} +
