# Variables: SCALE, SITE and STUDIES (as in STUDIES=mimir,eee; default: what config/config.yaml says), CORES (default:
# all), ARGS (more arguments for snakemake, or for pytest). `make help` lists the targets: their comments with ##.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
CORES ?= $(shell nproc)
SCALE ?=
SITE ?=
export STUDIES
REPLAY ?= reference
VERSION ?=
FORCE ?=
PY := .venv/bin/python
CHOICES = $(if $(SCALE),scale=$(SCALE)) $(if $(SITE),site=$(SITE)) $(if $(STUDIES),studies=$(STUDIES))

.PHONY: help setup .installed reproduce kick smoke replay compare verdicts archive crate paper appendix site readme review release images image-lock retry cancel cluster-shell costs check test test-all lint format bench bench-netsim bench-hadoop schema lock spack-sources clean clean-results

## this list
help:
	@awk '/^## /{ text = substr($$0, 4); next } /^[a-z-]+:/ && text { sub(/:.*/, ""); printf "make %-15s %s\n", $$0, text } { text = "" }' Makefile
	@printf '%s\n' '' 'Variables: SCALE=kick|smoke|laptop|night|paper  SITE=NAME  STUDIES=mimir,eee  (default: config/config.yaml)' \
	  '           CORES=N (default: all)  ARGS="more arguments for snakemake, or for pytest"'

## install what is missing and build what Maven gets; then no run needs a network (minutes, once)
setup: .installed
	@$(PY) scripts/fetch.py $(CHOICES)

# What a target needs at once; the rest is fetched when a run asks for it.
.installed:
	@scripts/setup.sh run
	@[ -f build/hadoop/3.4.2/hadoop.json ] || $(PY) scripts/build_hadoop.py

## run everything at the configured scale, print where the results are (about an hour)
reproduce: .installed
	@scripts/reproduce.sh "$(SCALE)" "$(SITE)" $(CORES) $(ARGS)

## all on tiny data: PASS or FAIL for each component and paper (10 to 15 minutes)
smoke: .installed
	@scripts/reproduce.sh smoke "$(SITE)" $(CORES) $(ARGS)

# One figure of each study with the runs that it needs, on tiny data; it compiles what is not there yet.
## a figure of each study on tiny data: PASS or FAIL (5 minutes with compiling)
kick: .installed
	@scripts/reproduce.sh kick "$(SITE)" $(CORES) $(ARGS) -- kick

# Needs R and Python, no MPI, Hadoop or compiler. REPLAY=FOLDER for archives of others, as `make archive` makes them.
## figures, verdicts and report from the records of our own runs; runs nothing (3 minutes)
replay:
	@scripts/setup.sh base
	@REPLAY="$(REPLAY)" scripts/reproduce.sh "$(SCALE)" "" $(CORES) $(ARGS)

## a line for every claim with its verdict (seconds)
verdicts:
	@scripts/setup.sh base
	@$(PY) scripts/summary.py --all $(CHOICES)

# ARGS=--all for the claims that agree as well.
## hold own verdicts against the reference, claim by claim (seconds)
compare:
	@scripts/setup.sh base
	@$(PY) scripts/agreement.py "$(REPLAY)" $(CHOICES) $(ARGS)

## pack the results of a scale into folder REPLAY, which must be named (seconds)
archive:
	@[ "$(origin REPLAY)" != file ] || \
	  { echo "error: no folder is named: make archive REPLAY=DIR; reference holds our own runs" >&2; exit 1; }
	@scripts/setup.sh base
	@$(PY) scripts/archive.py "$(REPLAY)" $(CHOICES)

# Of an archive in folder REPLAY; REPLAY= for own results, which are packed first. ARGS='--agent "Jane Doe"' says who ran them.
## the reference, or with REPLAY= own results, with the workflow as a Workflow Run RO-Crate (seconds)
crate:
	@scripts/setup.sh base
	@$(if $(REPLAY),,$(PY) scripts/archive.py build/crate $(CHOICES) &&) \
	  $(PY) scripts/crate.py "$(or $(REPLAY),build/crate)" $(CHOICES) $(ARGS)

## the paper as PDF from the reference; REPLAY= for own results (4 minutes)
paper:
	@scripts/setup.sh $(if $(REPLAY),base,run) paper
	@REPLAY="$(REPLAY)" scripts/reproduce.sh "$(SCALE)" "$(if $(REPLAY),,$(SITE))" $(CORES) $(ARGS) -- paper

## the forms of EuroSys and SC as PDF from the reference; REPLAY= for own results (3 minutes)
appendix:
	@scripts/setup.sh base paper
	@REPLAY="$(REPLAY)" scripts/reproduce.sh "$(SCALE)" "$(if $(REPLAY),,$(SITE))" $(CORES) $(ARGS) -- appendix

## a site of documents, figures, verdicts and times from the reference; REPLAY= for own ones (3 min)
site:
	@scripts/setup.sh base
	@REPLAY="$(REPLAY)" scripts/reproduce.sh "$(SCALE)" "$(if $(REPLAY),,$(SITE))" $(CORES) $(ARGS) -- site

# Steps after the set-up, which installs LaTeX as well, have no network. ARGS="--leave-out 'make reproduce'" for less,
# ARGS=--resume to go on after an interruption.
## play a reviewer: the steps of docs/artifact-evaluation.md by the clock (two hours)
review:
	@start=$$SECONDS; make --no-print-directory setup; scripts/setup.sh paper; $(PY) scripts/review.py --setup-seconds $$((SECONDS - start)) $(ARGS)

## put the verdicts and minutes of our own runs into README and docs (seconds)
readme:
	@scripts/setup.sh base
	@$(PY) scripts/readme.py reference/laptop

## VERSION=1.0.0: archive, crates, metadata, images' digests and checksums in build/release
release:
	@scripts/setup.sh base
	@$(PY) scripts/release.py "$(VERSION)"

## install Apptainer if it can be, and build all images (tens of minutes)
images: .installed
	@scripts/setup.sh images
	@.venv/bin/snakemake --cores $(CORES) --sdm apptainer $(ARGS) -- images

## pin the newest Debian packages that this machine's mirror has for the images (minutes)
image-lock:
	@scripts/setup.sh run
	@$(PY) scripts/lock_images.py

# ARGS='--nodes 8' for more nodes, ARGS='-- sinfo' for one command instead of a shell.
## a SLURM of a login host and five nodes on this machine, and a shell in it (5 s)
cluster-shell:
	@scripts/setup.sh run slurm
	@$(PY) -m harness.slurm shell $(ARGS)

## cancel the jobs that this folder's Snakemakes have left in SLURM's queue (seconds)
cancel:
	@$(PY) scripts/cancel_jobs.py

# ARGS='--from laptop --watts 300 --nodes 16 --budget 200' for others.
## what the studies cost at scale paper and how long they take, from the runs of scale smoke (seconds)
costs: .installed
	@$(PY) scripts/costs.py $(ARGS)

## forget the runs that failed or timed out, so that the next reproduce runs them again (seconds)
retry: .installed
	@$(PY) scripts/forget_failed.py

# It needs no cluster and compiles nothing.
## set up what is missing, check style and types, run the unit tests (below 3 minutes)
check:
	@scripts/setup.sh run test
	@scripts/lint.sh quick
	@$(PY) -m pytest -q -n 2 -m unit $(ARGS) tests/unit

# Three workers (tests/conftest.py), since one waits for a SLURM and for emulated links; ARGS='-n 0' for none. Apptainer is
# installed if it can be; without it the tests that need it are skipped, and say so.
## set up what is missing, check style and types, run all tests but slow ones (tens of minutes)
test: CHOICE := -m 'not slow'
## the same with the slow ones: campaigns of faults, a whole run in images, Spack (hours)
test-all: CHOICE :=
test test-all:
	@scripts/setup.sh run test slurm paper
	@scripts/setup.sh images || echo "make $@: without Apptainer the tests of images are skipped"
	@[ -f build/hadoop/3.4.2/hadoop.json ] || $(PY) scripts/build_hadoop.py
	@scripts/lint.sh quick
	@$(PY) -m pytest -q -n 3 --durations=20 $(CHOICE) $(ARGS)

## all checks of style and types, clang-tidy among them (minutes)
lint:
	@scripts/lint.sh

## format Python, Snakemake, C++ and Java files (seconds)
format:
	@.venv/bin/ruff check --fix -q . && .venv/bin/ruff format -q . && .venv/bin/snakefmt Snakefile rules
	@.venv/bin/python scripts/java_format.py --write
	@find src/engine src/netsim src/throttle '(' -name '*.[ch]pp' -o -name '*.c' ')' -print0 | xargs -0 clang-format -i

## speed of the engine, DuckDB, Polars and sort as CPU ratios to a yardstick of one thread (minutes)
bench: .installed
	@$(PY) scripts/build_programs.py src/engine build/bench/engine.json --jobs $(CORES) --native --tool mpirun \
	  map-aggregate group-by-key reduce-by-key sort-records generate wordcount-yardstick sort-yardstick
	@$(PY) src/engine/bench/compare.py --bin build/bench/bin --output build/bench/words.csv $(ARGS)
	@$(PY) src/engine/bench/sorts.py --bin build/bench/bin --output build/bench/sorts.csv $(SORT_ARGS)
	@if ! command -v Rscript >/dev/null; then echo "bench: no figure: Rscript is not installed (Debian: r-base-core)"; else \
	  Rscript scripts/figures/draw.R scripts/figures/bench/speed.R --out build/bench/speed words=build/bench/words.csv \
	    sorts=build/bench/sorts.csv && echo "rounds in build/bench/words.csv and sorts.csv, drawn in build/bench/speed.svg"; fi

# Against ns-3 and ns-2 where they are installed (Debian: libns3-dev, ns2), and over sizes.
## speed of the simulator, against ns-3 and ns-2 where they are installed (minutes)
bench-netsim: .installed
	@$(PY) scripts/build_programs.py src/netsim build/netsim/netsim.json --jobs $(CORES) --portable netsim
	@cmake -S src/netsim/ns3 -B build/ns3 -G Ninja >/dev/null && cmake --build build/ns3 --parallel $(CORES) || \
	  echo "bench-netsim: ns-3 is left out: install libns3-dev to compare with it"
	@$(PY) src/netsim/bench/compare.py --netsim build/netsim/bin/netsim --ns3 build/ns3/bin/ns3-shuffle $(ARGS)

# Variants are those of src/hadoop/bench/variants.yaml; ARGS="--help" says what can be changed.
## speed of Hadoop's variants as ratios to stock, in turns on emulated hosts (tens of minutes)
bench-hadoop: .installed
	@$(PY) src/hadoop/bench/compare.py $(ARGS)

## write the JSON schemas of the configuration and docs/configure.md (seconds)
schema:
	@$(PY) scripts/schema.py config/schema docs/configure.md

## pin the newest Python packages that requirements.in allows; needs the program uv (seconds)
lock:
	@printf '%s\n' '# Every Python package, pinned and hashed. Made from requirements.in by `make lock`; do not edit by hand.' > requirements.lock.new
	@uv pip compile -q --generate-hashes --no-header --python-version 3.11 requirements.in >> requirements.lock.new
	@mv requirements.lock.new requirements.txt

## after a change of the programs: pin and pack their sources for Spack (seconds)
spack-sources:
	@$(PY) scripts/spack_sources.py --pin build/spack/mirror build/spack/sources.json

## delete what was built; results and data stay (seconds)
clean:
	@rm -rf build

## delete all results, after naming them and asking; FORCE=1 asks nothing (seconds)
clean-results:
	@scripts/clean_results.sh $(FORCE)
