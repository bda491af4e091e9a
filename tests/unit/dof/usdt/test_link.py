"""What -G promises beyond the matrix: libraries, copies, repetition, refusals, other tracers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import arm64
import compilers
import pytest
from usdt_programs import COUNTS, INT, MAIN, OTHER, OUTPUT, TEXT, Toolchain, check_sites, providers

from dof.elf import ElfFile
from dof.reader import read
from dof.usdt import reading
from dof.usdt.definition import ProbeDefinition, ProviderDefinition
from dof.usdt.link import LinkError, link

ONE = [ProviderDefinition("one", [ProbeDefinition("hit", [INT, TEXT])])]
ONE_CALL = '#include "prov.h"\nvoid call(int a) { ONE_HIT(a, "x"); }\n'

needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="no gdb: its view of the probes of -G")


def one(tools: Toolchain) -> Toolchain:
    tools.providers = ONE
    tools.header()
    return tools


def command(machine: str) -> list[str]:
    """The compiler of a machine; the test is skipped where there is none."""
    found = compilers.compiler(machine)
    if found is None:
        pytest.skip(f"no compiler for {machine}: -G with its objects")
    return found.command


def select(tools: Toolchain, flags: str, wanted: list[ProviderDefinition] | None = None) -> None:
    """Compile with these flags from now on; -m32 among them asks for the compiler of i386."""
    words = flags.split()
    if "-m32" in words:
        words.remove("-m32")
        tools.compiler = [*command("i386"), *tools.compiler[1:]]
    tools.compiler += words
    tools.providers = wanted or providers(4 if "-m32" in flags else 8)


def test_a_second_run_changes_nothing(toolchain: Toolchain) -> None:
    toolchain.compiler += ["-mcmodel=large", "-fno-pie"]  # stubs, too
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER, "-mcmodel=small")]
    generated = toolchain.link_probes(*objects)
    before = [Path(each).read_bytes() for each in (*objects, generated)]
    toolchain.link_probes(*objects)
    assert [Path(each).read_bytes() for each in (*objects, generated)] == before
    assert toolchain.run(toolchain.program(*objects, generated, flags=("-no-pie",))) == OUTPUT


def test_a_later_run_may_add_objects(toolchain: Toolchain) -> None:
    first, second = toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)
    toolchain.link_probes(first)
    generated = toolchain.link_probes(first, second)
    program = toolchain.program(first, second, generated)
    assert toolchain.run(program) == OUTPUT
    functions = {probe.function for probe in reading.probes_of(program)}
    assert {"several", "other", "weakly", "main"} <= functions


def test_objects_and_output_are_the_same_bytes_each_time(toolchain: Toolchain) -> None:
    results = []
    for _ in range(2):
        objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
        generated = toolchain.link_probes(*objects)
        results.append([Path(each).read_bytes() for each in (*objects, generated)])
    assert results[0] == results[1]


def test_dof_holds_what_was_declared(toolchain: Toolchain) -> None:
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    output = toolchain.link_probes(*objects, linktype="dof")
    program = read(Path(output).read_bytes())
    first, second = program.providers
    assert (first.name, second.name) == ("prov", "second")
    hit = next(each for each in first.probes if each.name == "hit")
    assert (hit.native, hit.xlated, hit.mapping) == (["int", "char *"], ["string", "int"], [1, 0])
    assert any(each.enabled_offsets for each in first.probes)
    assert [each.function for each in first.probes if each.name == "hit"].count("same_name") == 2


def test_version_is_two_only_for_is_enabled_probes(toolchain: Toolchain) -> None:
    one(toolchain)
    plain = toolchain.link_probes(toolchain.compile("a.c", ONE_CALL), linktype="dof")
    assert Path(plain).read_bytes()[6] == 1
    asks = '#include "prov.h"\nint asks(void) { return ONE_HIT_ENABLED(); }\n'
    enabled = toolchain.link_probes(toolchain.compile("a.c", asks), linktype="dof")
    assert Path(enabled).read_bytes()[6] == 2


# -- libraries, several generated objects, stripping ---------------------------------------------------

def test_shared_library_opened_and_closed(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL, "-fPIC")
    library = toolchain.program(part, toolchain.link_probes(part), flags=("-shared", "-Wl,-z,now"),
                                name="part.so")
    check_sites(library)
    main = toolchain.compile("user.c", """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *part = dlopen(argv[argc - 1], RTLD_NOW);
		if (!part) { puts(dlerror()); return 1; }
		((void (*)(int))dlsym(part, "call"))(i);
		dlclose(part);
	}
	puts("done");
	return 0;
}
""")
    assert toolchain.run(toolchain.program(main, flags=("-ldl",)), library) == "done\n"


def test_several_generated_objects_in_one_program(toolchain: Toolchain) -> None:
    objects = []
    for name in ("one", "two", "three"):
        toolchain.providers = [ProviderDefinition(name, [ProbeDefinition("hit", [INT])])]
        toolchain.header()
        code = f'#include "prov.h"\nvoid in_{name}(int a) {{ {name.upper()}_HIT(a); }}\n'
        part = toolchain.compile(f"{name}.c", code)
        link(toolchain.providers, [part], toolchain.path(f"{name}-prov.o"))
        objects += [part, toolchain.path(f"{name}-prov.o")]
    main = toolchain.compile("main.c", "int main(void) { return 0; }\n")
    program = toolchain.program(main, *objects)
    toolchain.run(program)
    assert check_sites(program) == {"one:hit": 1, "two:hit": 1, "three:hit": 1}
    toolchain.run("strip", program)
    assert check_sites(program) == {"one:hit": 1, "two:hit": 1, "three:hit": 1}


def test_objects_merged_by_the_linker_after_and_before(toolchain: Toolchain) -> None:
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    merged = toolchain.path("merged.o")
    toolchain.run("ld", "-r", *objects, "-o", merged)
    generated = toolchain.link_probes(merged)
    again = toolchain.path("again.o")
    toolchain.run("ld", "-r", merged, generated, "-o", again)
    program = toolchain.program(again)
    assert toolchain.run(program) == OUTPUT
    assert check_sites(program)["prov:hit"] >= 5


@pytest.mark.parametrize(("compiling", "rework", "linking"), [
    ("-g", "strip -g", ""),
    ("-g", "strip --strip-unneeded", "-s"),
    ("-g", "objcopy --compress-debug-sections", ""),
    ("-g -gz -gsplit-dwarf", "", ""),
    ("-ffunction-sections", "", "-fuse-ld=gold -Wl,--icf=all"),
    ("-fpatchable-function-entry=16,8", "", "-Wl,-q"),
    ("-fPIC -fvisibility=hidden", "", "-Wl,-z,text,-z,separate-code"),
])
def test_tools_that_rework_objects(toolchain: Toolchain, compiling: str, rework: str, linking: str) -> None:
    toolchain.compiler += compiling.split()
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    objects.append(toolchain.link_probes(*objects))
    sites = check_sites(toolchain.program(*objects, name="plain"))
    assert sites["prov:hit"] >= 5
    for each in objects if rework else ():
        toolchain.run(*rework.split(), each)
    program = toolchain.program(*objects, flags=tuple(linking.split()))
    assert toolchain.run(program) == OUTPUT
    assert check_sites(program) == sites


@pytest.mark.parametrize("linking", ["", "-static", "-m32", "-Wl,--gc-sections"])
def test_the_generated_object_in_an_archive(toolchain: Toolchain, linking: str) -> None:
    one(toolchain)
    select(toolchain, linking, ONE)
    part = toolchain.compile("part.c", ONE_CALL)
    toolchain.run("ar", "rc", toolchain.path("lib.a"), part, toolchain.link_probes(part))
    main = toolchain.compile("main.c", "void call(int); int main(void) { call(1); return 0; }\n")
    # LLVM's linker, which zig has, does not look for common symbols in archives.
    whole = ("-Wl,--whole-archive",) if compilers.stands_in(toolchain.compiler) else ()
    program = toolchain.program(main, *whole, toolchain.path("lib.a"))
    toolchain.run(program)
    assert check_sites(program) == {"one:hit": 1}
    # And an object whose generated one is nowhere links all the same.
    program = toolchain.program(main, part)
    toolchain.run(program)
    assert check_sites(program) == {}


# -- C++, copies of one function ---------------------------------------------------------------------

TEMPLATE = """
#include <stdio.h>
#include "prov.h"
struct Shape { int sides; Shape(int n) : sides(n) { ONE_HIT(n, "constructor"); } virtual ~Shape() {} };
template <class T> __attribute__((noinline)) T twice(T value) { ONE_HIT(1, "any"); return value + value; }
inline __attribute__((noinline)) int half(int value) { ONE_HIT(value, "inline"); return value / 2; }
namespace { struct Hidden { static int run(int a) { ONE_HIT(a, "anonymous"); return a; } }; }
"""


@pytest.mark.parametrize("differing", [False, True])
def test_copies_of_a_function_in_several_objects(toolchain: Toolchain, differing: bool) -> None:
    one(toolchain)
    toolchain.compiler = compilers.cxx()
    first = toolchain.compile("first.cc", TEMPLATE + "int use(int n) { return half(twice(n)); }\n", "-O2")
    second = toolchain.compile("second.cc", TEMPLATE + """
int use(int);
int main() {
	Shape shape(4);
	printf("%d\\n", twice(use(8)) + half(2) + Hidden::run(5) + shape.sides);
	return 0;
}
""", "-O0" if differing else "-O2")
    program = toolchain.program(first, second, toolchain.link_probes(first, second))
    assert toolchain.run(program) == "26\n"
    check_sites(program)
    functions = {probe.function for probe in reading.probes_of(program)}
    assert {"_Z4halfi", "_Z5twiceIiET_S0_"} <= functions
    toolchain.link_probes(first, second)
    assert toolchain.run(toolchain.program(first, second, toolchain.path("prov.o"))) == "26\n"


def test_a_part_of_a_function_bears_the_functions_name(toolchain: Toolchain) -> None:
    one(toolchain)
    code = """
#include "prov.h"
#include <stdlib.h>
void work(int a) { if (__builtin_expect(a > 100, 0)) { ONE_HIT(a, "rare"); abort(); } ONE_HIT(a, "usual"); }
int main(void) { work(1); return 0; }
"""
    part = toolchain.compile("part.c", code, "-O2", "-freorder-blocks-and-partition")
    program = toolchain.program(part, toolchain.link_probes(part))
    assert {probe.function for probe in reading.probes_of(program)} == {"work"}
    assert check_sites(program)["one:hit"] >= 2


# -- other tracers ------------------------------------------------------------------------------------

@needs_gdb
@pytest.mark.parametrize("flags", ["-O2", "-O0", "-m32 -O2", "-O2 -mcmodel=large -fno-pie -no-pie"])
def test_gdb_sees_every_hit_and_its_arguments(toolchain: Toolchain, flags: str) -> None:
    select(toolchain, flags)
    objects = [toolchain.compile("main.c", MAIN, "-g"), toolchain.compile("other.c", OTHER, "-g")]
    program = toolchain.program(*objects, toolchain.link_probes(*objects))
    script = ["set debuginfod enabled off", "set pagination off", "break main", "run"]
    show = {
        "hit": 'printf "hit %d %s\\n", (int)$_probe_arg0, (char *)$_probe_arg1',
        "many": 'printf "many %d %d\\n", (int)$_probe_arg0, (int)$_probe_arg7',
        "both": 'printf "both\\n"',
        "dashed__name": 'printf "dashed-name\\n"',
    }
    for name in show:
        script += [f"break -probe-stap {name}", "commands", "silent", show[name], "continue", "end"]
    commands = Path(toolchain.path("commands"))
    commands.write_text("\n".join([*script, "continue"]) + "\n")
    text = toolchain.run("gdb", "-nx", "-batch", "-x", str(commands), program)
    lines = [line for line in text.splitlines() if re.match(r"(hit|many|both|dashed-name)\b", line)]
    assert {name: sum(line.split()[0] == name for line in lines) for name in COUNTS} == COUNTS
    assert [line for line in lines if line.startswith("hit")] == [
        "hit 0 loop", "hit 1 loop", "hit 2 loop", "hit 3 end", "hit 2 tail", "hit 4 static in main",
        "hit 5 static", "hit 5 weak"]
    many = [line for line in lines if line.startswith("many")]
    assert many == ["many 1 0", "many 1 1", "many 1 2", "many 1 8"]


@needs_gdb
@pytest.mark.parametrize("flags", ["-O2", "-m32 -O2 -fPIC", "-m32 -O2 -fno-pie -no-pie"])
def test_semaphores_let_gdb_answer_is_enabled(toolchain: Toolchain, flags: str) -> None:
    select(toolchain, flags)
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    generated = toolchain.link_probes(*objects, stapsdt="semaphores")
    before = [Path(each).read_bytes() for each in (*objects, generated)]
    toolchain.link_probes(*objects, stapsdt="semaphores")
    assert [Path(each).read_bytes() for each in (*objects, generated)] == before
    program = toolchain.program(*objects, generated)
    assert toolchain.run(program) == OUTPUT
    commands = Path(toolchain.path("commands"))
    commands.write_text("""
set debuginfod enabled off
break main
run
break -probe-stap prov:hit
commands
silent
printf "hit %d %s\\n", (int)$_probe_arg0, (char *)$_probe_arg1
continue
end
continue
""")
    text = toolchain.run("gdb", "-nx", "-batch", "-x", str(commands), program)
    assert [line for line in text.splitlines() if "enabled" in line and line.startswith("hit")] == [
        "hit 0 enabled", "hit 1 enabled", "hit 2 enabled"]
    assert re.search(r"^11 4 7 1 [1-9]", text, re.M)


def test_semaphores_on_aarch64(toolchain: Toolchain) -> None:
    toolchain.compiler = [*command("aarch64"), "-O2"]
    objects = [toolchain.compile("main.c", MAIN), toolchain.compile("other.c", OTHER)]
    generated = toolchain.link_probes(*objects, stapsdt="semaphores")
    program = toolchain.program(*objects, generated, flags=("-static",))
    assert arm64.run(program) == (0, OUTPUT)
    found = reading.probes_of(program)
    with open(program, "rb") as file:
        notes = reading.from_notes(ElfFile(file.read()))
    assert any(each.semaphores for each in notes) and any(each.enabled_sites for each in found)


@needs_gdb
def test_the_kernel_is_told_the_object_and_its_dof(toolchain: Toolchain) -> None:
    """At the ioctl: the module's name, and an address at which DOF lies."""
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL, "-fPIC")
    library = toolchain.program(part, toolchain.link_probes(part), flags=("-shared",), name="libpart.so")
    main = toolchain.compile("main.c", "void call(int); int main(void) { call(1); return 0; }\n")
    program = toolchain.program(main, library)
    commands = Path(toolchain.path("commands"))
    commands.write_text("""
set debuginfod enabled off
set environment DTRACE_DOF_INIT_DEVNAME=/dev/null
catch syscall ioctl
run
printf "%x %s %s ", $rsi, (char *)$rdx, *(char **)($rdx + 72) + 1
printf "%d\\n", *(long *)($rdx + 64) == *(long *)($rdx + 72)
""")
    text = toolchain.run("gdb", "-nx", "-batch", "-x", str(commands), program)
    assert "64746803 libpart.so DOF" in text and text.rstrip().endswith("1")


def test_the_device_is_opened_once_and_silently(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL + "int main(void) { return 0; }\n")
    program = toolchain.program(part, toolchain.link_probes(part))
    assert toolchain.run(program) == ""

    def told(**settings: str) -> str:
        environment = {**os.environ, "DTRACE_DOF_INIT_DEBUG": "1", **settings}
        return subprocess.run([program], env=environment, capture_output=True, text=True, timeout=10).stderr

    assert told(DTRACE_DOF_INIT_DEVNAME="/nonexistent") == "dtrace DOF: cannot open the helper device\n"
    assert told(DTRACE_DOF_INIT_DEVNAME="/dev/null") == "dtrace DOF: the kernel refused the DOF\n"
    assert told(DTRACE_DOF_INIT_DISABLE="1") == ""


@pytest.mark.parametrize("target", ["illumos", "freebsd"])
def test_other_systems(toolchain: Toolchain, target: str) -> None:
    one(toolchain)
    if target == "illumos":  # which there is not for every host's processor
        toolchain.compiler = [*command("x86-64"), "-O2"]
    part = toolchain.compile("part.c", ONE_CALL + "int main(void) { return 0; }\n")
    generated = toolchain.link_probes(part, target=target)
    with open(generated, "rb") as file:
        elf = ElfFile(file.read())
    assert elf.data[7] == {"freebsd": 9}.get(target, 0)  # EI_OSABI, as the system's own -G has it
    section = elf.section(".SUNW_dof")
    assert section is not None and section.type == 0x6FFFFFF4
    assert elf.section(".note.stapsdt") is None
    undefined = {each.name for each in elf.symbols(elf.symbol_table()) if not each.section}  # type: ignore[arg-type]
    assert {b"open", b"ioctl", b"close"} <= undefined
    program = toolchain.program(part, generated)  # the same names serve here
    if target != "illumos" or compilers.runs("x86-64"):
        toolchain.run(program)


def test_the_generated_object_tells_each_probe_once(toolchain: Toolchain) -> None:
    """Its notes are of functions in other objects, as its DOF is."""
    one(toolchain)
    found = reading.probes_of(toolchain.link_probes(toolchain.compile("part.c", ONE_CALL)))
    assert [(each.source, each.function, each.name) for each in found] == [("dof", "call", "hit")]


def test_notes_can_be_left_out(toolchain: Toolchain) -> None:
    one(toolchain)
    generated = toolchain.link_probes(toolchain.compile("part.c", ONE_CALL), stapsdt="no")
    with open(generated, "rb") as file:
        assert ElfFile(file.read()).section(".note.stapsdt") is None


# -- refusals -----------------------------------------------------------------------------------------

def refusal(tools: Toolchain, *objects: str, **options: object) -> str:
    """The one line of the error; the objects are left as they were."""
    before = [Path(each).read_bytes() for each in objects if Path(each).exists()]
    with pytest.raises(LinkError) as caught:
        tools.link_probes(*objects, **options)
    assert [Path(each).read_bytes() for each in objects if Path(each).exists()] == before
    assert "\n" not in str(caught.value)
    assert not Path(tools.path("prov.o")).exists()
    return str(caught.value)


def test_unused_providers_are_an_error(toolchain: Toolchain) -> None:
    one(toolchain)
    plain = toolchain.compile("plain.c", "int x;\n")
    assert refusal(toolchain, plain) == "the objects call no probe of provider one"
    toolchain.providers = [*toolchain.providers, ProviderDefinition("another", [])]
    assert refusal(toolchain, plain) == "the objects call no probe of provider one, another"


def test_unsuitable_outputs(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL)
    before = Path(part).read_bytes()
    for output in (part, toolchain.path("nowhere/out.o")):
        with pytest.raises(LinkError):
            link(toolchain.providers, [part], output)
        assert Path(part).read_bytes() == before


def test_the_output_is_newer_than_the_objects(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL)
    generated = toolchain.link_probes(part)
    assert os.stat(generated).st_mtime_ns >= os.stat(part).st_mtime_ns


def test_undeclared_provider_and_probe(toolchain: Toolchain) -> None:
    part = toolchain.compile("main.c", MAIN)
    toolchain.providers = [toolchain.providers[0]]
    assert "provider second" in refusal(toolchain, part)
    toolchain.providers = [ProviderDefinition("prov", toolchain.providers[0].probes[:2]),
                           ProviderDefinition("second", [ProbeDefinition("both", [INT])])]
    assert "prov:::both" in refusal(toolchain, part)


def test_link_time_optimization_is_refused(toolchain: Toolchain) -> None:
    one(toolchain)
    for flags in (("-flto",), ("-flto", "-ffat-lto-objects")):
        assert "-fno-lto" in refusal(toolchain, toolchain.compile("part.c", ONE_CALL, *flags))


def test_other_files_are_refused(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", ONE_CALL)
    assert "not an ELF file" in refusal(toolchain, toolchain.path("part.c"))
    assert "cannot open" in refusal(toolchain, toolchain.path("nowhere.o"))
    names = [f"{number}.o" for number in range(12)]
    assert refusal(toolchain, *names[:2]) == "there are no objects 0.o, 1.o"
    assert refusal(toolchain, *names).endswith("6.o, 7.o and 4 more")
    assert refusal(toolchain, *names[:9]).endswith("6.o, 7.o and 1 more")
    assert refusal(toolchain, *names[:8]).endswith("6.o, 7.o")
    main = toolchain.program(toolchain.compile("main.c", "int main(void) { return 0; }\n"))
    assert "not a relocatable object" in refusal(toolchain, main)
    assert "64-bit" in refusal(toolchain, part, bits=32)


def test_a_probe_function_stored_in_data_is_refused(toolchain: Toolchain) -> None:
    one(toolchain)
    part = toolchain.compile("part.c", '#include "prov.h"\nvoid (*table[])(int, const char *) = {'
                             " __dtrace_one___hit };\n" + "void f(void) { ONE_HIT(1, \"a\"); }\n")
    assert "not called, but stored in .data" in refusal(toolchain, part)


def test_objects_of_two_machines(toolchain: Toolchain) -> None:
    one(toolchain)
    first = toolchain.compile("first.c", ONE_CALL)
    toolchain.compiler = command("i386")
    second = toolchain.compile("second.c", ONE_CALL)
    assert "i386" in refusal(toolchain, first, second)


@pytest.mark.parametrize("at", [16, 40, 58, 60, 62])
def test_a_broken_header_is_told_in_one_line(toolchain: Toolchain, at: int) -> None:
    one(toolchain)
    part = Path(toolchain.compile("part.c", ONE_CALL))
    data = bytearray(part.read_bytes())
    data[at:at + 2] = b"\xff\x7f"
    part.write_bytes(data)
    refusal(toolchain, str(part))


def test_truncated_objects_never_crash(toolchain: Toolchain) -> None:
    one(toolchain)
    part = Path(toolchain.compile("part.c", ONE_CALL))
    whole = part.read_bytes()
    for length in range(0, len(whole) - 1, 37):
        part.write_bytes(whole[:length])
        refusal(toolchain, str(part))
