# lab | test | quick | check | format | lessons | site | scripts | bench.  `make lab PORT=8899` and `make lab PYTHON=/path/to/python3.12` choose another.
PY = .venv/bin/python
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	$$p -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$p; break; }; done)
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
TOO_OLD = attnlab needs Python 3.11 or newer: install it (python.org has it), or name it: PYTHON=/path/to/python3.12
NO_VENV = This Python makes no virtual environments: install its venv module (Debian, Ubuntu: apt-get install python3-venv).
UNFINISHED = The installation did not finish, see above. It needs a network; make goes on where it stopped.
PORT_FREE = import socket, sys; port = "$(PORT)" or "0"; \
	port.isdigit() and int(port) < 65536 or sys.exit("PORT=$(PORT): expected a number below 65536."); \
	taken = socket.socket().connect_ex(("localhost", int(port))) == 0; \
	sys.exit("Port $(PORT) is taken: choose another, or leave PORT out and a free one is found." if taken else 0)
ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)
export OMP_NUM_THREADS ?= 1

.PHONY: lab test quick check format lessons site bench scripts check-scripts

lab: .venv/lab
	@$(PY) -c '$(PORT_FREE)'
	$(PY) -m jupyterlab $(ROOT) $(if $(PORT),--port=$(PORT)) --LabApp.default_url=/lab/tree/lessons/00_start_here.ipynb

test: check
	$(PY) -m pytest tests lessons --nbval --nbval-current-env -n 2 --no-loadscope-reorder

# Everything but the lessons and the browser.
quick: .venv/test
	$(PY) -m pytest tests --ignore=tests/browser -n 2 --no-loadscope-reorder

# Style and types, notebooks that are what their sources give, and the views' scripts.
check: .venv/test check-scripts
	$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy && $(PY) -m lessons.build --check

# Sets the form of Python and, with node, of the scripts.
format: .venv/test
	$(PY) -m ruff format .
	@if [ -x node_modules/.bin/prettier ]; then npm run --silent format; fi

lessons: .venv/test
	$(PY) -m lessons.build

# All lessons as pages that need no kernel, in the folder SITE: each lesson runs once. With node, charts come four times lighter;
# with Chromium, a phone keeps free what each view takes there.
SITE ?= build/site
site: .venv/test
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.installed; fi
	$(PY) -m lessons.site "$(SITE)"
	@echo "To look at it: $(PY) -m http.server -d $(SITE)"

bench: .venv/test
	$(PY) -m benchmarks

# The scripts of the views: for authors, with node. Nobody who only runs lessons needs either.
scripts: node_modules/.installed
	node widgets/build.js

check-scripts:
	@if command -v npm >/dev/null && $(MAKE) --no-print-directory node_modules/.installed; then npm run --silent check; \
	else echo "Left out, for node or its packages are missing: style, types and tests of the scripts, and whether their bundles are up to date."; fi

node_modules/.installed: package.json package-lock.json
	@command -v npm >/dev/null || { echo "The scripts need node and its npm: nodejs.org, or apt-get install nodejs npm."; exit 1; }
	npm ci --silent && touch $@

# An installation is made once, and again when one of these files changes.
.venv/lab .venv/test: pyproject.toml constraints.txt $(wildcard etc/jupyter/*.json etc/jupyter/*/*.json)
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null || { echo "$(TOO_OLD)"; exit 1; }
	@"$(PYTHON)" -m venv .venv || { echo "$(NO_VENV)"; exit 1; }
	@$(PY) -m pip install -c constraints.txt -e '.$(if $(filter %test,$@),[test])' || { echo "$(UNFINISHED)"; exit 1; }
	@touch .venv/lab $@
