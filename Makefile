# Every target sets up what it needs: a virtual environment in .venv, dependencies by name.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DRAWS ?= polyroc

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench coverage gallery clean

help: ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): pyproject.toml
	@echo "Setting up .venv (once; a minute or two) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## three classifiers on iris: every measure with its error bar
	@$(BIN)/polyroc demo

test: $(READY) ## all tests and docstring examples
	@$(BIN)/python -m pytest -n auto --hypothesis-profile=$(DRAWS)

lint: $(READY) ## ruff, mypy --strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY) ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(READY) ## one table of ratios against peers and numpy.sort
	@$(BIN)/python benchmarks/run.py

coverage: $(READY) ## coverage of the intervals and size of the tests, by simulation (a quarter of an hour)
	@$(BIN)/python docs/coverage_study/run.py

gallery: $(READY) ## the pictures of docs/gallery.md anew, from examples/
	@$(BIN)/python docs/make_gallery.py

clean: ## remove what was made
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
