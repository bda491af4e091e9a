"""User and group ids: all those of a process, and those of them that file operations check."""

from __future__ import annotations

from dif.records import Record


class Credentials(Record):
    """The ids that a file operation checks: a process's file system ids."""

    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = ()

    @property
    def privileged(self) -> bool:
        return self.uid == 0

    def member(self, gid: int) -> bool:
        return gid == self.gid or gid in self.groups


class Identity:
    """User and group ids: real, effective, saved, and for files; supplementary groups."""

    __slots__ = ("egid", "euid", "fsgid", "fsuid", "groups", "rgid", "ruid", "sgid", "suid")

    def __init__(self, uid: int, gid: int, groups: tuple[int, ...] = ()) -> None:
        self.ruid = self.euid = self.suid = self.fsuid = uid
        self.rgid = self.egid = self.sgid = self.fsgid = gid
        self.groups = groups

    def copy(self) -> Identity:
        new = Identity(0, 0, self.groups)
        for name in Identity.__slots__:
            setattr(new, name, getattr(self, name))
        return new
