"""The emulated kernel counts what the program itself counts: every kind of site, traced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from usdt_programs import MAIN, OTHER, Toolchain, available, providers

SCRIPT = """
prov$target:::hit { @["hit"] = count(); }
prov$target:::many /arg0 == 1 && arg6 == 7/ { @["many"] = count(); @last["arg7"] = max(arg7); }
prov$target:::both, second$target:::both { @["both"] = count(); }
prov$target:::dashed-name { @["done"] = count(); }
END { printa("%s %@d\\n", @); printa("%s %@d\\n", @last); }
"""
# compiler, flags, flags for linking, the kind of notes
ROWS = [
    ("gcc", "-O0", "", "yes"),
    ("gcc", "-O2 -fPIC -fno-plt", "-Wl,-z,now", "yes"),
    ("gcc", "-O3 -ffunction-sections", "-Wl,--gc-sections -s", "no"),
    ("gcc", "-O2 -mcmodel=large -fno-pie", "-no-pie", "yes"),
    ("gcc", "-O2", "-static-pie", "semaphores"),
    ("gcc", "-Os", "-static", "yes"),
    ("gcc -m32", "-O2 -fno-pie", "-static -no-pie", "yes"),
    ("gcc -m32", "-O2 -fPIC -fno-plt", "", "semaphores"),
]


def traced(program: str, script: str, *options: str) -> list[str]:
    """The lines that tracing a program in the emulated machine prints."""
    command = [sys.executable, "-m", "runtime.command", "-q", *options, "-c", program, "-n", script]
    done = subprocess.run(command,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("compiler", "flags", "linking", "stapsdt"), ROWS,
                         ids=[" ".join(row) for row in ROWS])
def test_counts_are_the_programs_own(tmp_path: Path, compiler: str, flags: str, linking: str,
                                     stapsdt: str) -> None:
    command = compiler.split()
    if not available(command):
        pytest.skip(f"{compiler} cannot build programs")
    tools = Toolchain(tmp_path, [*command, *flags.split()], providers(4 if "-m32" in command else 8))
    tools.header()
    objects = [tools.compile("main.c", MAIN), tools.compile("other.c", OTHER)]
    generated = tools.link_probes(*objects, stapsdt=stapsdt)
    lines = traced(tools.program(*objects, generated, flags=tuple(linking.split())), SCRIPT)
    own = next(line for line in lines if line[0].isdigit()).split()
    # Someone listens: the guarded call of several() fires as well, three times.
    assert own[:4] == ["11", "4", "7", "1"] and own[4] != "0"
    counts = dict(line.split() for line in lines if line and not line[0].isdigit())
    assert counts == {"hit": own[0], "many": own[1], "both": own[2], "done": own[3], "arg7": "8"}
