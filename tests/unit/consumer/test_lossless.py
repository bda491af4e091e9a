"""By default nothing is lost: buffers are read before they are full, the others grow."""

from __future__ import annotations

import pytest

from runtime.command.command import main

# 1,000 firings within a second of the machine's time, in which dtrace by itself does not read once.
SECOND = ("BEGIN {{ kept = 0; spec = speculation(); }} tick-1000 /n < 999/ {{ n++; {} }} "
          "tick-1s {{ exit(0); }} END {{ printf(\"%d\\n\", {}); }}")
FOUR = "printf(\"%s%s%s%s\\n\", execname, probeprov, execname, probeprov);"  # 8 kB with strsize=2k
PROGRAMS = {
    "records": (FOUR, "n"),
    "keys": ("@[n, execname, probeprov, execname, probeprov] = count();", "n"),
    "dynamic variables": ("a[n] = execname; kept += a[n] == execname; printf(\"\\n\");", "kept"),
    "speculations": ("speculate(spec); " + FOUR, "n"),
}
COMMITTED = " tick-1000 /n == 999 && spec/ { commit(spec); spec = 0; }"


def lines(program: str, options: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    action, total = PROGRAMS[program]
    source = SECOND.format(action, total) + (COMMITTED if program == "speculations" else "")
    arguments = [word for option in ("strsize=2k", *options) for word in ("-x", option)]
    assert main(["-q", *arguments, "-n", source]) == 0
    captured = capfd.readouterr()
    return [line for line in captured.out.splitlines() if line], captured.err


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_lost(program: str, capfd: pytest.CaptureFixture[str]) -> None:
    found, err = lines(program, [], capfd)
    assert "999" in found
    assert "drop" not in err
    if program != "dynamic variables":
        assert len(found) == 1000
    assert (found, err) == lines(program, [], capfd)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("options", [["lossless=no"], ["bufsize=4m"], ["cleanrate=101hz"]])
def test_a_kernels_sizes_lose_what_a_kernel_loses(program: str, options: list[str],
                                                  capfd: pytest.CaptureFixture[str]) -> None:
    found, err = lines(program, options, capfd)
    assert "drop" in err
    assert len(found) < 1000


def test_it_can_be_had_with_other_sizes(capfd: pytest.CaptureFixture[str]) -> None:
    for options in (["bufsize=64k", "lossless=yes"], ["lossless=yes", "bufsize=64k"]):
        found, err = lines("records", options, capfd)
        assert (len(found), err) == (1000, "")


def test_no_speculations_take_no_room(capfd: pytest.CaptureFixture[str]) -> None:
    program = "BEGIN { printf(\"%d\\n\", speculation()); exit(0); }"
    assert main(["-q", "-x", "nspec=0", "-n", program]) == 0
    assert capfd.readouterr().out.split() == ["0"]
