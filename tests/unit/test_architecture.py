"""The arrows of the house: who may import whom, and what start-up may not load."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter, defaultdict
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import house

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "dif": {"dif"},
    "dof": {"dof", "dif"},
    "dc": {"dc", "dof", "dif"},
    "runtime": {"runtime", "dc", "dof", "dif"},
}


# Names of files that say enough where they stand, though there are three or more of them.
# (Each processor has its engine, its registers and so on.)
BASENAMES = frozenset({"command.py", "engine.py", "faults.py", "options.py", "processor.py", "registers.py",
                       "sigframe.py", "system.py", "unwind.py"})
# One name and one value in several files: with a meaning of its own in each, or, at the end, in packages of
# which neither may know the other (dof and the kernel; the framework and the kernel it observes).
HOMONYMS = frozenset({"CALL", "CAPACITY", "CARRY", "LONGEST", "LOWEST", "READ", "SIZE", "SLOT", "WRITE",
                      "O0", "O7", "PAGE"})
# Values that mean one thing wherever they stand, and the names under which they mean another.
MEANINGS = {10**9: {"SECOND"}, (1 << 64) - 1: {"MASK", "RLIM_INFINITY"}}


def imports(package: str) -> list[tuple[str, house.Import]]:
    """What the modules below a package import, each with the module that does."""
    return [(name, each) for name in house.modules() if f"{name}.".startswith(f"{package}.")
            for each in house.source(name).imports]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_go_one_way(package: str) -> None:
    """Data files of another package that are opened by path count, too."""
    wrong = [arrow for arrow in house.arrows()
             if arrow.source.partition(".")[0] == package
             and arrow.target.partition(".")[0] not in MAY_IMPORT[package]]
    assert wrong == []


def test_no_files_import_each_other() -> None:
    """Imports inside functions count."""
    assert house.circles((each.source, each.target) for each in house.arrows() if not each.typing) == []


def test_no_circle_of_types_leaves_its_room() -> None:
    """What is imported for a type checker alone may make a circle of files of one directory at most."""
    circles = house.circles((each.source, each.target) for each in house.arrows())
    assert [circle for circle in circles if len({house.room(name) for name in circle}) > 1] == []


def test_circles_are_found() -> None:
    assert house.circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "d")]) == [["a", "b", "c"]]
    assert house.circles([("a", "b"), ("b", "c"), ("a", "c")]) == []


def test_an_opening_page_is_a_page() -> None:
    """A room's __init__.py is a docstring, and nothing else, which would have to be loaded."""
    for name, path in house.modules().items():
        if path.name == "__init__.py":
            assert house.source(name).docstring, f"{path} does not say what the room is for"
            assert house.source(name).statements == 1, f"{path} holds more than its docstring"


def test_names_of_files_tell_them_apart() -> None:
    counts = Counter(path.name for path in house.modules().values())
    often = {name for name, count in counts.items() if count > 2 and not name.startswith("__")}
    assert often - BASENAMES == set()


def test_every_number_has_one_place() -> None:
    """A constant of one name and one value stands in one file."""
    places: dict[tuple[str, float], set[str]] = defaultdict(set)
    for constant in house.constants():
        places[constant.name, constant.value].add(constant.module)
    several = {name: sorted(where) for (name, _), where in places.items() if len(where) > 1}
    assert {name: where for name, where in several.items() if name not in HOMONYMS} == {}


def test_telling_values_have_one_name() -> None:
    other = [each for each in house.constants() if each.name not in MEANINGS.get(each.value, {each.name})]
    assert other == []


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_private_name_is_imported(package: str) -> None:
    for importer, each in imports(package):
        if each.module.partition(".")[0] in MAY_IMPORT:
            private = each.name.startswith("_") and not each.name.startswith("__")
            assert not private, f"{importer} imports {each.name} of {each.module}"


def test_the_kernel_knows_nothing_of_dtrace() -> None:
    for importer, each in imports("runtime.kernel"):
        assert not each.module.startswith(("runtime.framework", "runtime.providers", "runtime.consumer",
                                           "runtime.border", "dof")), f"{importer} imports {each.module}"


def test_compiling_loads_no_engine() -> None:
    script = ROOT / "tests" / "demo" / "trace.d"
    code = ("import sys; from dc.command import main\n"
            f"try: main(['-o', '/dev/null', {str(script)!r}])\n"
            "except SystemExit as stop: assert not stop.code, stop.code\n"
            "print(sorted({'unicorn', 'llvmlite', 'capstone', 'numpy'} & set(sys.modules)))")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT,
                            check=False)
    assert (result.returncode, result.stdout.strip()) == (0, "[]"), result.stderr


def test_every_module_can_be_imported() -> None:
    """What is there for the type checker alone is not imported at run time; mypy would not notice."""
    skipped = "runtime.command.__main__"  # runs the command
    names = [name for name in house.modules() if name != skipped]
    code = f"import importlib\nfor name in {names!r}: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_globs_have_one_meaning() -> None:
    """Probe descriptions match as dof.globs says: the standard library's fnmatch quotes nothing."""
    for package in MAY_IMPORT:
        assert [importer for importer, each in imports(package) if each.module == "fnmatch"] == []


def test_modules_are_loaded_as_they_are() -> None:
    """Pytest rewrites the assertions of none of ours: it would do so in each process anew."""
    for package in house.PACKAGES:
        assert isinstance(importlib.import_module(package).__loader__, SourceFileLoader)
