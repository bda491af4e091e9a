"""Large programs built with our dtrace in place of the system's (opt-in; not part of `make test`).

    python tests/large/usdt.py DIRECTORY [PROGRAM ...]

PROGRAM is tcl, python, perl, ruby, postgresql, erlang, glib, libvirt, qemu or
mariadb.

Downloads the programs' Debian sources into DIRECTORY with apt-get (which
needs the network, dpkg-dev and Debian's archive key, and changes nothing of
the system's configuration), configures them with DTrace support, builds them
unchanged, runs them natively, lists their probes, and traces them in the
emulated kernel.  Needs what the builds need: a C compiler, make, zlib; for
glib, libvirt and qemu meson, ninja, and what their READMEs name; for mariadb
cmake, ninja, bison, and the headers of OpenSSL, PCRE2, {fmt} and zlib.  Some
ten minutes for the first three on two cores, and an hour for all; what is
built already is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

SUITE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BIN = Path(sys.executable).parent
NOBODY = "perl -e '($<, $>) = (65534, 65534); exec @ARGV'"


@dataclass(frozen=True)
class Program:
    """How a program is built and what is expected of it.

    With `sdt` the build's `dtrace` is sdt-dtrace, and it finds <sys/sdt.h> in {include}.  `output` may have
    wildcards.  `trace` is a D script whose output must hold each of `expected`; `listed`
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
    sdt: bool = False


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
    "ruby": Program(
        source="ruby3.1", directory="ruby-3.1.*", within=".",
        build=("./configure --enable-dtrace --disable-install-doc optflags=-O1", "make miniruby"),
        instrumented="miniruby", command="./miniruby {script}", environment={},
        output="5\n", listed=("method-entry", "cmethod-return", "array-create", "gc-mark-begin"),
        trace='ruby$target:::method-entry { @[copyinstr(arg0), copyinstr(arg1)] = count(); }'
              ' ruby$target:::cmethod-entry { @c[copyinstr(arg1)] = count(); }',
        expected=("fib", "puts")),
    "postgresql": Program(
        source="postgresql-15", directory="postgresql-15.*", within=".",
        build=("./configure --enable-dtrace --without-readline --without-zlib CFLAGS=-O1 --prefix=$PWD/pgsql",
               "make -C src/backend install",
               *(f"make -C src/{part} install" for part in (
                   "timezone", "interfaces/libpq", "fe_utils", "bin/initdb", "backend/snowball",
                   "pl/plpgsql/src")),
               # The server refuses to be root.
               "mkdir -p data && chown nobody data",
               f"{NOBODY} pgsql/bin/initdb -D data -N --no-locale -E UTF8 -A trust"),
        instrumented="pgsql/bin/postgres",
        command=f"{NOBODY} pgsql/bin/postgres --single -D data postgres < {{script}}", environment={},
        output="*5050*",
        listed=("query-start", "query-done", "transaction-commit", "buffer-read-done"),
        trace='postgresql$target:::query-start { printf("%s\\n", copyinstr(arg0)); }'
              ' postgresql$target:::buffer-read-done, postgresql$target:::transaction-commit'
              ' { @[probename] = count(); }',
        expected=("select sum(g)", "buffer-read-done", "transaction-commit")),
    "erlang": Program(
        source="erlang", directory="otp-OTP-25.*", within=".",
        build=("ERL_TOP=$PWD ./configure --with-dynamic-trace=dtrace --disable-jit --without-javac"
               " --without-ssl --without-wx --without-odbc --without-termcap CFLAGS=-O1",
               "ERL_TOP=$PWD make emulator || test -x bin/x86_64-pc-linux-gnu/beam.smp"),
        instrumented="bin/x86_64-pc-linux-gnu/beam.smp",
        command="bin/x86_64-pc-linux-gnu/beam.smp -S 1:1 -SDcpu 1:1 -SDio 1 -sbwt none --"
                " -root $PWD/bootstrap -bindir $PWD/bin/x86_64-pc-linux-gnu -progname erl"
                " -- -home /tmp -noshell -boot $PWD/bootstrap/bin/start_clean"
                " -eval 'erlang:display(5), halt().'",
        environment={"BINDIR": "{tree}/bin/x86_64-pc-linux-gnu", "ROOTDIR": "{tree}/bootstrap", "EMU": "beam",
                     "PROGNAME": "erl"},
        output="5\n", listed=("process-spawn", "message-send", "gc_minor-start", "user_trace-n950"),
        trace='erlang$target:::process-spawn { @[copyinstr(arg1)] = count(); }'
              ' erlang$target:::message-send { @[probename] = count(); }',
        expected=("proc_lib:init_p/5", "message-send")),
    "glib": Program(
        source="glib2.0", directory="glib-2.*", within=".", sdt=True,
        build=("meson setup b -Ddtrace=true -Dlibmount=disabled -Dselinux=disabled -Dnls=disabled"
               " -Dtests=false -Dxattr=false -Dc_args=-I{include}",
               "meson compile -C b glib-2.0 gobject-2.0",
               "gcc {script} -o b/smoke -I. -Iglib -Ib -Ib/glib -Igobject -Lb/glib -Lb/gobject"
               " -l:libgobject-2.0.so.0 -l:libglib-2.0.so.0"),
        instrumented="b/glib/libglib-2.0.so.0", command="b/smoke",
        environment={"LD_LIBRARY_PATH": "b/glib:b/gobject"},
        output="shop\n", listed=("mem-alloc", "quark-new", "idle-dispatch", "main-loop_quit"),
        trace='glib$target:::quark-new { printf("quark %s\\n", copyinstr(arg0)); }'
              ' gobject$target:::object-new, gobject$target:::object-finalize { @[probename] = count(); }',
        expected=("quark shop", "object-new", "object-finalize")),
    "libvirt": Program(
        source="libvirt", directory="libvirt-*", within=".", sdt=True,
        build=("meson setup b --auto-features=disabled -Ddtrace=enabled -Ddriver_test=enabled -Dsystem=false"
               " -Ddocs=disabled -Dtests=disabled -Dc_args=-I{include}",
               "ninja -C b src/libvirt.so.0.9000.0",
               "gcc {script} -o b/smoke -Iinclude -Ib/include -Lb/src -l:libvirt.so.0"),
        instrumented="b/src/libvirt.so.0.9000.0", command="b/smoke", environment={"LD_LIBRARY_PATH": "b/src"},
        output="1\n", listed=("object_new", "object_dispose", "rpc_socket_new", "event_glib_add_handle"),
        trace='libvirt$target:::object_new { @[copyinstr(arg1)] = count(); }'
              ' libvirt$target:::object_dispose { @[probename] = count(); }',
        expected=("virStoragePoolObjList", "object_dispose")),
    "qemu": Program(
        source="qemu", directory="qemu-*", within="b", sdt=True,
        build=("../configure --enable-trace-backends=dtrace --disable-system --disable-user --enable-tools"
               " --disable-docs --disable-gio --disable-werror --disable-gnutls --disable-guest-agent"
               " --disable-install-blobs --meson=$(command -v meson) --extra-cflags='-O1 -I{include}'",
               "ninja qemu-img"),
        instrumented="qemu-img", command="./qemu-img create -q -f qcow2 {script}.img 1M", environment={},
        output="", listed=("bdrv_open_common", "qemu_mutex_lock", "qcow2_writev_start_req"),
        trace='qemu$target:::bdrv_open_common, qemu$target:::qemu_mutex_lock { @[probename] = count(); }',
        expected=("bdrv_open_common", "qemu_mutex_lock")),
    "mariadb": Program(
        source="mariadb", directory="mariadb-10.11.*", within="b", sdt=True,
        build=("cmake -G Ninja .. -DENABLE_DTRACE=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0"
               " -DCMAKE_CXX_FLAGS=-O0 -DWITH_SSL=system -DWITH_PCRE=system -DWITH_LIBFMT=system"
               " -DWITH_ZLIB=system -DWITH_SYSTEMD=no -DWITH_NUMA=OFF -DWITH_WSREP=OFF -DWITH_UNIT_TESTS=OFF"
               " -DWITH_SAFEMALLOC=OFF " + " ".join(f"-DPLUGIN_{each}=NO" for each in (
                   "INNOBASE", "PERFSCHEMA", "SPIDER", "COLUMNSTORE", "CONNECT", "MROONGA", "OQGRAPH",
                   "ROCKSDB", "S3", "SPHINX", "FEEDBACK", "PARTITION")),
               "ninja mariadbd", "mkdir -p data/shop"),
        instrumented="sql/mariadbd",
        command="sql/mariadbd --no-defaults --bootstrap --user=root --datadir=$PWD/data"
                " --lc-messages-dir=$PWD/sql/share --character-sets-dir=$PWD/../sql/share/charsets"
                " --default-storage-engine=MyISAM --skip-grant-tables < {script}", environment={},
        output="*Starting MariaDB*",
        listed=("query-start", "query-done", "connection-start", "insert-row-start", "net-write-start"),
        trace='mysql$target:::query-exec-start { printf("%s in %s\\n", copyinstr(arg0), copyinstr(arg2)); }'
              ' mysql$target:::insert-row-start { @rows[copyinstr(arg0), copyinstr(arg1)] = count(); }'
              ' mysql$target:::select-done { @[probename] = count(); }',
        expected=("insert into t values (1), (2), (3); in shop", "select-done")),
}
SCRIPTS = {
    "tcl": "proc add {a b} { return [expr {$a + $b}] }\nset t 0\n"
           "for {set i 0} {$i < 5} {incr i} { set t [add $t $i] }\nputs $t\n",
    "python": "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(5))\n",
    "perl": "sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }\n"
            "print fib(5), \"\\n\";\n",
    "ruby": "def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end\n"
            "TracePoint.new(:call) { }.enable { puts fib(5) }\n",  # Ruby fires method-entry only so
    "postgresql": "select sum(g) from generate_series(1, 100) g\n",
    "mariadb": "use shop;\ncreate or replace table t (number int);\ninsert into t values (1), (2), (3);\n"
               "select count(*) from t;\n",
    "glib.c": "#include <glib-object.h>\nint main(void) { GObject *o = g_object_new(G_TYPE_OBJECT, NULL);"
              " g_object_unref(o); g_print(\"%s\\n\", g_quark_to_string(g_quark_from_string(\"shop\")));"
              " return 0; }\n",
    "libvirt.c": "#include <stdio.h>\n#include <libvirt/libvirt.h>\nint main(void) { virConnectPtr c ="
                 " virConnectOpen(\"test:///default\"); printf(\"%d\\n\", c != NULL);"
                 " if (c) virConnectClose(c); return 0; }\n",
}


def run(command: str, directory: Path, first: Path = BIN, **environment: str) -> str:
    """The output of a command that finds programs in `first` before others; its failure ends the check."""
    path = os.pathsep.join([str(first), str(BIN), os.environ["PATH"]])
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
        for each in directory.glob(f"{program.source}_*.orig.tar.*"):
            if each.suffix != ".asc":
                run(f"tar xf {each.name}", directory)
    tree = next(iter(directory.glob(program.directory))) / program.within
    tree.mkdir(exist_ok=True)
    return tree


def in_systemtaps_place(directory: Path) -> Path:
    """A directory with sdt-dtrace as `dtrace`, beside one with <sys/sdt.h>."""
    first = directory / "sdt"
    if not first.exists():
        (directory / "include" / "sys").mkdir(parents=True, exist_ok=True)
        run("dtrace -x header=sys -h -o include/sys/sdt.h", directory)
        first.mkdir()
        (first / "dtrace").symlink_to(BIN / "sdt-dtrace")
    return first


def check(name: str, directory: Path) -> None:
    """Build and check one program; prints what was found."""
    program = PROGRAMS[name]
    tree = unpacked(program, directory)
    suffix = name if name in SCRIPTS else f"{name}.c"
    script = directory / f"smoke.{suffix}"
    script.write_text(SCRIPTS.get(suffix, ""))
    if not (tree / program.instrumented).exists():
        first = in_systemtaps_place(directory) if program.sdt else BIN
        for command in program.build:
            run(command.format(script=script, include=directory / "include"), tree, first)
    environment = {key: value.format(tree=tree) for key, value in program.environment.items()}
    starter = directory / f"{name}.sh"
    starter.write_text(f"exec {program.command.format(script=script)}\n")
    output = run(f"sh {starter}", tree, **environment)
    assert fnmatchcase(output, program.output), output

    from dof.usdt.reading import probes_of

    probes = probes_of(str(tree / program.instrumented))
    names = {probe.name for probe in probes}
    assert names.issuperset(program.listed), names
    (directory / f"{name}.d").write_text(program.trace)
    traced = run(f'dtrace -Z -q -s {directory}/{name}.d -c "sh {starter}"', tree, **environment)
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
