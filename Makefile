# Virtual environments: .venv has what rushlight needs and the tools, .oracle has PyTorch too, .ecosystem has libraries that
# were written for PyTorch, without it.
# A stamp in each says that it holds what pyproject.toml asks for, so only the first run waits for pip.

PYTHON ?= python3
PIP = -m pip install --quiet --disable-pip-version-check
# Built anew by pip when one of these changes; without a compiler pip leaves the kernels out, and NumPy's do it all.
KERNEL_SOURCES = setup.py $(wildcard src/rushlight/kernels/native/*)
JOBS ?= auto

# Bytecode is kept whatever the environment says: tests start 150 processes, which would each compile the package anew.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := demo

.PHONY: help demo test trust xla sanitize browser lint stubs format conformance fuzz watched faults files guided arguments depth matrix bench bench-guard ecosystem ecosystem-record dist wheels clean

help:  ## what make can do
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1: \2/p' $(MAKEFILE_LIST)

demo: .venv/installed  ## run examples/backward.py, and write a page of what backward did in it
	.venv/bin/python -m rushlight explain -o backward.explain.html examples/backward.py
	@echo "What backward did in it: backward.explain.html, a page for your browser"

# KERNELS=numpy leaves the compiled kernels alone, in the tests and not in the environments, which are built with them.
KERNELS ?= $(RUSHLIGHT_KERNELS)

# One thread for each of the processes that run tests side by side: threads that wait for one another take a third longer. Tests
# of threads ask for their own.
test: .venv/tools  ## unit tests and every example in docstrings and docs
	RUSHLIGHT_KERNELS=$(KERNELS) OMP_NUM_THREADS=1 .venv/bin/python -m pytest -q -n $(JOBS) --doctest-modules --doctest-glob='*.md' \
		--dist worksteal --ignore=tests/conformance --ignore=tests/xla --ignore=tests/onnx --ignore=tests/explain/test_browser.py \
		--ignore=tests/trust --ignore=tests/typing tests src $(wildcard docs) README.md README.zh.md

# Apart from the tests: most begin processes, interrupt or kill them and wait, half a minute that few changes have to do with.
trust: .venv/tools  ## what goes wrong from outside: interrupts, full disks, killed processes, wrong arguments, spoiled files
	RUSHLIGHT_KERNELS=$(KERNELS) OMP_NUM_THREADS=1 .venv/bin/python -m pytest -q -n $(JOBS) --dist worksteal tests/trust

xla: .xla/installed  ## what torch.compile computes with XLA, where JAX (350 MB) is installed, and what ONNX's runtime makes of exported models
	OMP_NUM_THREADS=1 .xla/bin/python -m pytest -q tests/xla tests/compiled tests/onnx

# Both side by side, three to four minutes on two quiet processors.
sanitize: .venv/tools  ## the compiled kernels built with sanitizers, and their tests run under them
	.venv/bin/python tools/sanitize.py

# Every step of eight pages in Chromium, in both languages, dark and light, on a phone's width: minutes, so apart from the tests.
browser: .venv/tools  ## the pages of explain in Chromium
	OMP_NUM_THREADS=1 .venv/bin/python -m pytest -q -n $(JOBS) tests/explain/test_browser.py

lint: .venv/tools  ## ruff, mypy, what type checkers and editors make of the stubs, import contracts and the ratchet
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/mypy --cache-dir .mypy_cache/stubs --strict --disable-error-code override --disable-error-code misc src/rushlight-stubs
	.venv/bin/python tools/stubs.py --check
	OMP_NUM_THREADS=1 .venv/bin/python -m pytest -q -n $(JOBS) tests/typing
	.venv/bin/lint-imports
	.venv/bin/python tools/ratchet.py

stubs: .venv/tools  ## write what type checkers and editors read, src/rushlight-stubs, anew
	.venv/bin/python tools/stubs.py

format: .venv/tools  ## mend what ruff can mend
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# One thread on both sides, as above; PyTorch's take twice the time.
conformance: .oracle/installed  ## hold rushlight against PyTorch
	RUSHLIGHT_KERNELS=$(KERNELS) OMP_NUM_THREADS=1 .oracle/bin/python -m pytest -q -n $(JOBS) --dist worksteal tests/conformance

# Fresh random programs, from SEED on: differences by cause, each with a short program.
COUNT ?= 5000
SEED ?= $(shell date +%s)
FUZZ_JOBS ?= 2
fuzz: .oracle/installed  ## fresh random programs, COUNT of them from SEED on
	OMP_NUM_THREADS=1 .oracle/bin/python tests/conformance/random_programs.py --vocabulary mixed --count $(COUNT) \
		--seed $(SEED) --jobs $(FUZZ_JOBS) --causes 200 --only-numbers

watched: .oracle/installed  ## random programs while somebody looks on, COUNT of them from SEED on: what they hold stays as it was
	.oracle/bin/python $(PIP) coverage
	OMP_NUM_THREADS=1 PYTHONPATH=tests:tests/trust .oracle/bin/python -X dev tests/conformance/watched_programs.py \
		--count $(COUNT) --seed $(SEED)

# What goes wrong from outside: docs/reliability.md says what each has shown. COUNT and SEED as above.
faults: .venv/tools  ## Ctrl-C at 2,000 random moments, 20,000 steps, eight threads for five minutes
	.venv/bin/python tests/trust/faults.py --count 2000 --steps 20000 --threads 300 --seed $(SEED)

files: .venv/tools  ## COUNT spoiled files
	.venv/bin/python tests/trust/files.py --count $(COUNT) --seed $(SEED)

guided: .venv/tools  ## spoiled files that atheris finds by what code they reach, for SECONDS
	.venv/bin/python $(PIP) atheris
	.venv/bin/python tests/trust/guided.py build/guided -max_total_time=$(or $(SECONDS),3600)

CALLS ?= 6
arguments: .oracle/installed  ## CALLS of every public function and method with arguments that do not fit, as PyTorch takes them
	OMP_NUM_THREADS=1 .oracle/bin/python tests/trust/arguments.py --oracle --count $(CALLS) --seed $(SEED)

depth: .venv/tools  ## what an op takes in chains of up to 10,000,000
	OMP_NUM_THREADS=1 .venv/bin/python tests/trust/depth.py --largest 7

matrix: .venv/tools  ## the tests of the engine on the interpreters, NumPys and settings that are there
	.venv/bin/python tests/trust/matrix.py

bench: .oracle/installed  ## time rushlight and PyTorch side by side
	.oracle/bin/python bench/run.py
	.oracle/bin/python bench/run.py --models
	.oracle/bin/python bench/idioms.py
	.oracle/bin/python bench/convolution.py
	.oracle/bin/python bench/floors.py
	.oracle/bin/python bench/growth.py
	.oracle/bin/python bench/overhead.py
	.oracle/bin/python bench/beside.py

bench-guard: .oracle/installed  ## a minute of it, with bounds
	.oracle/bin/python bench/guard.py

# GROUP=science does one of the three; each has an environment of its own.
GROUP ?= training networks science

ecosystem: $(GROUP:%=.ecosystem/%/installed)  ## libraries written for PyTorch, on rushlight
	for group in $(GROUP); do .ecosystem/$$group/bin/python ecosystem/run.py --group $$group || exit 1; done

# What the programs print on PyTorch; needed again when a program or a library's version changes.
ecosystem-record: .oracle/installed  ## what they print on PyTorch, written anew
	for group in $(GROUP); do .oracle/bin/python $(PIP) -r ecosystem/$$group.txt || exit 1; \
		.oracle/bin/python ecosystem/built_for_cuda.py || exit 1; \
		.oracle/bin/python ecosystem/run.py --record --group $$group || exit 1; done

dist: .venv/tools  ## build the wheel and the source archive
	rm -rf dist
	.venv/bin/python -m build --outdir dist .

# In containers, one for each kind of Linux (Docker or Podman); on macOS for both its processors.
wheels: .venv/tools  ## build the wheels of this platform, with the compiled kernels
	.venv/bin/python $(PIP) cibuildwheel
	.venv/bin/python -m cibuildwheel --output-dir dist .

clean:  ## remove environments and builds
	rm -rf .venv .oracle .ecosystem .xla build dist src/*.egg-info

.venv/installed: pyproject.toml $(KERNEL_SOURCES)
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) --editable .
	touch $@

.venv/tools: pyproject.toml $(KERNEL_SOURCES)
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) --editable '.[dev,examples,scipy]'
	.venv/bin/python -m compileall -q -j 0 src  # once, and not by each of the processes that run tests
	touch .venv/installed $@

.oracle/installed: pyproject.toml $(KERNEL_SOURCES)
	$(PYTHON) -m venv .oracle
	.oracle/bin/python $(PIP) --editable '.[test,examples,oracle]'
	touch $@

.xla/installed: pyproject.toml $(KERNEL_SOURCES)
	$(PYTHON) -m venv .xla
	.xla/bin/python $(PIP) --editable '.[test,examples,xla,onnx]' onnxruntime
	touch $@

# install-torch comes first, so that pip takes PyTorch for installed; its version is asked for by name, or pip looks for a newer one.
.ecosystem/%/installed: pyproject.toml $(KERNEL_SOURCES) ecosystem/%.txt
	$(PYTHON) -m venv .ecosystem/$*
	.ecosystem/$*/bin/python $(PIP) --editable .
	.ecosystem/$*/bin/rushlight install-torch
	.ecosystem/$*/bin/python $(PIP) -r ecosystem/$*.txt \
		torch==$$(.ecosystem/$*/bin/python -c 'from importlib.metadata import version; print(version("torch"))')
	touch $@
