"""Versions of D: one table for -V, -x version and __SUNW_D_VERSION."""

from __future__ import annotations

import pytest

from dc import versions
from dc.command import main
from dc.compiler import compile as compile_d
from dc.diagnostics import CompileError
from dc.names.builtins import table
from dc.options import OptionError, Options
from dc.source.preprocessor import preprocess
from runtime.command.command import main as dtrace


@pytest.mark.parametrize("version", versions.VERSIONS, ids=versions.spell)
def test_every_version_may_be_asked_for(version: versions.Version) -> None:
    options = Options()
    options.set("version", versions.spell(version))
    assert versions.parse(versions.spell(version)) == version
    assert f"{versions.number(version):#010x}" in preprocess("__SUNW_D_VERSION\n", "", options)


@pytest.mark.parametrize("text", ["1.13.2", "1.14", "2", "2.0", "1.2.3.4", "1.2.x", "256.0", "1.4096", ""])
def test_other_versions_are_refused(text: str) -> None:
    with pytest.raises(OptionError):
        Options().set("version", text)


@pytest.mark.parametrize(("text", "version"), [
    ("255.4095.4095", (255, 4095, 4095)), ("256.0", None), ("1.4096", None), ("1.0.4096", None),
    ("0.0", (0, 0, 0)), ("1", (1, 0, 0)), ("1.2.3", (1, 2, 3)), ("256", None),
    ("01.02", (1, 2, 0)), ("1.", None), (".1", None), ("1.-1", None), ("1.²", None),
    ("1.00000000000000000", (1, 0, 0)), ("1.0000000000000000000", None)])
def test_what_a_version_is(text: str, version: tuple[int, int, int] | None) -> None:
    assert versions.parse(text) == version


def test_a_version_is_only_ever_reduced() -> None:
    options = Options()
    for text in ("1.13.1", "1.6", "1.6", "1.2.1"):
        options.set("version", text)
    with pytest.raises(OptionError, match=r"reduced to 1\.2\.1"):
        options.set("version", "1.6")


def test_the_newest_is_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert dtrace(["-V"]) == 0 and capsys.readouterr().out == "dtrace: Sun D 1.13.1\n"
    assert main(["-V"]) == 0 and capsys.readouterr().out == "dc: D 1.13.1\n"
    assert main(["-x", "version=1.13.1", "-e", "-n", "BEGIN { trace(pid); }"]) == 0


def test_names_have_versions_that_exist() -> None:
    assert {row.since for target in ("illumos", "freebsd") for row in table(target).values()} \
        <= set(versions.VERSIONS)


def test_newer_names_are_unknown_to_an_older_version() -> None:
    source = "#pragma D option version=1.5\nBEGIN { trace(%s); }"
    compile_d(source % "strlen(execname)")
    with pytest.raises(CompileError) as caught:
        compile_d(source % "tolower(execname)")
    assert caught.value.tag == "D_FUNC_UNDEF"
