#!/usr/bin/env bash
# reproduce.sh SCALE SITE CORES [SNAKEMAKE ARGUMENT...]: run the workflow and show what came out.
# An empty SCALE or SITE means what config/config.yaml says; so does no variable STUDIES (as in STUDIES=mimir,eee). With a
# variable REPLAY, a folder of archives, their records stand in for runs.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=$1
site=$2
choices=()
[ -z "$scale" ] || choices+=("scale=$scale")
[ -z "$site" ] || choices+=("site=$site")
told=("${choices[@]}")
if [ -n "${REPLAY:-}" ]; then
  choices+=("replay=$REPLAY")
  told+=("replay=$REPLAY")
fi
if [ -n "${STUDIES:-}" ]; then
  choices+=("studies=[$STUDIES]")
  told+=("studies=$STUDIES")
fi
cores=$3
case $cores in
  all | [1-9] | [1-9][0-9] | [1-9][0-9][0-9] | [1-9][0-9][0-9][0-9]) ;;
  *)
    echo "error: CORES=$cores: expected a whole number, 1 or more" >&2
    exit 1
    ;;
esac
shift 3
case " $* " in *" --config "*)
  echo "error: found --config; use SCALE=..., SITE=... and STUDIES=a,b, which the summary is told as well" >&2
  exit 1
  ;;
esac
PATH=$PWD/.venv/bin:$PATH

mode=$(.venv/bin/python scripts/check_request.py --scale "$scale" --site "$site" --studies "${STUDIES:-}" \
  --replay "${REPLAY:-}" -- "$@")

# One invocation at a time: two would measure each other. The lock goes with this process.
mkdir -p .snakemake
exec 9>.snakemake/kvasir.lock
flock -n 9 || {
  echo "error: another 'make reproduce' is running in this folder; wait for it or stop it" >&2
  exit 1
}

# Snakemake and its jobs are a process group of their own (-m), so that a signal to make or to this script alone, as kill
# and service managers send it, reaches them as well. Snakemake ends what runs; this waits for it, and then says it. With
# a signal that this cannot catch the kernel kills Snakemake, and jobs end when they see that it has gone.
stopped() {
  trap 'kill -INT -- "-$workflow" 2>/dev/null' INT TERM HUP
  kill -INT -- "-$workflow" 2>/dev/null || true
  until wait "$workflow" 2>/dev/null || ! kill -0 "$workflow" 2>/dev/null; do :; done
  echo "interrupted; the same command goes on where it stopped" >&2
  exit "$1"
}
# What a script starts in the background has SIGINT ignored, for good: a shell cannot undo it, Python can.
heed='import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])'
set -m
# --config takes all words up to the next option: targets must not follow it.
setpriv --pdeathsig KILL .venv/bin/python -c "$heed" snakemake ${choices:+--config "${choices[@]}"} \
  --cores "$cores" --logger kvasir --rerun-incomplete --keep-going "$@" &
workflow=$!
set +m
trap 'stopped 130' INT
trap 'stopped 143' TERM
trap 'stopped 129' HUP
code=0
wait "$workflow" || code=$?
[ "$mode" = run ] || exit "$code"
if [ "$code" -ne 0 ]; then
  # A trial says what works all the same.
  case $scale in kick | smoke) .venv/bin/python scripts/summary.py --broken ${told:+"${told[@]}"} || true ;; esac
  exit "$code"
fi
.venv/bin/python scripts/summary.py ${told:+"${told[@]}"}
