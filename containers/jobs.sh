#!/bin/bash
# kvasir-jobs, inside a build: holds Hadoop's jars against their lock and compiles our own Java modules, which lie in
# /source as they do in src/hadoop: our jobs into /opt/kvasir/workloads.jar, each plug-in into /opt/kvasir/plugins.
set -euo pipefail
(cd /opt/kvasir/lib && sha256sum --check --quiet /opt/kvasir/lock)

# As Maven does outside: level 8, and the same bytes from the same sources.
package() {
  local main=$1/src/main jar=$2 classes
  classes=$(mktemp -d)
  find "$main/java" -name '*.java' | sort |
    xargs javac --release 8 -nowarn -encoding UTF-8 -d "$classes" -cp '/opt/kvasir/lib/*:/opt/kvasir/plugins/*'
  if [ -d "$main/resources" ]; then cp -r "$main/resources/." "$classes"; fi
  jar --create --date=2024-01-01T00:00:00Z --file "$jar" -C "$classes" .
}

# Names of those that the dependencies of a module come from, other than Hadoop, ourselves and the tests.
foreign() {
  sed -n '/<dependencies>/,/<\/dependencies>/s/.*<groupId>\(.*\)<\/groupId>.*/\1/p' "$1/pom.xml" | sort -u |
    sed '/^kvasir$/d; /^org\.apache\.hadoop$/d; /^org\.junit\.jupiter$/d'
}

# After those that it needs, whose classes it may use.
plugin() {
  local module=/source/plugins/$1 jar=/opt/kvasir/plugins/$1.jar needed needs others
  if [ -f "$jar" ]; then return; fi
  others=$(foreign "$module")
  if [ -n "$others" ]; then
    echo "kvasir-jobs: plug-in $1 stays out: Hadoop's lock has no jars of $others"
    return
  fi
  needs=$(sed -n 's/^needs: *\[\(.*\)\].*/\1/p' "$module/plugin.yaml")
  for needed in ${needs//,/ }; do
    plugin "$needed"
  done
  package "$module" "$jar"
}

mkdir /opt/kvasir/plugins
package /source/workloads /opt/kvasir/workloads.jar
for pom in /source/plugins/*/pom.xml; do
  if [ -f "$pom" ]; then
    module=${pom%/pom.xml}
    plugin "${module##*/}"
  fi
done
(cd /opt/kvasir && find workloads.jar plugins -name '*.jar' | sort | xargs sha256sum) >/opt/kvasir/programs
