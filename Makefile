# Two commands on a fresh clone: `make demo` and `make test`. Both need only python3 (3.11 or newer) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FULL ?=
TIMES ?= 10

.PHONY: demo test fuzz accept bench docs lint clean

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Shoal needs Python 3.11 or newer"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev --editable .
	@touch $@

demo: $(VENV)/.ready  ## the whole job on synthetic people
	rm -rf shoal-demo
	$(BIN)/shoal demo --out shoal-demo

test: $(VENV)/.ready lint  ## everything that CI runs
	$(BIN)/python -m pytest -n auto --dist loadfile

fuzz: $(VENV)/.ready  ## the property tests with new random cases, TIMES times
	@for _ in $$(seq $(TIMES)); do \
		$(BIN)/python -m pytest -q -n auto --dist loadfile -m "hypothesis and not accept" --hypothesis-profile fuzz || exit 1; \
	done

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

accept: $(VENV)/.ready  ## the full-size checks; hours
	$(BIN)/python -m pytest -m accept -n 0 -s

bench: $(VENV)/.ready  ## short tables; FULL=1 for the long ones
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script $(if $(FULL),--full) || exit 1; done

docs: $(VENV)/.ready  ## what of the docs is made: tables that follow from declarations, pictures
	$(BIN)/python docs/tables.py
	$(BIN)/python docs/pictures.py

clean:
	rm -rf $(VENV) shoal-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
