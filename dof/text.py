"""Program ⇄ text: DIF objects in the assembler's language, what refers to them as directives.

`dump` writes a text from which `load` makes the same program: difdis and
difas are these two.  DIF objects come first, each under a name; `.ecb`,
`.option`, `.translator` and `.provider` follow.  Strings are quoted, numbers
decimal or 0x, `!` and `#` start a comment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dif import assembler, disassembler, syntax
from dif.assembler import AssemblerError
from dif.difo import Difo
from dof.format import MODEL_ILP32, MODEL_LP64
from dof.model import (
    ACTION_NAMES,
    Action,
    Attributes,
    Ecb,
    Member,
    Probe,
    ProbeDesc,
    Program,
    Provider,
    Translator,
)

_MODELS = {MODEL_ILP32: "ilp32", MODEL_LP64: "lp64"}


# -- Program → text --------------------------------------------------------------------------------

def dump(program: Program) -> str:
    """`program` as text; the same program always gives the same text."""
    return _Dumper().program(program)


def _quote(text: str) -> str:
    return syntax.quote(text.encode("utf-8", "surrogateescape"))


def _list(directive: str, texts: list[str]) -> list[str]:
    return [" ".join((f"  {directive}", *map(_quote, texts)))] if texts else []


def _numbers(directive: str, values: list[int]) -> list[str]:
    return [" ".join((f"  {directive}", *map(str, values)))] if values else []


def _attributes(value: Attributes) -> str:
    return "/".join(map(str, value))


class _Dumper:
    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._objects: list[str] = []

    def program(self, program: Program) -> str:
        body: list[str] = []
        for translator in program.translators:
            body += self._translator(translator)
        for ecb in program.ecbs:
            body += self._ecb(ecb)
        body += [f".option {number} {value}" for number, value in program.options]
        for provider in program.providers:
            body += self._provider(provider)
        for difo in program.difos:
            self._name(difo)
        for directive, text in ((".source", program.source), (".comments", program.comments)):
            body += [f"{directive} {_quote(text)}"] if text else []
        body += [f".utsname {syntax.quote(program.utsname)}"] if program.utsname else []
        head = f".model {syntax.name_of(_MODELS, program.model)}\n"
        return "\n".join([head, *self._objects, *body]).rstrip("\n") + "\n"

    def _name(self, difo: Difo) -> str:
        if id(difo) not in self._names:
            self._names[id(difo)] = name = f"d{len(self._names)}"
            self._objects.append(disassembler.text(difo, name))
        return self._names[id(difo)]

    def _ecb(self, ecb: Ecb) -> list[str]:
        lines = [f".ecb {' '.join(map(_quote, ecb.probe[:4]))} {ecb.probe.id} {ecb.uarg:#x}"]
        if ecb.predicate is not None:
            lines.append(f"  .predicate {self._name(ecb.predicate)}")
        return lines + [self._action(action) for action in ecb.actions]

    def _action(self, action: Action) -> str:
        parts = ["  .action", syntax.name_of(ACTION_NAMES, action.kind),
                 "-" if action.difo is None else self._name(action.difo),
                 f"{action.arg:#x}", f"{action.uarg:#x}", str(action.ntuple)]
        if action.string is not None:
            parts.append(_quote(action.string))
        return " ".join(parts)

    def _translator(self, translator: Translator) -> list[str]:
        lines = [f".translator {'export' if translator.exported else 'import'} {_quote(translator.type)} "
                 f"{_attributes(translator.attributes)}"]
        lines += _list(".inputs", translator.inputs)
        for member in translator.members:
            code = "-" if member.difo is None else self._name(member.difo)
            lines.append(f"  .member {_quote(member.name)} {code} {syntax.type_text(member.type)}")
        return lines

    def _provider(self, provider: Provider) -> list[str]:
        lines = [f".provider {_quote(provider.name)} {' '.join(map(_attributes, provider.attributes))}"]
        lines += _numbers(".exports", provider.exports)
        for probe in provider.probes:
            symbol = "-" if probe.symbol is None else _quote(probe.symbol)
            names = f"{_quote(probe.function)} {_quote(probe.name)}"
            lines.append(f"  .probe {names} {probe.address:#x} {symbol}")
            lines += _list(".native", probe.native) + _list(".xlated", probe.xlated)
            lines += _numbers(".mapping", probe.mapping) + _numbers(".offsets", probe.offsets)
            lines += _numbers(".enabled", probe.enabled_offsets)
        return lines


# -- text → Program --------------------------------------------------------------------------------

def load(text: str, *, target: str = "illumos") -> Program:
    """The program that `text` describes.

    DIF objects that no directive names become `Program.difos`.  Raises
    AssemblerError with the line.
    """
    loader = _Loader(target)
    for number, line in enumerate(text.splitlines(), 1):
        try:
            loader.line(number, line)
        except AssemblerError:
            raise
        except ValueError as error:
            raise AssemblerError(number, str(error)) from None
    return loader.finish()


class _Loader:
    """Collects objects line by line; directives below them refer to them by name."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._program = Program()
        self._objects: dict[str, Difo] = {}
        self._used: set[str] = set()
        self._open: tuple[str, list[tuple[int, str]]] | None = None

    def line(self, number: int, line: str) -> None:
        words = syntax.tokens(line)
        if not words:
            return
        name = words[0]
        if name == ".difo":
            self._close()
            if len(words) != 2:
                raise ValueError("expected a name")
            if words[1] in self._objects:
                raise ValueError(f"object {words[1]} is defined twice")
            self._open = (words[1], [(number, line)])
        elif name in _DIRECTIVES:
            self._close()
            _DIRECTIVES[name](self, words[1:])
        elif self._open is not None:
            self._open[1].append((number, line))
        elif name in assembler.DIRECTIVES or not name.startswith("."):
            self._open = ("d0", [(number, line)])
        else:
            raise ValueError(f"unknown directive {name}")

    def finish(self) -> Program:
        self._close()
        self._program.difos = [difo for name, difo in self._objects.items() if name not in self._used]
        return self._program

    def _close(self) -> None:
        if self._open is not None:
            name, lines = self._open
            self._objects[name] = assembler.assemble_lines(lines, target=self._target)
            self._open = None

    def _object(self, name: str) -> Difo | None:
        if name == "-":
            return None
        if name not in self._objects:
            raise ValueError(f"unknown object {name}")
        self._used.add(name)
        return self._objects[name]

    # -- directives --

    def model(self, words: list[str]) -> None:
        _expect(words, 1, "a data model")
        self._program.model = syntax.value_of(_MODELS, words[0])

    def ecb(self, words: list[str]) -> None:
        _expect(words, 6, "four names, an id and an argument")
        provider, module, function, name = map(_text, words[:4])
        probe = ProbeDesc(provider, module, function, name, syntax.number(words[4]))
        self._program.ecbs.append(Ecb(probe, uarg=syntax.number(words[5])))

    def predicate(self, words: list[str]) -> None:
        _expect(words, 1, "an object")
        self._last_ecb().predicate = self._object(words[0])

    def action(self, words: list[str]) -> None:
        if len(words) not in (5, 6):
            raise ValueError("expected KIND OBJECT ARG UARG NTUPLE [STRING]")
        kind, difo, arg, uarg, ntuple = words[:5]
        self._last_ecb().actions.append(Action(
            syntax.value_of(ACTION_NAMES, kind), self._object(difo), syntax.number(arg), syntax.number(uarg),
            syntax.number(ntuple), _text(words[5]) if len(words) == 6 else None))

    def _last_ecb(self) -> Ecb:
        return _last(self._program.ecbs, ".ecb")

    def option(self, words: list[str]) -> None:
        _expect(words, 2, "an option and a value")
        self._program.options.append((syntax.number(words[0]), syntax.number(words[1])))

    def source(self, words: list[str]) -> None:
        _expect(words, 1, "a string")
        self._program.source = _text(words[0])

    def comments(self, words: list[str]) -> None:
        _expect(words, 1, "a string")
        self._program.comments = _text(words[0])

    def utsname(self, words: list[str]) -> None:
        _expect(words, 1, "a string")
        self._program.utsname = syntax.unquote(words[0])

    def translator(self, words: list[str]) -> None:
        _expect(words, 3, "import or export, a type name and attributes")
        if words[0] not in ("import", "export"):
            raise ValueError(f"expected import or export, found {words[0]}")
        self._program.translators.append(
            Translator([], _text(words[1]), _parse_attributes(words[2]), exported=words[0] == "export"))

    def inputs(self, words: list[str]) -> None:
        _last(self._program.translators, ".translator").inputs = [_text(word) for word in words]

    def member(self, words: list[str]) -> None:
        _expect(words, 6, "a name, an object and a type")
        _last(self._program.translators, ".translator").members.append(
            Member(_text(words[0]), syntax.type_value(words[2:]), self._object(words[1])))

    def provider(self, words: list[str]) -> None:
        _expect(words, 6, "a name and five attributes")
        a, b, c, d, e = map(_parse_attributes, words[1:])
        self._program.providers.append(Provider(_text(words[0]), (a, b, c, d, e)))

    def exports(self, words: list[str]) -> None:
        self._last_provider().exports = [syntax.number(word) for word in words]

    def probe(self, words: list[str]) -> None:
        _expect(words, 4, "a function, a name, an address and a symbol or -")
        function, name, address, symbol = words
        self._last_provider().probes.append(Probe(
            _text(function), _text(name), syntax.number(address),
            symbol=None if symbol == "-" else _text(symbol)))

    def native(self, words: list[str]) -> None:
        self._last_probe().native = [_text(word) for word in words]

    def xlated(self, words: list[str]) -> None:
        self._last_probe().xlated = [_text(word) for word in words]

    def mapping(self, words: list[str]) -> None:
        self._last_probe().mapping = [syntax.number(word) for word in words]

    def offsets(self, words: list[str]) -> None:
        self._last_probe().offsets = [syntax.number(word) for word in words]

    def enabled(self, words: list[str]) -> None:
        self._last_probe().enabled_offsets = [syntax.number(word) for word in words]

    def _last_provider(self) -> Provider:
        return _last(self._program.providers, ".provider")

    def _last_probe(self) -> Probe:
        return _last(self._last_provider().probes, ".probe")


T = TypeVar("T")


def _last(items: list[T], directive: str) -> T:
    if not items:
        raise ValueError(f"no {directive} before this")
    return items[-1]


def _expect(words: list[str], count: int, what: str) -> None:
    if len(words) != count:
        raise ValueError(f"expected {what}")


def _text(token: str) -> str:
    return syntax.unquote(token).decode("utf-8", "surrogateescape")


def _parse_attributes(token: str) -> Attributes:
    parts = token.split("/")
    if len(parts) != 3:
        raise ValueError(f"expected attributes NAME/DATA/CLASS, found {token}")
    return Attributes(*map(syntax.number, parts))


_DIRECTIVES: dict[str, Callable[[_Loader, list[str]], None]] = {
    ".model": _Loader.model,  # lp64 or ilp32
    ".ecb": _Loader.ecb,  # "PROVIDER" "MODULE" "FUNCTION" "NAME" ID UARG
    ".predicate": _Loader.predicate,  # OBJECT, of the .ecb above
    ".action": _Loader.action,  # KIND OBJECT|- ARG UARG NTUPLE ["STRING"]
    ".option": _Loader.option,  # NUMBER VALUE
    ".source": _Loader.source,
    ".comments": _Loader.comments,
    ".utsname": _Loader.utsname,
    ".translator": _Loader.translator,  # import|export "TYPE" ATTRIBUTES
    ".inputs": _Loader.inputs,  # "TYPE"...
    ".member": _Loader.member,  # "NAME" OBJECT|- and a type
    ".provider": _Loader.provider,  # "NAME" and five ATTRIBUTES
    ".exports": _Loader.exports,  # TRANSLATOR...
    ".probe": _Loader.probe,  # "FUNCTION" "NAME" ADDRESS "SYMBOL"|-
    ".native": _Loader.native,  # "TYPE"...
    ".xlated": _Loader.xlated,
    ".mapping": _Loader.mapping,  # NATIVE-ARGUMENT...
    ".offsets": _Loader.offsets,
    ".enabled": _Loader.enabled,
}
