# Two commands on a fresh clone: `make demo` and `make test`. Both need only python3 (3.11 or newer) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FULL ?=
ONLY ?=
# Benchmarks of accuracy and of sameness, which take hours: run when they are named.
STUDIES := grouping kte_or_glove measures partition same spans twins
BENCHES := $(filter-out $(STUDIES:%=benchmarks/%.py),$(sort $(wildcard benchmarks/*.py)))
TIMES ?= 10

.PHONY: demo java chromium test fuzz accept bench docs pictures lint clean

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Shoal needs Python 3.11 or newer"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev --editable .
	@touch $@

demo: $(VENV)/.ready  ## the whole job on synthetic people
	rm -rf shoal-demo
	$(BIN)/shoal demo --out shoal-demo

java:  ## the engine on Spark is tested where there is Java; Debian has it
	@command -v java >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install -qq -y openjdk-17-jre-headless >/dev/null; } \
		|| echo "no Java: the tests of the engine on Spark (tests/engines/test_spark.py) will be skipped"

test: $(VENV)/.ready lint java chromium  ## everything that CI runs
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

bench: $(VENV)/.ready  ## tables of speed, and all of them in one at the end; FULL=1 for the long ones, ONLY="read same" for some
	@rm -f build/bench.jsonl
	@for script in $(if $(ONLY),$(ONLY:%=benchmarks/%.py),$(BENCHES)); do echo "== $$script"; $(BIN)/python $$script $(if $(FULL),--full) || exit 1; done
	@$(BIN)/python benchmarks/figures/show.py

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group docs
	@touch $@

docs: $(VENV)/.docs  ## what of the docs is made: tables that follow from declarations, pictures; the site, in build/site
	$(BIN)/python docs/tables.py
	$(MAKE) pictures
	$(BIN)/python docs/site/build.py

pictures: $(VENV)/.ready  ## pictures of the docs, drawn from synthetic people
	$(BIN)/python docs/pictures.py

chromium:  # opens the pages in tests/browser; Debian's own, where it may be installed
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& { apt-get install --yes --quiet chromium || { apt-get update --quiet && apt-get install --yes --quiet chromium; }; }; } \
		|| echo "no chromium, and it may not be installed here: tests/browser cannot run"

clean:
	rm -rf $(VENV) shoal-demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
