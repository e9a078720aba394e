#!/bin/sh
# The programs are those that were built, a text is counted on two ranks, and the jobs on HDFS start.
set -eu
# A build is root of its namespace only: Open MPI's shared folder in /tmp may be another root's.
TMPDIR=$(mktemp -d)
export TMPDIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
(cd /opt/kvasir/bin && sha256sum --check --quiet /opt/kvasir/programs)
generate --distribution=interleaved --words=1000 --unique=10 --seed=1 --output="$TMPDIR/text" --report="$TMPDIR/text.json"
mpirun --oversubscribe -n 2 map-aggregate --report="$TMPDIR/report.json" "$TMPDIR/text"
grep -q '"words"' "$TMPDIR/report.json"
for program in group-by-key reduce-by-key hdfs-jobs; do "$program" --help >/dev/null; done
# By Spack on Debian there is PAPI as well, with what Debian's own package of it leaves out.
papi=/opt/kvasir/packages/debian-papi/bin/papi_component_avail
[ ! -x "$papi" ] || "$papi" | grep -q '^Name: *powercap '
rm -r "$TMPDIR"
