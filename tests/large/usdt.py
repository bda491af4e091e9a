"""Large programs built with our dtrace in place of the system's (opt-in; not part of `make test`).

    python tests/large/usdt.py DIRECTORY [tcl] [python] [perl]

Downloads the programs' Debian sources into DIRECTORY with apt-get (which
needs the network, dpkg-dev and Debian's archive key, and changes nothing of
the system's configuration), configures them with DTrace support, builds them
unchanged, runs them natively, lists their probes, and traces them in the
emulated kernel.  Needs what the builds need: a C compiler, make, zlib.  Some
ten minutes for all three on two cores; what is built already is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SUITE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Program:
    """How a program is built and what is expected of it.

    `trace` is a D script whose output must hold each of `expected`; `listed`
    are probes that the file `instrumented` must have.
    """

    source: str
    directory: str
    build: tuple[str, ...]
    within: str  # where in the source tree the commands run
    instrumented: str
    command: str
    environment: dict[str, str]
    output: str
    listed: tuple[str, ...]
    trace: str
    expected: tuple[str, ...]


PROGRAMS = {
    "tcl": Program(
        source="tcl8.6", directory="tcl8.6.*", within="unix",
        build=("./configure --enable-dtrace", "make -j2 binaries"),
        instrumented="libtcl8.6.so", command="./tclsh {script}",
        environment={"LD_LIBRARY_PATH": ".", "TCL_LIBRARY": "../library"},
        output="10\n", listed=("proc-entry", "cmd-entry", "inst-start"),
        trace='tcl$target:::proc-entry /copyinstr(arg0) == "::add" || copyinstr(arg0) == "add"/'
              ' { @["add", arg1] = count(); }',
        expected=("add",)),
    "python": Program(
        source="python3.11", directory="Python-3.11.*", within=".",
        build=("./configure --with-dtrace CFLAGS=-O1", "make -j2 python"),
        instrumented="python", command="./python -S {script}", environment={},
        output="5\n", listed=("function-entry", "gc-start", "line", "audit"),
        trace='python$target:::import-find-load-done /arg1/ { printf("%s\\n", copyinstr(arg0)); }'
              ' python$target:::gc-start { @["gc", arg0] = count(); }',
        expected=("_frozen_importlib_external", "encodings.utf_8", "gc")),
    "perl": Program(
        source="perl", directory="perl-5.*", within=".",
        build=(f"./Configure -des -Dusedtrace={BIN}/dtrace -Doptimize=-O1", "make -j2 perl"),
        instrumented="perl", command="./perl -Ilib {script}", environment={},
        output="5\n", listed=("sub-entry", "sub-return", "phase-change", "op-entry"),
        trace='perl$target:::sub-entry { @[copyinstr(arg0), basename(copyinstr(arg1))] = count(); }'
              # Perl asks about op-entry before it tells of a phase.
              ' perl$target:::op-entry { @ops[copyinstr(arg0)] = count(); }'
              ' perl$target:::phase-change { printf("%s from %s\\n", copyinstr(arg0), copyinstr(arg1)); }',
        expected=("fib", "leavesub", "RUN from START", "DESTRUCT from")),
}
SCRIPTS = {
    "tcl": "proc add {a b} { return [expr {$a + $b}] }\nset t 0\n"
           "for {set i 0} {$i < 5} {incr i} { set t [add $t $i] }\nputs $t\n",
    "python": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(5))\n",
    "perl": "sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }\n"
            "print fib(5), \"\\n\";\n",
}


def run(command: str, directory: Path, **environment: str) -> str:
    """The command's output; its failure ends the check."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, shell=True, cwd=directory, env={**os.environ, "PATH": path, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def unpacked(program: Program, directory: Path) -> Path:
    """The program's source tree, downloaded when it is not there yet."""
    if not list(directory.glob(program.directory)):
        (directory / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (directory / "sources.list").write_text(
            f"deb-src [signed-by={KEYRING}] http://deb.debian.org/debian {SUITE} main\n")
        apt = (f"apt-get -o Dir::Etc::sourcelist={directory}/sources.list -o Dir::Etc::sourceparts=-"
               f" -o Dir::State::lists={directory}/lists")
        run(f"{apt} update", directory)
        run(f"{apt} source --download-only {program.source}", directory)
        run(f"tar xf {program.source}_*.orig.tar.*", directory)
    return next(iter(directory.glob(program.directory))) / program.within


def check(name: str, directory: Path) -> None:
    """Build and check one program; prints what was found."""
    program = PROGRAMS[name]
    tree = unpacked(program, directory)
    if not (tree / program.instrumented).exists():
        for command in program.build:
            run(command, tree)
    script = directory / f"smoke.{name}"
    script.write_text(SCRIPTS[name])
    command = program.command.format(script=script)
    output = run(command, tree, **program.environment)
    assert output == program.output, output

    from dof.usdt.reading import probes_of

    probes = probes_of(str(tree / program.instrumented))
    names = {probe.name for probe in probes}
    assert names.issuperset(program.listed), names
    (directory / f"{name}.d").write_text(program.trace)
    traced = run(f'dtrace -Z -q -s {directory}/{name}.d -c "{command}"', tree, **program.environment)
    assert all(each in traced for each in program.expected), traced
    sites = sum(len(probe.sites) + len(probe.enabled_sites) for probe in probes)
    print(f"{name}: {len(names)} probes, {sites} sites in {program.instrumented}; traced:")
    print("".join(f"    {line}\n" for line in traced.splitlines()[-8:]))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit((__doc__ or "").strip())
    directory = Path(sys.argv[1]).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or PROGRAMS:
        check(name, directory)


if __name__ == "__main__":
    main()
