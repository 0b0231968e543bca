# Every target works from a clean clone with nothing but Python 3.11 or newer: `.venv` is set up on
# first use and again when pyproject.toml or constraints.txt change. Pass options with ARGS="…".

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXTRAS := dev,docs,postgres,models,openai,anthropic,google,terminal,server,files,discord,slack,email,webhooks,pydantic-ai,openai-agents,mcp,langgraph,claude
PYTHONS := python3 python3.11 python3.12 python3.13 python3.14
# Values, rules and the life of a call. The rest waits for disks, processes, browsers or clients.
QUICK := tests/domain tests/engine tests/conformance tests/misuse tests/testing tests/typing \
	--ignore=tests/engine/test_loop_lag.py --ignore=tests/engine/test_overdue.py \
	--ignore=tests/engine/test_races.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo chat test quick check docs bench pictures constraints clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

install: $(STAMP)  ## Set up .venv with everything development needs

demo: $(STAMP)  ## Serve an agent here and decide what it may do; no key, no network; ARGS="--port 0"
	@$(BIN)/assent demo $(ARGS)

chat: $(STAMP)  ## Talk to the same agent here in the terminal; ARGS="--model openai:gpt-5"
	@$(BIN)/assent chat $(ARGS)

test: $(STAMP)  ## Run the tests; ARGS="-k name" or a path selects some
	@$(BIN)/pytest -n 4 --dist loadgroup $(ARGS)

quick: $(STAMP)  ## Run the tests of a minute: SQLite, no browser, no kills; ARGS="-k name"
	@$(BIN)/pytest -n 4 -q -m "not postgres and not slow" $(QUICK) $(ARGS)

check: $(STAMP)  ## Lint, formatting, types (with Node: also JavaScript's), and which layer imports which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.npm.typecheck

docs: $(STAMP)  ## Draw the packages and build the documentation in site/; dead links fail
	@$(BIN)/python -m tools.package_drawing
	@$(BIN)/zensical build --strict --clean

bench: $(STAMP)  ## Measure the engine and the stores
	@$(BIN)/python -m bench $(ARGS)

pictures: $(STAMP)  ## Take pictures of every screen; ARGS="FOLDER" outside of the repository
	@$(BIN)/python -m tests.browser.pictures $(ARGS)

constraints: $(STAMP)  ## Pin in constraints.txt what .venv holds now
	@$(BIN)/pip freeze --exclude-editable --exclude setuptools --exclude wheel \
		| grep -E '^[A-Za-z0-9._-]+==' > $(VENV)/constraints
	@mv $(VENV)/constraints constraints.txt && touch $(STAMP)
	@echo "constraints.txt: $$(wc -l < constraints.txt) packages"

clean:  ## Remove .venv, caches and build results
	@rm -rf $(VENV) build dist site .cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A name on PATH may be a shim without a Python behind it, so each candidate is run, not looked up.
$(BIN)/python:
	@for python in $(PYTHON) $(PYTHONS); do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Creating $(VENV) with $$($$python --version)"; \
			exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "No Python 3.11 or newer found; name one with: make PYTHON=/path/to/python" >&2; exit 1

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing assent[$(EXTRAS)] into $(VENV); the first time takes a minute or two"
	@$(BIN)/python -m pip install -q -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@
	@echo "Installed"
