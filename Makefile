# SPDX-License-Identifier: BSD-3-Clause
# `make help` lists the targets. What is made lies in this folder (.venv, results, build) and ~/.cache/isochron;
# `make test` and `make test-full` install system packages too, where they may.

VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell command -v python3.11 || echo python3)
RESULTS ?= results
PYTEST_ARGS ?=
SECONDS ?= 7200
SELF := $(MAKE) # by another name, so that `make -n` starts nothing
SHELL_SCRIPTS = .ci/run workflows/schedules/isochron-campaign $(shell find scripts reframe_checks tests -name '*.sh')
WORDS = *.md docs isochron/common isochron/compat isochron/schemas isochron/cli isochron/stats workflows spack_envs reframe_checks postprocess \
	reports scripts tests container packaging .github
QUICK := not (process or mpi or simgrid or campaign or cluster or install or heavy or slow or alone or bench)

# Container images often set it: then each of the hundreds of processes that tests start compiles all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup dev system-packages demo quick test ready test-full soak bench lint docs pictures format lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup  ## run a real campaign over five MPI libraries, to a finished report
	$(BIN)/isochron run workflows/campaigns/demo.yaml --results $(RESULTS)

quick: dev  ## tests that start no process, in parallel: under a minute
	$(BIN)/pytest -m "$(QUICK)" -n auto --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)

test: ready  ## what a change must pass: real MPI, Slurm and SimGrid; ten minutes on two free cores
	@mkdir -p .cache; nice $(SELF) --no-print-directory lint >.cache/lint.log 2>&1 & lint=$$!; \
	$(BIN)/pytest -m "not slow and not bench" -n 2 --dist loadgroup --no-loadscope-reorder --durations=25 $(PYTEST_ARGS); tests=$$?; \
	wait $$lint; lint=$$?; cat .cache/lint.log; exit $$((tests + lint))

test-full: ready lint  ## every test, each night: two hours
	@scripts/install-system-packages.sh full
	@failed=0; \
	$(BIN)/pytest -m "not alone and not bench" -n 2 --dist loadgroup --no-loadscope-reorder --durations=25 $(PYTEST_ARGS) || failed=1; \
	$(BIN)/pytest -m alone $(PYTEST_ARGS) || failed=1; \
	exit $$failed

soak: dev  ## kills, full disks, broken files, lying libraries from SEED for SECONDS; FAULT=N repeats one
	$(BIN)/python -m tests.soak --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(FAULT),--fault $(FAULT))

bench: dev  ## benchmarks: figures as ratios taken in one run
	$(BIN)/python -m pytest tests/bench tests/cluster/test_queue.py -m bench -s $(PYTEST_ARGS)

lint: dev  ## ruff, mypy (strict), shellcheck, codespell, clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPY=$(BIN)/mypy scripts/type_check.sh
	$(BIN)/shellcheck --severity=warning $(SHELL_SCRIPTS)
	$(BIN)/codespell $(WORDS)
	@echo "clang-format of the engine"; find reframe_checks/engine workflows -name "*.[ch]" -exec $(BIN)/clang-format \
		--style=file:reframe_checks/engine/.clang-format --dry-run --Werror {} +

docs: dev  ## the documentation as a site, in build/site: broken links fail, and it works offline
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -c scripts/site . build/site
	@echo "build/site/index.html"

pictures: dev  ## take the pictures of the documentation anew, of the newest run of the demonstration
	$(BIN)/python scripts/take_pictures.py $(RESULTS)/demo/latest

format: dev  ## let ruff format the Python code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

setup: $(VENV)/.runtime  ## make the virtual environment with the pinned packages

dev: $(VENV)/.dev  ## the same, with what the tests need

system-packages:  ## install the system packages that some tests need, saying which (ISOCHRON_INSTALL=no: say only)
	@scripts/install-system-packages.sh test

# Both wait for the network, and each unpacks with one core: at the same time.
ready:
	@$(SELF) --no-print-directory -j2 dev system-packages

# Modules are compiled when they are first imported, which most never are: pip compiles all, which is half of its time.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# Half of the rest is waiting for the index: four calls of pip share the packages.
define install
@echo "installing the pinned packages of $(1) into $(VENV)"
@$(SELF) --no-print-directory -j4 $(addprefix packages-,0 1 2 3) LOCK=$(1)
@$(PIP) --no-deps --no-build-isolation --editable .
endef

packages-%:
	@awk '/^[^ #]/ {number++} number % 4 == $*' $(LOCK) >$(VENV)/$@
	@$(PIP) --no-deps --require-hashes -r $(VENV)/$@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { echo "make: $(PYTHON) cannot make a virtual environment; install Python 3.11 or later (with venv), or say which: make PYTHON=python3.12" >&2; exit 1; }

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(call install,$<)
	@touch $@

# requirements-dev.lock has the packages of requirements.lock, too: one call of pip installs both.
$(VENV)/.dev: requirements-dev.lock requirements.lock pyproject.toml | $(VENV)/bin/python
	$(call install,$<)
	@touch $(VENV)/.runtime $@

lock:  ## pin the newest packages that pyproject.toml allows (needs uv)
	uv pip compile --quiet --generate-hashes --python-version 3.11 --extra build -o requirements.lock pyproject.toml
	uv pip compile --quiet --generate-hashes --python-version 3.11 --extra build --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml

clean:  ## remove what make made, results excepted
	rm -rf $(VENV) .cache build *.egg-info .mypy_cache .ruff_cache .pytest_cache
