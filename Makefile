# make reproduce   set up what is missing, run everything at the configured scale, print where the results are
# make smoke       the same on tiny data, in minutes
# make check       set up what is missing, check style and types, run the unit tests: below 3 minutes
# make test        the same, and all other tests but campaigns (make test-all: all)
# Variables: SCALE, SITE and STUDIES (as in STUDIES=mimir,eee; default: what config/config.yaml says), CORES (default:
# all), ARGS (more arguments for snakemake, or for pytest)
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
CORES ?= $(shell nproc)
SCALE ?=
SITE ?=
export STUDIES
PY := .venv/bin/python

.PHONY: help setup reproduce smoke paper images image-lock retry cluster-shell costs check test test-all lint format bench bench-netsim schema lock spack-sources clean

help:
	@sed -n 's/^# //p' Makefile | head -5; echo 'also: setup images image-lock retry cluster-shell costs test-all lint format bench bench-netsim schema lock spack-sources clean (see README.md)'

setup:
	@scripts/setup.sh run
	@[ -f build/hadoop/3.4.2/hadoop.json ] || $(PY) scripts/build_hadoop.py

reproduce: setup
	@scripts/reproduce.sh "$(SCALE)" "$(SITE)" $(CORES) $(ARGS)

smoke: setup
	@scripts/reproduce.sh smoke "$(SITE)" $(CORES) $(ARGS)

# The write-up as PDF, with the figures and verdicts of the configured scale.
paper:
	@scripts/setup.sh run paper
	@scripts/reproduce.sh "$(SCALE)" "$(SITE)" $(CORES) paper $(ARGS)

# Installs Apptainer if it can be, and builds all images; `snakemake --sdm apptainer` would build them as well.
images: setup
	@scripts/setup.sh images
	@.venv/bin/snakemake --cores $(CORES) --sdm apptainer $(ARGS) -- images

# Pin the newest Debian packages that this machine's mirror has for the images.
image-lock:
	@scripts/setup.sh run
	@$(PY) scripts/lock_images.py

# A SLURM of a login host and four nodes on this machine, and a shell in it; it ends with the shell.
# ARGS='--nodes 8' for more nodes, ARGS='-- sinfo' for one command instead of a shell.
cluster-shell:
	@scripts/setup.sh run test
	@$(PY) -m harness.slurm shell $(ARGS)

# What the studies cost at scale paper, from the runs of scale smoke. ARGS='--from laptop --watts 300' for others.
costs: setup
	@$(PY) scripts/costs.py $(ARGS)

# Forget the runs that failed or timed out, so that the next reproduce runs them again.
retry: setup
	@$(PY) scripts/forget_failed.py

# Style, types and the unit tests: needs no cluster and compiles nothing. Below 3 minutes on two cores.
check:
	@scripts/setup.sh run test
	@scripts/lint.sh quick
	@$(PY) -m pytest -q -n 2 -m unit $(ARGS) tests/unit

# Two tests at a time (tests/conftest.py); ARGS='-n 0' for one. Apptainer is installed if it can be; without it the tests
# that need it are skipped, and say so. Tests marked slow (campaigns of faults, a whole run in images, Spack) are left
# to test-all.
test: CHOICE := -m 'not slow'
test test-all:
	@scripts/setup.sh run test paper
	@scripts/setup.sh images || echo "make $@: without Apptainer the tests of images are skipped"
	@[ -f build/hadoop/3.4.2/hadoop.json ] || $(PY) scripts/build_hadoop.py
	@scripts/lint.sh quick
	@$(PY) -m pytest -q -n 2 --durations=20 $(CHOICE) $(ARGS)

lint:
	@scripts/lint.sh

format:
	@.venv/bin/ruff check --fix -q . && .venv/bin/ruff format -q . && .venv/bin/snakefmt Snakefile rules
	@find src/engine src/netsim -name '*.[ch]pp' -print0 | xargs -0 clang-format -i

# Speed of the engine as CPU ratios to an in-repo single-thread yardstick, taken in one interleaved run.
bench: setup
	@$(PY) scripts/build_programs.py src/engine build/bench/engine.json --jobs $(CORES) --native --tool mpirun \
	  map-aggregate group-by-key reduce-by-key generate wordcount-yardstick
	@$(PY) src/engine/bench/compare.py --bin build/bench/bin $(ARGS)

# Speed of the simulator, against ns-3 and ns-2 where they are installed (Debian: libns3-dev, ns2), and over sizes.
bench-netsim: setup
	@$(PY) scripts/build_programs.py src/netsim build/netsim/netsim.json --jobs $(CORES) --portable netsim
	@cmake -S src/netsim/ns3 -B build/ns3 -G Ninja >/dev/null && cmake --build build/ns3 --parallel $(CORES) || \
	  echo "bench-netsim: ns-3 is left out: install libns3-dev to compare with it"
	@$(PY) src/netsim/bench/compare.py --netsim build/netsim/bin/netsim --ns3 build/ns3/bin/ns3-shuffle $(ARGS)

# JSON schemas of the configuration, for editors; a test compares them with the models.
schema:
	@$(PY) scripts/schema.py config/schema

# Pin the newest versions that requirements.in allows. Needs the program uv.
lock:
	@printf '%s\n' '# Every Python package, pinned and hashed. Made from requirements.in by `make lock`; do not edit by hand.' > requirements.lock.new
	@uv pip compile -q --generate-hashes --no-header --python-version 3.11 requirements.in >> requirements.lock.new
	@mv requirements.lock.new requirements.txt

# After a change of the engine, the simulator or the Hadoop jobs: pin and pack their sources for Spack.
spack-sources:
	@$(PY) scripts/spack_sources.py --pin build/spack/mirror build/spack/sources.json

clean:
	@rm -rf build results results-emulated .snakemake
