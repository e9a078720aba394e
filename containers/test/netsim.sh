#!/bin/sh
# The program is the one that was built, and starts.
set -eu
(cd /opt/kvasir/bin && sha256sum --check --quiet /opt/kvasir/programs)
netsim --help >/dev/null
