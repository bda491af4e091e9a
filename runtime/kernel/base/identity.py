"""Who a process is: its user and group ids and its privileges; and what of that file operations check."""

from __future__ import annotations

import errno
import stat

from dif.records import Record
from runtime.kernel.base.errors import SyscallError
from runtime.kernel.base.privileges import ALL, BASIC, FILE_OWNER, FILE_WRITE, privilege_set

NOBODY = (1 << 32) - 1  # no user has that id
# the superuser's rights to files
FILES = privilege_set("file_chown file_chown_self file_dac_execute file_dac_read file_dac_search "
                      "file_dac_write file_owner file_setid file_flag_set")


class Credentials(Record):
    """What a file operation checks: a process's file system ids, and the privileges that it has with them.

    `whole` says that these are all privileges of its zone.  Unless they are given, the superuser has all, and
    others have the basic ones.
    """

    uid: int = 0
    gid: int = 0
    groups: tuple[int, ...] = ()
    privileges: int | None = None
    whole: bool = True

    def has(self, privileges: int) -> bool:
        """Whether they have every privilege of a set."""
        held = self.privileges
        if held is None:
            held = BASIC if self.uid else ALL
        return not privileges & ~held

    def owns(self, uid: int) -> bool:
        """Whether they may do what the owner of a file may, whose owner is a user's."""
        return self.has(FILE_WRITE) and (self.uid == uid or self.may_as(FILE_OWNER, uid))

    def may_as(self, privilege: int, uid: int) -> bool:
        """Whether a privilege reaches files of a user: those of the superuser take the zone's whole set."""
        return self.has(privilege) and (uid != 0 or self.uid == 0 or self.whole)

    def member(self, gid: int) -> bool:
        return gid == self.gid or gid in self.groups


class Identity:
    """User and group ids (real, effective, saved, and for files), supplementary groups, and privileges.

    With `no_new_privileges` no program that it executes gives it other ids (prctl(2)).

    The superuser has the privileges of `limit`, any other user those of `inheritable` (sets of
    runtime.kernel.base.privileges), less those that it has put `aside` for now.  `protected` is illumos'
    SNOCD, the opposite of Linux' "dumpable": the process has changed its ids or executed a program with a
    set-id bit, so that what it has in memory may not be for the user whose ids it bears.  `state` is another
    object after each change.  With `keeps` the process keeps the superuser's privileges, put aside, when it
    gives up that one's ids; `kept` are those (PR_SET_KEEPCAPS of prctl(2)).
    """

    __slots__ = ("aside", "egid", "euid", "fsgid", "fsuid", "groups", "inheritable", "keeps", "kept", "limit",
                 "no_new_privileges", "protected", "rgid", "ruid", "sgid", "state", "suid")
    state: object

    def __init__(self, uid: int, gid: int, groups: tuple[int, ...] = (), *, inheritable: int = BASIC,
                 limit: int = ALL) -> None:
        self.ruid = self.euid = self.suid = self.fsuid = uid
        self.rgid = self.egid = self.sgid = self.fsgid = gid
        self.groups = groups
        self.inheritable = inheritable
        self.limit = limit
        self.aside = self.kept = 0
        self.no_new_privileges = self.protected = self.keeps = False

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        super().__setattr__("state", object())

    @property
    def privileges(self) -> int:
        """The effective set."""
        return self.privileges_as(self.euid)

    def privileges_as(self, uid: int) -> int:
        """Return the effective set that goes with a user id."""
        return self.most_as(uid) & ~self.aside

    def most_as(self, uid: int) -> int:
        """Return the same with what has been put aside."""
        return self.limit if uid == 0 else (self.inheritable | self.kept) & self.limit

    def gave_up_superuser(self) -> None:
        """Note that no id is the superuser's any more."""
        self.kept = self.limit if self.keeps else 0
        self.aside = self.kept & ~self.inheritable

    def use_files_as(self, uid: int) -> None:
        """Have a user's id for files.  One that is not the superuser's puts the superuser's rights to files
        aside, and they come back with that one's only, or with its effective id (capabilities(7)).
        """
        if uid and not self.fsuid:
            self.aside |= FILES
        elif self.fsuid and not uid:
            self.aside &= ~FILES
        self.fsuid = uid

    def is_only(self, uid: int, gid: int) -> bool:
        """Whether it is a user's and a group's with all its ids, and has never been another's."""
        return self.unmixed_as(uid, gid) and not self.protected

    @property
    def owner(self) -> int:
        """The user for whom tracers may have its process; NOBODY while it is of several, or protected."""
        return self.euid if self.unmixed and not self.protected else NOBODY

    def has(self, privileges: int) -> bool:
        """Whether it has every privilege of a set."""
        return not privileges & ~self.privileges

    def demand(self, privileges: int) -> None:
        """Raise SyscallError(EPERM) unless it has every privilege of a set."""
        if not self.has(privileges):
            raise SyscallError(errno.EPERM)

    @property
    def permitted(self) -> int:
        """What the effective set can become again: a saved or real superuser id gives back the limit."""
        return self.most_as(0 if 0 in (self.ruid, self.euid, self.suid) else self.euid)

    def unmixed_as(self, uid: int, gid: int) -> bool:
        """Whether effective, real and saved ids are these."""
        return self.unmixed and (self.ruid, self.rgid) == (uid, gid)

    @property
    def unmixed(self) -> bool:
        """Whether effective, real and saved ids are the same, of the user and of the group."""
        return self.ruid == self.euid == self.suid and self.rgid == self.egid == self.sgid

    def executing(self, mode: int, uid: int, gid: int) -> Identity:
        """Return who a process is once it executes a file with this mode and owner, as execve(2) says.

        The set-id bits count if `mode` has them: the caller clears them where they are not honoured.
        """
        new = self.copy()
        if mode & stat.S_ISUID:
            new.euid = uid
        if mode & stat.S_ISGID and mode & stat.S_IXGRP:  # without S_IXGRP it means mandatory locks
            new.egid = gid
        new.suid = new.fsuid = new.euid
        new.sgid = new.fsgid = new.egid
        new.protected = not new.unmixed
        new.aside = new.kept = 0
        new.keeps = False
        return new

    def restrict(self, limit: int) -> None:
        """Take all privileges away that are not in `limit`."""
        self.limit &= limit
        self.inheritable &= limit

    def copy(self) -> Identity:
        new = Identity(0, 0, self.groups)
        for name in Identity.__slots__:
            setattr(new, name, getattr(self, name))
        return new
