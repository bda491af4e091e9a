# Two commands do everything: `make demo` and `make test`.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Tests run on this many processes: one more than two processors, as some tests wait.  A file's tests run on
# one of them, so that what they have in common is made once.
JOBS   ?= 3

# Python 3.11 reads the paths of an installation as the locale's text: under LC_ALL=C those with other
# than ASCII letters are none.
export LC_ALL := C.UTF-8
# What Python has compiled, it keeps: else each process of the tests compiles them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test lint compilers check check-public golden manual examples registration clean

setup: $(VENV)/.ready

# The stamp depends on pyproject.toml only: sources are installed editable, and compiled once, so that
# even the first command starts quickly.  So do all with the scripts of a new pip: those of the pip that
# Python brings load the module re, which takes a tenth of what dc takes.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; say 'make PYTHON=/path/to/python3.11'" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(BIN)/python -m compileall -q dif dof dc runtime
	@touch $@

demo: setup
	@PATH="$(abspath $(BIN)):$$PATH" sh tests/demo/run.sh build/demo

# mypy takes one processor: the smallest part of the tests runs beside it.
test: setup
	$(MAKE) -j2 --output-sync=target lint check-public
	$(MAKE) check

lint: setup
	$(BIN)/ruff check .
	$(BIN)/mypy

# Where the system has no compiler for a machine zig stands in, which builds its C library before it is used.
compilers: setup
	@$(BIN)/python tests/programs/compilers.py

# `make check STANDARD_CLASSES=1` has the standard library make records and named tuples (dif/records.py);
# `make check PUBLIC_ENGINE=1` has programs run on Unicorn's public interface (runtime/kernel/cpu);
# `make check TESTS=tests/unit/dc` runs a part.
check: setup compilers
	PATH="$(abspath $(BIN)):$$PATH" DTRACE_STANDARD_CLASSES=$(STANDARD_CLASSES) \
	  DTRACE_PUBLIC_ENGINE=$(PUBLIC_ENGINE) \
	  $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(TESTS)

# The kernel's part, as far as it is quick, once more with programs on Unicorn's public interface.
check-public: setup
	$(MAKE) check PUBLIC_ENGINE=1 TESTS="tests/unit/kernel/test_memory.py tests/unit/kernel/test_core.py \
	  tests/unit/kernel/test_agent.py tests/unit/kernel/test_block.py tests/unit/kernel/test_programs.py \
	  tests/unit/kernel/test_arm64.py tests/unit/providers/fasttrap/test_arm64.py::test_every_instruction \
	  tests/unit/providers/fasttrap/test_debugger.py::test_breakpoint[0-4-5-None-every] \
	  -k 'not cputimers and not numbers and not native_run_of_x86 and not endless and not limit_of_cpu and \
	  not tar and not python3 and not hog and not calls and not terminals and not make and not answers and \
	  not edges and not sparse and not queues and not signalled and not packetinfo and not resets'"

# What the compiler makes of the programs of tests/golden, and -G of small objects, and a tracer of
# single instructions, and what commands write and hops say, all written anew: read the diff.
golden: setup
	$(BIN)/python tests/golden/test_golden.py
	$(BIN)/python tests/unit/dc/test_shapes.py
	$(BIN)/python tests/unit/dc/test_page.py
	$(BIN)/python tests/unit/dc/test_forms.py
	$(BIN)/python tests/unit/dc/test_places.py
	$(BIN)/python tests/unit/dc/test_options.py
	TZ=UTC $(BIN)/python tests/unit/consumer/test_listings.py
	$(BIN)/python tests/unit/dof/test_whole.py
	$(BIN)/python tests/unit/dof/usdt/test_generated.py
	$(BIN)/python tests/unit/providers/fasttrap/test_plans.py
	$(BIN)/python tests/unit/runtime/test_calls.py
	$(BIN)/python tests/unit/transcripts/test_transcripts.py
	$(BIN)/python tests/unit/instances/test_dialogues.py
	$(BIN)/python tests/unit/languageserver/test_everywhere.py
	$(BIN)/python tests/unit/manual/test_told.py

# The manual: build/manual/html/index.html, the man pages, which are installed with the package, and the
# grammar of D for editors.
manual: setup
	$(BIN)/python -m runtime.manual.textmate
	$(BIN)/python -m runtime.manual.site build/manual

# What the examples of the manual print, written anew: read the diff.  `make examples PAGES=dc/types` writes one page.
examples: setup
	$(BIN)/python -m runtime.manual.examples $(PAGES)

# The objects that `dtrace -G` puts into programs, compiled anew where there is a compiler for them.
registration: setup
	$(BIN)/python -m dof.usdt.registration.build

clean:
	rm -rf build $(VENV) *.egg-info
