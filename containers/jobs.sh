#!/bin/bash
# kvasir-jobs, inside a build: holds Hadoop's jars against their lock and compiles our own jobs for it.
set -euo pipefail
(cd /opt/kvasir/lib && sha256sum --check --quiet /opt/kvasir/lock)
# As Maven does outside: level 8, and the same bytes from the same sources.
mkdir /classes
find /source/java -name '*.java' | sort |
  xargs javac --release 8 -nowarn -encoding UTF-8 -d /classes -cp '/opt/kvasir/lib/*'
jar --create --date=2024-01-01T00:00:00Z --file /opt/kvasir/workloads.jar -C /classes .
(cd /opt/kvasir && sha256sum workloads.jar) >/opt/kvasir/programs
