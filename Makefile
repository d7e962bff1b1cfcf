# The two commands that matter are `make demo` and `make test`: they need Python 3.11 or newer and a package index.
# Stamps in .venv say what is installed there, so that a second run installs nothing.

VENV := .venv
BIN := $(VENV)/bin
NEWER := -c 'import sys; sys.exit(sys.version_info < (3, 11))'
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p $(NEWER) 2>/dev/null && echo $$p && break; done)
# torch is large: the neural extra comes only where the tests are told to require it
DEV := $(VENV)/.dev$(if $(findstring neural,$(RETINUE_REQUIRE)),-neural)

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --tier
unexport PYTHONDONTWRITEBYTECODE  # pytest rewrites its modules once and keeps them, which saves a third of a check

.PHONY: demo check test thorough lint bench serve docs clean
.PHONY: units

demo: $(VENV)/.base  ## the bundled Czech bank: what discovery finds without and with memory
	@$(BIN)/retinue demo

check: $(DEV)  ## at each save: lint, rules of the house, units, contracts in memory
	@$(MAKE) --no-print-directory --jobs=2 lint units

units: $(DEV)
	@$(PYTEST) check -p no:schemathesis

test: $(DEV)  ## before a push: every promise on each store, one line of Neo4j; what a machine lacks is skipped, and said
	@$(PYTEST) $(if $(RETINUE_REQUIRE),landing,test)

thorough: $(DEV)  ## all of it: thousands of histories, every planted fault, quality on shared data
	@$(PYTEST) thorough

lint: $(DEV)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV)  ## writes benchmarks/results.json and docs/performance.md
	$(BIN)/python -m benchmarks

serve: $(VENV)/.base  ## REST on the store of RETINUE_STORE
	@$(BIN)/retinue serve

docs: $(DEV)  ## recomputes what the README and docs/ quote from runs
	$(BIN)/python docs/recompute.py
	$(BIN)/python docs/studies/recompute.py --page
	$(BIN)/python docs/studies/retention.py --tables

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(VENV)/.base: extras :=
$(VENV)/.dev: extras := [dev]
$(VENV)/.dev-neural: extras := [dev,neural]
$(VENV)/.base $(VENV)/.dev $(VENV)/.dev-neural: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.$(extras)'
	@touch $@

$(BIN)/python:
	@$(or $(PYTHON),false) $(NEWER) || { echo 'Retinue needs Python 3.11 or newer: make PYTHON=... names one' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
