#!/bin/sh
# The jars are the locked ones, and the Java that is found runs them.
set -eu
(cd /opt/kvasir/lib && sha256sum --check --quiet /opt/kvasir/lock)
(cd /opt/kvasir && sha256sum --check --quiet /opt/kvasir/programs)
"$(readlink -f /usr/bin/java)" -Xmx100m -cp '/opt/kvasir/workloads.jar:/opt/kvasir/lib/*' org.apache.hadoop.util.VersionInfo |
  grep -q 'Hadoop 3.4.2'
