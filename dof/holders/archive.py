"""Archives as ar(1) writes them: GNU's and System V's names, BSD's, and thin ones.

A header is 60 characters (<ar.h>): name 16, date 12, owner 6, group 6, mode 8, size 10, and "`\\n".  Members
begin at even offsets.  "/" is the table of symbols, "//" that of long names, "/N" a name at offset N of the
latter, "#1/N" a name in the N bytes that the member begins with.  A thin archive holds the two tables, and of
every other member the name of its file.
"""

from __future__ import annotations

from collections.abc import Iterator

from dif.records import NamedTuple
from dof.format import DofError

MAGIC, THIN = b"!<arch>\n", b"!<thin>\n"
_HEADER, _END = 60, b"`\n"
_SYMBOLS = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED", b"__.SYMDEF_64")
_MOST_MEMBERS = 1 << 16  # members
_LONGEST = 4096  # bytes of a name: PATH_MAX


class Member(NamedTuple):
    """A member: its contents are at `offset`, in bytes from the archive's start.

    Those of a thin archive's member are None, and in the file `name`, seen from the archive's directory.
    """

    name: str
    offset: int
    data: bytes | None


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
                         None if thin else data[start + skipped:start + size])
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
