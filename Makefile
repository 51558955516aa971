# `make test` on a machine with only Python 3.11 or newer does all the set-up, in .venv.

# The first Python that runs, is new enough, and can make an environment.
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
  $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && echo $$python && break; done)
BIN := .venv/bin
READY := .venv/.ready
WORKERS ?= 2
TESTS ?= tests
EXAMPLES ?= 2000
FAST := unit golden laws contract

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes; without byte code each compiles all that it imports, for 3 s.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast laws check bench lock clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 12

demo: $(READY) ## A lake made, read, travelled through, and opened by stock DuckDB
	$(BIN)/quacklake demo

test: $(READY) ## The whole suite
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(TESTS)

test-fast: $(READY) ## What takes seconds, within 3 minutes
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" $(wildcard $(addprefix tests/,$(FAST)))

laws: $(READY) ## The laws on EXAMPLES random examples each; takes hours
	QUACKLAKE_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --timeout 0 tests/laws

check: $(READY) ## Everything that reads the code instead of running it
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	for tool in tools/check_*.py; do $(BIN)/python $$tool || exit 1; done

bench: $(READY) ## Ratios against DuckDB's own extension, measured in one run
	for script in bench/bench_*.py; do $(BIN)/python $$script || exit 1; done

lock: ## Renew requirements.lock; needs uv
	uv pip compile --universal --all-extras --group dev --group bench pyproject.toml \
	  --generate-hashes --no-emit-index-url -o requirements.lock --quiet

clean: ## Forget the environment and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The stamp is newer than what it was made from, so a second call costs nothing.
$(READY): requirements.lock pyproject.toml
	@test -x $(BIN)/python || test -n "$(PYTHON)" \
	  || { echo "no Python 3.11 or newer with venv and ensurepip was found" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@
