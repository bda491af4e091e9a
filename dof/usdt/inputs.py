"""What `dtrace -G` is given: objects, and archives of them.

An archive's members are objects like others, and are named LIBRARY(MEMBER) in messages.  Those that are no
ELF files stay as they are.  The members of a thin archive are files in its directory or below it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from dif.hostfiles import LARGEST_OBJECT
from dif.limits import SYMBOLS
from dif.records import Record, field
from dof.elf import ELF_MAGIC, SHN_UNDEF, STB_GLOBAL, STB_WEAK, ElfError, ElfFile
from dof.format import DofError
from dof.holders import archive
from dof.usdt.sites import BITCODE, LinkError, ProbeObject, open_object, read_file

_STB_GNU_UNIQUE = 10
_INDEXED = frozenset((STB_GLOBAL, STB_WEAK, _STB_GNU_UNIQUE))
GENERATED = "-usdt.o"  # how the name of a generated object ends that is a member of an archive
_NAMED = 8  # objects that are not there, in a message


class Library(Record):
    """An archive: its members with their contents, and those of them that are objects, by number.

    No object may have more than `most_symbols`.
    """

    path: str
    is_thin: bool
    members: list[archive.Member]
    most_symbols: int = SYMBOLS
    objects: dict[int, ProbeObject] = field(default_factory=dict)

    def files(self, changed: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files to write, by path, for the objects of all inputs that have changed, by their names."""
        if not any(each.path in changed for each in self.objects.values()):
            return {}
        members = self._with(changed)
        files = {}
        if self.is_thin:
            for number, each in self.objects.items():
                if each.path in changed:
                    files[archive.member_path(self.path, members[number].name)] = changed[each.path]
        return {**files, self.path: self._archived(members, thin=self.is_thin)}

    def copy(self, changed: Mapping[str, bytes], name: str, generated: bytes) -> bytes:
        """A whole archive of all members and, last, the generated object, in place of an earlier one."""
        name += GENERATED
        members = [each._replace(name=each.name.rpartition("/")[2]) if self.is_thin else each
                   for each in self._with(changed) if each.name != name]
        return self._archived([*members, archive.Member(name, 0, generated)], thin=False)

    def _with(self, changed: Mapping[str, bytes]) -> list[archive.Member]:
        return [member._replace(data=changed.get(self.objects[number].path, member.data))
                if number in self.objects else member for number, member in enumerate(self.members)]

    def _archived(self, members: Sequence[archive.Member], *, thin: bool) -> bytes:
        try:
            defined = [_defined(each.data or b"", self.most_symbols) for each in members]
            return archive.built(members, defined, thin=thin)
        except (DofError, ElfError) as error:
            raise LinkError(f"{self.path}: {error}") from None


class Inputs(Record):
    """All objects, in the order of the command line, and the archives that some of them lie in."""

    objects: list[ProbeObject] = field(default_factory=list)
    libraries: list[Library] = field(default_factory=list)

    def files(self, changed: Mapping[str, bytes]) -> dict[str, bytes]:
        """The files to write, by path: `changed` has the new contents of objects by their names."""
        inside = {each.path for library in self.libraries for each in library.objects.values()}
        files = {path: data for path, data in changed.items() if path not in inside}
        for library in self.libraries:
            files |= library.files(changed)
        return files


def separate(words: Sequence[str]) -> list[str]:
    """The files that the operands of a command line name.

    A list of CMake's ($<TARGET_OBJECTS:...>) is one word, with semicolons, unless its rule expands lists.
    """
    return [path for word in words for path in ([word] if os.path.exists(word) else word.split(";")) if path]


def open_inputs(paths: Sequence[str], most_symbols: int = SYMBOLS) -> Inputs:
    """Read objects and archives; no object may have more than `most_symbols`.  Raises LinkError."""
    inputs = Inputs()
    missing = [path for path in paths if not os.path.lexists(path)]
    if len(missing) > 1:
        more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
        raise LinkError(f"there are no objects {', '.join(missing[:_NAMED])}{more}")
    for path in paths:
        data = read_file(path)
        if not archive.is_archive(data):
            inputs.objects.append(open_object(path, data, most_symbols))
            continue
        library = Library(path, data.startswith(archive.THIN), list(_members(path, data)), most_symbols)
        inputs.libraries.append(library)
        seen: dict[str, int] = {}
        for number, member in enumerate(library.members):
            contents = member.data or b""
            shown = "".join(each if each.isprintable() else "?" for each in member.name)
            seen[shown] = seen.get(shown, 0) + 1
            again = f", {seen[shown]}" if seen[shown] > 1 else ""
            if _is_object(contents):
                name = f"{path}({shown}{again})"
                library.objects[number] = open_object(name, contents, most_symbols)
        inputs.objects += library.objects.values()
    return inputs


def bits_of(path: str) -> int | None:
    """32 or 64 as the ELF header of an object, or of an archive's first, says; None without one to read."""
    try:
        data = read_file(path)
        members = _members(path, data) if archive.is_archive(data) else iter([archive.Member(path, 0, data)])
        contents = (each.data or b"" for each in members)
        first = next((each[:5] for each in contents if each.startswith(ELF_MAGIC)), b"")
    except LinkError:
        return None
    return {ELF_MAGIC + b"\1": 32, ELF_MAGIC + b"\2": 64}.get(first)


def _is_object(data: bytes) -> bool:
    return data[:4] == ELF_MAGIC or data[:4] in BITCODE  # which gets its message


def _members(path: str, data: bytes) -> Iterator[archive.Member]:
    """The members of an archive with their contents, those of a thin one from their files."""
    room = LARGEST_OBJECT  # for the files: a thin archive may name one many times
    try:
        for each in archive.members(data):
            if each.data is None:
                each = each._replace(data=archive.read_member(path, each.name))
                room -= len(each.data or b"")
                if room < 0:
                    raise DofError("members", f"they have more than {LARGEST_OBJECT >> 20} MB")
            yield each
    except DofError as error:
        raise LinkError(f"{path}: {error}") from None


def _defined(data: bytes, most_symbols: int) -> list[bytes]:
    """The names that a member defines for others, as ranlib(1) finds them: common symbols, too."""
    if data[:4] != ELF_MAGIC:
        return []
    elf = ElfFile(data, most_symbols)
    symtab = elf.symbol_table()
    return [each.name for each in elf.symbols(symtab)
            if each.section != SHN_UNDEF and each.binding in _INDEXED] if symtab is not None else []
