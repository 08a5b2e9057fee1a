# Every target sets up what it needs in .venv and says what it is doing. Nothing has to be installed by hand but
# Python 3.11 or newer and make.
#
#   PYTHON=python3.12     the interpreter to build .venv with (default: the first of 3.11 to 3.14 that works)
#   TORCH_INDEX=URL       where to look for torch besides PyPI; see constraints.txt for the CPU build on Linux

PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
    $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
TORCH_INDEX ?=
FULL ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# One thread each for two workers: faster than two threads fighting over small matrices.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q
say = @echo "==> $(1)" >&2

.DEFAULT_GOAL := help
.PHONY: help demo explore test test-long check gates model bench book notebooks web clean

help:  ## List what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | \
	    while IFS="$$(printf '\t')" read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done

demo: .venv/.serve-is-installed  ## Train an English-to-Hindi translator from nothing and look inside it
	$(call say,training an English-to-Hindi translator from nothing)
	@$(BIN)/glassformer demo

explore: .venv/.serve-is-installed  ## Open a page that looks inside a model
	@$(BIN)/glassformer explore

check: gates  ## Format, lint, types and the fast tests (under two minutes)
	$(call say,running the fast tests)
	@$(PYTEST) -m "not slow and not long"

test: gates $(if $(shell command -v npm),web/node_modules/.package-lock.json)  ## Everything CI runs: the gates, then the fast and the slow tests
	$(call say,running the fast and the slow tests)
	@$(PYTEST) -m "not long"

test-long: .venv/.dev-is-installed  ## Soaks and trainings: before an issue is closed
	$(call say,running the long tests)
	@$(PYTEST) -m long

gates: .venv/.dev-is-installed
	$(call say,checking format and lint)
	@$(BIN)/ruff format --check --quiet . || { echo "run $(BIN)/ruff format . to mend it" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	$(call say,checking types)
	@$(BIN)/mypy --no-error-summary

model: .venv/.runtime-is-installed  ## Train the model that ships in the package anew
	$(call say,training the demo and packing its model)
	@$(BIN)/glassformer demo --out build/demo
	@$(BIN)/python -m glassformer.data.demo.package_model build/demo

# One job after the other, all of them, so that one that fails hides none; then the exit code tells.
bench: .venv/.bench-is-installed  ## Measure speed, side by side with peers (FULL=--full: longer)
	@failed=; for job in "training.py $(FULL)" "decoding.py $(FULL)" "growth.py $(FULL)" "first_step.py $(FULL)" \
	    "attention_kernels.py --rounds 5" "prepare_memory.py --pairs 100000" "server_load.py --seconds 20" \
	    "chart.py --out runs/bench-speed"; do \
	    echo "==> benchmarks/$$job" >&2; $(BIN)/python benchmarks/$$job || failed="$$failed $${job%% *}"; done; \
	echo "==> runs/bench-training.json, -decoding, -growth, -first-step: the numbers of the tables above;" \
	    "runs/bench-speed.svg and .png: training and decoding as a chart. The other jobs only print." >&2; \
	test -z "$$failed" || { echo "make bench: failed:$$failed (a file above may be of an earlier run)" >&2; exit 1; }

book: .venv/.book-is-installed  ## Build the course, the guide and the reference as a site
	$(call say,building the book)
	@$(BIN)/python book/build.py

notebooks: .venv/.runtime-is-installed  ## Write every stage of the course as a notebook
	$(call say,writing the notebooks)
	@$(BIN)/python book/notebooks.py

web: web/node_modules/.package-lock.json  ## Build the explorer's page into the package (needs Node 20.19 or newer)
	$(call say,building the explorer)
	@cd web && npm run --silent check && npm run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	$(call say,installing the page's tools into web/node_modules)
	@# Not npm ci: that refuses a lock file without the entries of other machines' optional packages.
	@cd web && npm install --no-save --silent --no-fund --no-audit
	@touch $@

clean:  ## Remove the virtual environment and what the tools left behind
	$(call say,removing .venv and caches)
	@rm -rf .venv web/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# torch in a call of its own, before anything that depends on it: so that no other package can pull the several GB of
# CUDA that a bare `torch` means on Linux.
.venv/.runtime-is-installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "make: no working Python 3.11 or newer with venv was found. Install one (Debian:" \
	    "apt-get install python3 python3-venv), or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "==> creating .venv with $(PYTHON)" >&2; $(PYTHON) -m venv .venv; }
	$(call say,installing torch into .venv)
	@$(PIP) install --quiet -c constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch
	$(call say,installing glassformer into .venv)
	@$(PIP) install --quiet -c constraints.txt -e .
	@touch $@

.venv/.%-is-installed: .venv/.runtime-is-installed
	$(call say,installing the $* tools into .venv)
	@$(PIP) install --quiet -c constraints.txt -e '.[$*]'
	@touch $@
