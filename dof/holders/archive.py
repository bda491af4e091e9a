"""Archives as ar(1) writes them: GNU's and System V's names, BSD's, and thin ones.

A header is 60 characters (<ar.h>): name 16, date 12, owner 6, group 6, mode 8, size 10, and "`\\n".  Members
begin at even offsets.  "/" is the table of symbols, "//" that of long names, "/N" a name at offset N of the
latter, "#1/N" a name in the N bytes that the member begins with.  A thin archive holds the two tables, and of
every other member the name of its file.

What `built` writes is GNU's form, which every linker of ELF reads: a table of symbols, a table of the names
that are longer than 15 bytes (of all names in a thin archive), and the members.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence

from dif.hostfiles import read_whole
from dif.records import NamedTuple
from dof.format import DofError

MAGIC, THIN = b"!<arch>\n", b"!<thin>\n"
_HEADER, _END = 60, b"`\n"
_SYMBOLS = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED", b"__.SYMDEF_64")
_MOST_MEMBERS = 1 << 16  # members
_LONGEST = 4096  # bytes of a name: PATH_MAX
_SHORT_NAME = 15  # bytes: the field has 16, and a name ends with a slash
# Date, owner, group and mode of a table, and of a member that is always the same, as `ar D` writes them.
_OF_SYMBOLS = b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"0".ljust(8)
_OF_NAMES = b"".ljust(32)
PLAIN_STAMP = b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"644".ljust(8)


class Member(NamedTuple):
    """A member: its contents are at `offset`, in bytes from the archive's start.

    Those of a thin archive's member are None, and in the file `name`, seen from the archive's directory.
    `stamp` are the 32 characters of its header that tell date, owner, group and mode.
    """

    name: str
    offset: int
    data: bytes | None
    stamp: bytes = PLAIN_STAMP


def is_archive(data: bytes) -> bool:
    """Whether a file that begins so is an archive."""
    return data.startswith((MAGIC, THIN))


def members(data: bytes) -> Iterator[Member]:
    """The members of an archive, tables left out, in their order.  Raises DofError."""
    thin = data.startswith(THIN)
    names = b""
    at = len(MAGIC)
    for _ in range(_MOST_MEMBERS):
        if at >= len(data):
            return
        name, size = _header(data, at)
        start = at + _HEADER
        is_table = name in _SYMBOLS or name == b"//"
        if is_table or not thin:
            if start + size > len(data):
                raise DofError(f"archive member at {at:#x}", f"truncated: {size} bytes, "
                               f"have {len(data) - start}")
            at = start + size + (start + size) % 2
        else:
            at = start
        if name == b"//":
            names = data[start:start + size]
            continue
        name, skipped = _full_name(name, names, data[start:start + min(size, _LONGEST)])
        if name not in _SYMBOLS:
            yield Member(name.decode("utf-8", "surrogateescape"), start + skipped,
                         None if thin else data[start + skipped:start + size], data[start - 44:start - 12])
    raise DofError("archive", f"more than {_MOST_MEMBERS} members")


def _header(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the name as it is written, without blanks at its end, and the size.  Raises DofError."""
    head = data[at:at + _HEADER]
    size = head[48:58].rstrip(b" ")
    if len(head) < _HEADER or head[58:] != _END or not size.isdigit():
        raise DofError("archive", f"no member header at {at:#x}")
    return head[:16].rstrip(b" "), int(size)


def _full_name(name: bytes, table: bytes, beginning: bytes) -> tuple[bytes, int]:
    """Return a member's name, and how many bytes of its contents are that name.  Raises DofError."""
    if name.startswith(b"#1/") and name[3:].isdigit():
        length = int(name[3:])
        if length > len(beginning):
            raise DofError("archive", f"a name of {length} bytes is longer than its member")
        return beginning[:length].rstrip(b"\0"), length
    if name[:1] == b"/" and name[1:].isdigit():
        start = int(name[1:])
        if start >= len(table):
            raise DofError("archive", f"a name at {start} of a table of {len(table)} bytes")
        return table[start:start + _LONGEST].partition(b"\n")[0].removesuffix(b"/"), 0
    return name if name in _SYMBOLS else name.removesuffix(b"/"), 0


def member_path(archive: str, name: str) -> str:
    """Return the path of the file that a thin archive names: a file in the archive's directory, or below it.

    An archive may have come from anyone, and the command line names no other file.  Raises DofError.
    """
    folder = os.path.realpath(os.path.dirname(archive))
    path = os.path.realpath(os.path.join(folder, name.replace("\0", "?")))
    if os.path.commonpath((folder, path)) != folder:
        raise DofError(name, f"a file outside the directory of {archive}: name that file itself")
    return path


def read_member(archive: str, name: str) -> bytes:
    """Return the contents of a file that a thin archive names.  Raises DofError."""
    try:
        return read_whole(member_path(archive, name))
    except OSError as error:
        raise DofError(name, error.strerror or str(error)) from None


def built(members: Sequence[Member], symbols: Sequence[Sequence[bytes]], *, thin: bool = False) -> bytes:
    """Return an archive of `members`, whose contents are all there.

    symbols[i] are the names that member i defines.  Of a thin archive's member
    it has the length only.  Raises DofError for an archive of 4 GB or more.
    """
    names, fields = bytearray(), []
    for member in members:
        name = os.fsencode(member.name) + b"/"
        if thin or len(name) > _SHORT_NAME + 1:
            fields.append(b"/%d" % len(names))
            names += name + b"\n"
        else:
            fields.append(name)
    texts = [b"".join(name + b"\0" for name in each) for each in symbols]
    size = 4 + 4 * sum(map(len, symbols)) + sum(map(len, texts))
    at = len(MAGIC) + _HEADER + _even(size) + (_HEADER + _even(len(names)) if names else 0)
    places, body = bytearray(), []
    for member, field, each in zip(members, fields, symbols, strict=True):
        contents = member.data or b""
        places += _offset(at) * len(each)
        body.append(_head(field, member.stamp, len(contents)))
        if not thin:
            body.append(contents + b"\n" * (len(contents) % 2))
        at += sum(map(len, body[-1 if thin else -2:]))
    index = struct.pack(">I", sum(map(len, symbols))) + places + b"".join(texts)
    tables = [_head(b"/", _OF_SYMBOLS, _even(size)), index.ljust(_even(size), b"\0")]
    if names:
        tables += [_head(b"//", _OF_NAMES, _even(len(names))), bytes(names).ljust(_even(len(names)), b"\n")]
    return b"".join([THIN if thin else MAGIC, *tables, *body])


def _even(size: int) -> int:
    return size + size % 2


def _offset(at: int) -> bytes:
    if at >> 32:
        raise DofError("archive", "4 GB or more: its table of symbols has no room for that")
    return struct.pack(">I", at)


def _head(name: bytes, stamp: bytes, size: int) -> bytes:
    return name.ljust(16) + stamp + b"%d" % size + b" " * (10 - len(str(size))) + _END
