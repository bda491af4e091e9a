"""The option table, values as users write them, pragmas, stability, probe descriptions."""

from __future__ import annotations

from pathlib import Path

import pytest

from dc import stability
from dc.diagnostics import NOWHERE, CompileError, Span
from dc.names import pragmas
from dc.options import OptionError, Options, parse_rate, parse_size
from dc.source.lexer import Macros
from dc.source.specifiers import Specifier, describe
from dc.source.tree import Pragma, ProbeSpec
from dof.model import Attributes
from dof.options import (
    BY_ID,
    OPTION_MAX,
    OPTION_NAMES,
    TABLE,
    UNSET,
    VALUE_MAX,
    Kind,
    OptionId,
    Phase,
    described,
    kernel_defaults,
    within,
)

KEPT = Path(__file__).with_name("options.txt")


def test_every_runtime_option_has_a_row() -> None:
    assert set(BY_ID) == set(OPTION_NAMES) - {OptionId.ZONE}  # there are no zones here
    assert all((row.id is None) == (row.phase in (Phase.COMPILE, Phase.BOOT)) for row in TABLE.values()
               if row.name != "oformat")


@pytest.mark.parametrize("name", TABLE)
def test_rows_are_whole(name: str) -> None:
    row = TABLE[name]
    assert row.name == name and row.help and row.spelling.startswith(name)
    assert (row.kind == Kind.CHOICE) == bool(row.choices)
    assert row.default == UNSET or row.least <= row.default <= row.most
    assert row.in_kernel in (UNSET, row.default)
    assert row.phase != Phase.BOOT or row.outside


def test_usage_tells_every_option() -> None:
    shown = dict(described(Phase.COMPILE, Phase.RUNTIME, Phase.DYNAMIC, Phase.BOOT))
    assert len(shown) == len(TABLE)
    assert shown["bufsize=SIZE"] == "size of a principal buffer (-b, default 4m)"
    assert shown["cleanrate=RATE"].endswith("(default 101hz)") and shown["quiet[=N]"].endswith("(-q)")
    assert shown["bufpolicy=ring|fill|switch"].endswith("(default switch)")


def table() -> str:
    """What each option is unless it is set, in a kernel too, within which bounds, and what its words are."""
    def number(value: int) -> str:
        return "-" if value == UNSET else "most" if value == VALUE_MAX else str(value)

    rows = [" ".join([row.name, *map(number, (row.default, row.in_kernel, row.least, row.most)),
                      *(f"{word or repr(word)}={value}" for word, value in row.choices.items())])
            for row in TABLE.values()]
    return "".join(f"{row}\n" for row in rows)


def test_numbers_of_the_table() -> None:
    """As `options.txt` has them; `make golden` writes it anew."""
    assert table() == KEPT.read_text()
    assert kernel_defaults()[:OPTION_MAX] == [BY_ID[number].in_kernel if number in BY_ID else UNSET
                                              for number in range(OPTION_MAX)]
    assert len(kernel_defaults()) == OPTION_MAX and kernel_defaults()[OptionId.STRSIZE] == 256


@pytest.mark.parametrize(("number", "value", "moved"), [
    (OptionId.BUFSIZE, -1, 0), (OptionId.BUFSIZE, VALUE_MAX, VALUE_MAX), (OptionId.STRSIZE, 256, 256),
    (OptionId.STRSIZE, 1 << 30, 1 << 24), (OptionId.CLEANRATE, 0, 200_000),
    (OptionId.CLEANRATE, 200_000, 200_000), (OptionId.CLEANRATE, 1 << 62, 60 * 10**9)])
def test_values_are_moved_to_their_bounds(number: int, value: int, moved: int) -> None:
    assert within(number, value) == moved


@pytest.mark.parametrize(("wrong", "right"), [("ncpu", "ncpus"), ("bufsiz", "bufsize"), ("seeed", "seed")])
def test_the_nearest_name_is_suggested(wrong: str, right: str) -> None:
    with pytest.raises(OptionError, match=f"did you mean `{right}`"):
        Options().set(wrong, "2")


def test_who_sets_a_kernels_buffers_wants_its_drops() -> None:
    options, choices = Options(), TABLE["lossless"].choices
    options.assign("cpp")
    assert options.values == {"cpp": 1}
    options.assign("bufsize=4m")
    assert options.values["lossless"] == choices["no"]
    options.assign("lossless=yes")
    options.assign("aggsize=4m")
    assert options.values["lossless"] == choices["yes"]


def test_options_of_the_machine() -> None:
    options = Options()
    for setting in ("ncpus=2", "clock=real", "strictalign", "image=a.toml", "seed=0", "quiet"):
        options.assign(setting)
    assert options.machine() == {"ncpus": 2, "clock": "real", "strictalign": "", "image": "a.toml", "seed": 0}
    for setting in ("ncpus=0", "ncpus=65", "ncpus", "clock=never", "image", "seed=-1"):
        with pytest.raises(OptionError):
            Options().assign(setting)
    with pytest.raises(OptionError, match="command line"):
        Options().set("ncpus", "2", program=True)
    with pytest.raises(OptionError, match=r"\(1 to 64\)"):
        Options().assign("ncpus=65")
    with pytest.raises(OptionError, match=r"option$"):  # of one without an end there is no more to say
        Options().assign("iregs=0")


@pytest.mark.parametrize(("text", "size"), [
    ("4", 4), ("4k", 4096), ("4K", 4096), ("2m", 2 << 20), ("1g", 1 << 30), ("1T", 1 << 40), ("0x10", 16),
    ("010", 8), ("0x10k", 16384), ("0", 0), ("+5", 5), (" 7", 7), (str(VALUE_MAX), VALUE_MAX),
    ("9007199254740991k", VALUE_MAX - 1023), ("8388607t", VALUE_MAX + 1 - (1 << 40))])
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(("text", "rate"), [
    ("10hz", 10**8), ("1s", 10**9), ("500ms", 5 * 10**8), ("3us", 3000), ("7", 7), ("2min", 120 * 10**9),
    ("1hour", 3600 * 10**9), ("1DAY", 86400 * 10**9), ("0hz", 0)])
def test_rates(text: str, rate: int) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("setting", [
    f"bufsize={VALUE_MAX + 1}", "bufsize=9007199254740992k", "bufsize=8388608t", "bufsize=08", "bufsize=0x",
    "bufsize=k", "bufsize=kk", "bufsize=1 k", "bufsize=0b1", "bufsize=1_0", "bufsize=٣",
    "bufsize=4x", "bufsize=", "bufsize=-1", "bufsize=99999999999999999999", "aggrate=1parsec", "nosuch=1",
    "bufpolicy=never", "bufpolicy", "errtags=1", "tregs=0", "quiet=maybe", "stackframes=1.5"])
def test_refused_values(setting: str) -> None:
    with pytest.raises(OptionError):
        Options().assign(setting)


def test_choices_are_told() -> None:
    with pytest.raises(OptionError, match=r"\(ring, fill, switch\)"):
        Options().set("bufpolicy", "spiral")


@pytest.mark.parametrize(("target", "numbering"), [("linux", "illumos"), ("illumos", "illumos"),
                                                   ("freebsd", "freebsd")])
def test_whose_numbers_programs_have(target: str, numbering: str) -> None:
    options = Options()
    assert options.numbering == "illumos"
    options.set("target", target)
    assert options.numbering == numbering


def test_setting() -> None:
    options = Options()
    for setting in ("bufsize=1m", "quiet", "flowindent=on", "rawbytes=off", "bufpolicy=ring", "libdir=/a",
                    "libdir=/b", "switchrate=10hz", "destructive=0"):
        options.assign(setting)
    assert options.is_on("quiet") and options.is_on("flowindent") and options.is_on("destructive")
    assert not options.is_on("rawbytes") and not options.is_on("stackindent")
    assert options.choice("bufpolicy", "switch") == "ring" and options.items("libdir") == ["/a", "/b"]
    assert dict(options.runtime()) == {
        OptionId.BUFSIZE: 1 << 20, OptionId.BUFPOLICY: 0, OptionId.FLOWINDENT: 1, OptionId.QUIET: 0,
        OptionId.SWITCHRATE: 10**8, OptionId.DESTRUCTIVE: 0}
    other = options.copy()
    other.assign("libdir=/c")
    other.assign("quiet=off")
    assert options.items("libdir") == ["/a", "/b"] and options.is_on("quiet")


def test_a_program_may_not_set_what_is_outside_of_it() -> None:
    with pytest.raises(OptionError, match="A program cannot set this option"):
        Options().set("define", "X", program=True)


def test_the_environment_of_programs() -> None:
    options = Options()
    for setting in ("setenv=A=1", "setenv=B=2=3", "unsetenv=A", "setenv=C", "unsetenv=HOME"):
        options.assign(setting)
    assert options.environment({"HOME": "/", "X": "y"}) == {"X": "y", "B": "2=3", "C": ""}
    with pytest.raises(OptionError):
        options.assign("unsetenv=A=1")


class Target:
    """Records what pragmas do."""

    def __init__(self) -> None:
        self.options = Options()
        self.done: list[tuple[object, ...]] = []

    def set_attributes(self, name: str, attributes: Attributes, span: Span) -> None:
        self.done.append((name, attributes))

    def set_provider_attributes(self, provider: str, part: str, attributes: Attributes, span: Span) -> None:
        self.done.append((provider, part, attributes))

    def set_binding(self, name: str, version: tuple[int, int, int], span: Span) -> None:
        self.done.append((name, version))

    def has_dependency(self, kind: str, name: str, span: Span) -> bool:
        return name == "here"

    def option_changed(self, name: str) -> None:
        self.done.append(("option", name))


def test_pragmas_that_do_something() -> None:
    target = Target()
    for words in (["pragma", "D", "option", "bufsize=8k"], ["pragma", "D", "binding", b"1.2", "x"],
                  ["pragma", "D", "attributes", "Stable/Evolving/ISA", "y"],
                  ["pragma", "D", "attributes", "Private/Private/CPU", "provider", "p", "args"],
                  ["pragma", "D", "depends_on", "module", "here"], ["ident", b"x"], ["pragma", "foo", "bar"],
                  [], ["pragma"], ["pragma", "ident", b"v"]):
        pragmas.apply(Pragma(NOWHERE, list(words)), target)
    assert target.done == [("option", "bufsize"), ("x", (1, 2, 0)), ("y", (6, 5, 4)),
                           ("p", "args", (1, 1, 1))]
    assert target.options.number("bufsize", 0) == 8192


@pytest.mark.parametrize(("words", "tag"), [
    (["error", "no", b"way"], "D_PRAGERR"), (["include", "<x>"], "D_PRAGCTL_INVAL"),
    ([b"x"], "D_PRAGCTL_INVAL"), (["pragma", "D", "nonsense"], "D_PRAGMA_INVAL"),
    (["pragma", "D", "option"], "D_PRAGMA_MALFORM"),
    (["pragma", "D", "option", "a", "b"], "D_PRAGMA_MALFORM"),
    (["pragma", "D", "option", "nosuch"], "D_PRAGMA_OPTSET"),
    (["pragma", "D", "attributes", "Wobbly/Stable/ISA", "x"], "D_PRAGMA_INVAL"),
    (["pragma", "D", "attributes", "Stable"], "D_PRAGMA_MALFORM"),
    (["pragma", "D", "attributes", "Stable", "provider", "p", "colour"], "D_PRAGMA_INVAL"),
    (["pragma", "D", "attributes", "Stable", "provider", "p"], "D_PRAGMA_MALFORM"),
    (["pragma", "D", "binding", "1.0", "x"], "D_PRAGMA_MALFORM"),
    (["pragma", "D", "binding", b"one", "x"], "D_PRAGMA_INVAL"),
    (["pragma", "D", "depends_on", "module", "gone"], "D_PRAGMA_DEPEND"),
    (["pragma", "D", "depends_on", "weather", "here"], "D_PRAGMA_INVAL"),
    (["pragma", "D", "depends_on", "module"], "D_PRAGMA_MALFORM"),
])
def test_pragmas_that_are_refused(words: list[str | bytes | int], tag: str) -> None:
    with pytest.raises(CompileError) as caught:
        pragmas.apply(Pragma(NOWHERE, words), Target())
    assert caught.value.tag == tag


@pytest.mark.parametrize(("text", "attributes"), [
    ("Evolving/Stable/Common", (5, 6, 5)), ("private/PRIVATE/cpu", (1, 1, 1)), ("Unstable", (4, 7, 5)),
    ("Unstable/Private", (4, 1, 5)), ("", (7, 7, 5)), ("Foo", None), ("Stable/Stable/Common/Extra", None)])
def test_stability(text: str, attributes: tuple[int, int, int] | None) -> None:
    assert stability.parse(text) == attributes


def test_stability_is_spelt_as_it_is_read() -> None:
    assert stability.spell(Attributes(5, 1, 4)) == "Evolving/Private/ISA"


@pytest.mark.parametrize(("text", "specifier", "description"), [
    ("a:b:c:d", Specifier.NAME, ("a", "b", "c", "d")), ("d", Specifier.NAME, ("", "", "", "d")),
    ("c:d", Specifier.NAME, ("", "", "c", "d")), ("a:::", Specifier.NAME, ("a", "", "", "")),
    ("c", Specifier.FUNCTION, ("", "", "c", "")), ("a:b", Specifier.MODULE, ("a", "b", "", "")),
    ("a", Specifier.PROVIDER, ("a", "", "", "")),
    ("pid$target::f$1:entry", Specifier.NAME, ("pid7", "", "fg", "entry")),
    ("pid$$target:::", Specifier.NAME, ("pid7", "", "", "")),
])
def test_descriptions(text: str, specifier: Specifier, description: tuple[str, ...]) -> None:
    macros = Macros(["prog", "g"], {"target": 7})
    assert describe(ProbeSpec(NOWHERE, text), macros, specifier)[:4] == description


@pytest.mark.parametrize(("spec", "specifier"), [
    (ProbeSpec(NOWHERE, "a:b:c:d:e"), Specifier.NAME), (ProbeSpec(NOWHERE, "a:b"), Specifier.PROVIDER),
    (ProbeSpec(NOWHERE, "pid$nosuch:::"), Specifier.NAME), (ProbeSpec(NOWHERE, "pid$3:::"), Specifier.NAME),
    (ProbeSpec(NOWHERE, "x" * 64 + ":::"), Specifier.NAME), (ProbeSpec(NOWHERE, "", 1 << 32), Specifier.NAME),
    (ProbeSpec(NOWHERE, "", 1), Specifier.FUNCTION), (ProbeSpec(NOWHERE, "pid$:::"), Specifier.NAME),
])
def test_refused_descriptions(spec: ProbeSpec, specifier: Specifier) -> None:
    with pytest.raises(CompileError) as caught:
        describe(spec, Macros(["p"]), specifier)
    assert caught.value.tag == "D_PDESC_INVAL"


def test_a_number_is_a_description() -> None:
    assert describe(ProbeSpec(NOWHERE, "", 12), Macros()).id == 12


if __name__ == "__main__":
    KEPT.write_text(table())
