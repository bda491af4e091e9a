"""The recipes of the manual (dof/manual/building.md): tests/large/building with each build system.

meson, ninja and cmake come with the `test` extra.  Autotools are of no package index: without autoconf,
automake and libtool of the system that one recipe is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import compilers
import pytest

from runtime.manual.pages import ROOT

EXAMPLES = Path(ROOT, "tests", "large", "building")
BIN = Path(sys.executable).parent
SCRIPT = ('shop$target:::sale { printf("%d %s\\n", arg0, copyinstr(arg1)); }'
          'stock$target:::taken { printf("%s in %s: %d\\n", copyinstr(arg0), probemod, arg1); }')
RECIPES = {
    "make": (["make"], ["make"], "Nothing to be done", "."),
    "cmake": (["cmake -S . -B build -G Ninja", "cmake --build build"], ["cmake --build build"],
              "no work to do", "build"),
    "cmake, Makefiles, unity": (["cmake -S . -B build -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=Release",
                                 "cmake --build build"], ["cmake --build build"], "Built target", "build"),
    "meson": (["meson setup build", "meson compile -C build"], ["ninja -C build"], "no work to do", "build"),
    "meson, unity": (["meson setup build --unity on --buildtype release", "meson compile -C build"],
                     ["ninja -C build"], "no work to do", "build"),
    "autotools": (["autoreconf -i", "./configure CFLAGS=-O2", "make"], ["make"], "Nothing to be done", "."),
}


def run(folder: Path, command: str) -> str:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command.split(), cwd=folder, env=environment, check=False, timeout=600, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert not done.returncode, f"{command}: {done.stdout}"
    return done.stdout


def traced(folder: Path, program: str) -> list[str]:
    command = [str(BIN / "dtrace"), "-qn", SCRIPT, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60,
                          env={**os.environ, "LD_LIBRARY_PATH": ".libs"})  # where libtool's libraries are
    return list(filter(None, done.stdout.splitlines()))


def expected(module: str) -> list[str]:
    return ["sold", *(line for number in (1, 2, 3)
                      for line in (f"{number} tea", f"tea in {module}: {10 - number}"))]


@pytest.mark.parametrize("recipe", RECIPES)
def test_built_and_traced(recipe: str, tmp_path: Path) -> None:
    """The probes of a program fire, those of a static library in it, and those of a shared library.

    A build right after it has nothing to do, though -G has changed objects.
    """
    if recipe == "autotools" and not all(map(shutil.which, ("autoreconf", "automake", "libtoolize"))):
        pytest.skip("autoconf, automake and libtool are not installed")
    building, again, idle, where = RECIPES[recipe]
    for part in ("shop", recipe.partition(",")[0]):
        shutil.copytree(EXAMPLES / part, tmp_path, dirs_exist_ok=True)
    for command in building:
        run(tmp_path, command)
    assert idle in "".join(run(tmp_path, command) for command in again)
    if recipe == "autotools":
        assert traced(tmp_path, ".libs/shop") == expected("libstock.so.0.0.0")
        run(tmp_path, "gcc main.o shop-probes.o .libs/libstock.a -o static")
        assert traced(tmp_path, "./static") == expected("static")
        return
    assert traced(tmp_path / where, "./shop") == expected("shop")
    shared = "libstock.so" if recipe == "make" else "libstock-shared.so"
    assert traced(tmp_path / where, "./shop-shared") == expected(shared)


@pytest.mark.parametrize("machine", ["i386", "aarch64"])
def test_cross_builds(machine: str, tmp_path: Path) -> None:
    compiler = compilers.compiler(machine)
    if compiler is None:
        pytest.skip(f"no compiler for {machine}: make with it")
    for part in ("shop", "make"):
        shutil.copytree(EXAMPLES / part, tmp_path, dirs_exist_ok=True)
    subprocess.run(["make", "-s", "shop", f"CC={' '.join(compiler.command)} -static", f"DTRACE={BIN}/dtrace"],
                   cwd=tmp_path, check=True, timeout=600)
    assert traced(tmp_path, "./shop") == expected("shop")


@pytest.mark.parametrize("path", sorted(
    path for path in EXAMPLES.rglob("*") if path.name in ("Makefile", "CMakeLists.txt", "meson.build",
                                                          "configure.ac", "Makefile.am")))
def test_the_manual_shows_the_recipe(path: Path) -> None:
    assert path.read_text() in Path(ROOT, "dof", "manual", "building.md").read_text()
