"""The emulated kernel counts what the program itself counts: every kind of site, traced."""

from __future__ import annotations

from pathlib import Path

import atonce
import compilers
import pytest
from usdt_programs import MAIN, OTHER, Toolchain, providers

SCRIPT = """
prov$target:::hit { @["hit"] = count(); }
prov$target:::many /arg0 == 1 && arg6 == 7/ { @["many"] = count(); @last["arg7"] = max(arg7); }
prov$target:::both, second$target:::both { @["both"] = count(); }
prov$target:::dashed-name { @["done"] = count(); }
END { printa("%s %@d\\n", @); printa("%s %@d\\n", @last); }
"""
# machine, flags, flags for linking, the kind of notes
ROWS = [
    (compilers.HOST, "-O0", "", "yes"),
    (compilers.HOST, "-O2 -fPIC -fno-plt", "-Wl,-z,now", "yes"),
    (compilers.HOST, "-O3 -ffunction-sections", "-Wl,--gc-sections -s", "no"),
    (compilers.HOST, "-O2 -mcmodel=large -fno-pie", "-no-pie", "yes"),
    (compilers.HOST, "-O2", "-static-pie", "semaphores"),
    (compilers.HOST, "-Os", "-static", "yes"),
    *([] if compilers.HOST == "x86-64" else [("x86-64", "-O2", "-static", "yes")]),
    ("i386", "-O2 -fno-pie", "-static -no-pie", "yes"),
    ("i386", "-O2 -fPIC -fno-plt", "", "semaphores"),
    ("aarch64", "-O0", "-static", "yes"),
    ("aarch64", "-O2", "-static", "no"),
    ("aarch64", "-O2 -fPIC", "-static", "semaphores"),
]


def traced(program: str, script: str, *options: str) -> list[str]:
    """The lines that tracing a program in the emulated machine prints."""
    done = atonce.run(["dtrace", "-q", *options, "-c", program, "-n", script])
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("machine", "flags", "linking", "stapsdt"), ROWS,
                         ids=[" ".join(row) for row in ROWS])
def test_counts_are_the_programs_own(tmp_path: Path, machine: str, flags: str, linking: str,
                                     stapsdt: str) -> None:
    compiler = compilers.compiler(machine)
    if compiler is None:
        pytest.skip(f"no compiler for {machine}: -G with its objects")
    tools = Toolchain(tmp_path, [*compiler.command, *flags.split()], providers(compiler.bits // 8))
    tools.header()
    objects = [tools.compile("main.c", MAIN), tools.compile("other.c", OTHER)]
    generated = tools.link_probes(*objects, stapsdt=stapsdt)
    lines = traced(tools.program(*objects, generated, flags=tuple(linking.split())), SCRIPT)
    own = next(line for line in lines if line[0].isdigit()).split()
    # Someone listens: the guarded call of several() fires as well, three times.
    assert own[:4] == ["11", "4", "7", "1"] and own[4] != "0"
    counts = dict(line.split() for line in lines if line and not line[0].isdigit())
    assert counts == {"hit": own[0], "many": own[1], "both": own[2], "done": own[3], "arg7": "8"}
