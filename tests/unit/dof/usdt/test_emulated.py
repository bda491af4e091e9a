"""The emulated kernel counts what the program itself counts: every kind of site, traced."""

from __future__ import annotations

from pathlib import Path

import atonce
import compilers
import pytest
from usdt_programs import MAIN, OTHER, Toolchain, providers

from dof.usdt import reading

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


SETTINGS = {"": True, "DTRACE_DOF_INIT_DISABLE=1": False, "DTRACE_DOF_INIT_DISABLE=": False,
            "DTRACE_DOF_INIT_DEVNAME=/dev/null": False, "DTRACE_DOF_INIT_DEVNAME=/dev/dtrace/helper": True,
            "DTRACE_DOF_INIT_DISABLED=1": True}


def test_a_kernel_knows_only_what_is_registered(toolchain: Toolchain) -> None:
    """Neither when it is asked before the program runs, nor later; nor of a program that cannot register."""
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    generated = toolchain.link_probes(*objects)
    program = toolchain.program(*objects, generated)
    script = 'prov*:::dashed-name { printf("fired\\n"); }'
    for setting, registered in SETTINGS.items():
        name, _equals, value = setting.partition("=")
        variables = {name: value} if name else {}
        for words in (["-Zn", script, "-c", program], ["-Zn", script, "-c", f"env {setting} {program}"]):
            done = atonce.run(["dtrace", "-q", *words], variables=None if "env" in words[-1] else variables)
            assert ("fired" in done.stdout) is registered, (words, setting)
        listed = atonce.run(["dtrace", "-l", "-P", "prov$target", "-c", program], variables=variables)
        assert ("dashed-name" in listed.stdout) is registered, setting
    mute = Path(toolchain.path("mute"))  # what it opens is no device
    mute.write_bytes(Path(program).read_bytes().replace(b"/dev/dtrace/helper", b"/dev/dtrace/nobody"))
    mute.chmod(0o755)
    assert any(each.name == "dashed-name" for each in reading.probes_of(str(mute)))
    assert "fired" not in atonce.run(["dtrace", "-qZn", script, "-c", mute]).stdout
