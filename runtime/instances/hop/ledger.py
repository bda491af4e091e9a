"""What was produced, what was delivered and what was lost, by instance and by where and how it was lost.

At the end each instance's sum must be right: of principal records, produced = delivered + dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from dif.records import Record, field

PRINCIPAL = ("principal", "link", "late", "quarantined")  # classes of drops that are records of their own
OTHERS = ("aggregation", "dynamic")  # rows and variables that found no room
CLASSES = frozenset(PRINCIPAL + OTHERS)


class Account(Record):
    """The records of one instance.  `dropped` is by hop and class.

    `before` is what earlier boots of it have produced.  `missing` is what it had not delivered when it was
    lost: it may still come.
    """

    produced: int = 0
    delivered: int = 0
    before: int = 0
    dropped: dict[tuple[str, str], int] = field(default_factory=dict)
    missing: tuple[str, str, int] | None = None

    @property
    def lost(self) -> int:
        """How many principal records were dropped."""
        return sum(count for (_, kind), count in self.dropped.items() if kind in PRINCIPAL)

    @property
    def balanced(self) -> bool:
        return self.produced == self.delivered + self.lost


class Ledger(Record):
    """The accounts of all instances, by path."""

    accounts: dict[str, Account] = field(default_factory=dict)

    def of(self, path: str) -> Account:
        account = self.accounts.get(path)
        if account is None:
            account = self.accounts[path] = Account()
        return account

    def produce(self, path: str, records: int) -> None:
        """Take in how many records an instance says it has made since it booted."""
        account = self.of(path)
        account.produced = max(account.produced, account.before + records)

    def deliver(self, path: str, records: int) -> None:
        """Count records that have arrived."""
        self.of(path).delivered += records

    def drop(self, path: str, hop: str, kind: str, records: int) -> None:
        """Count what is lost at a hop; `kind` is one of PRINCIPAL or OTHERS."""
        if records:
            account = self.of(path)
            account.dropped[hop, kind] = account.dropped.get((hop, kind), 0) + records

    def lose(self, path: str, hop: str, kind: str, records: int) -> None:
        """An instance is lost, with so many records of its."""
        account = self.of(path)
        account.missing = hop, kind, records

    def resume(self, path: str) -> None:
        """A lost instance is there again as it was."""
        self.of(path).missing = None

    def restart(self, path: str) -> None:
        """An instance has booted anew: what was missing does not come."""
        account = self.of(path)
        self._settle(path, account)
        account.before = account.produced

    def _settle(self, path: str, account: Account) -> None:
        if account.missing is not None:
            hop, kind, _said = account.missing
            self.drop(path, hop, kind, max(account.produced - account.delivered - account.lost, 0))
            account.missing = None

    def settle(self) -> None:
        """Tracing is at its end: what is missing does not come any more."""
        for path, account in self.accounts.items():
            self._settle(path, account)

    def lines(self) -> Iterator[str]:
        """A line for each instance that has lost something, and for each whose sum is wrong."""
        for path, account in self.accounts.items():
            parts = ", ".join(f"{count} {kind} at {hop}" for (hop, kind), count in account.dropped.items())
            if parts:
                yield (f"instance {path}: {account.produced} records produced, {account.delivered} "
                       f"delivered, {account.lost} dropped ({parts})")
            if not account.balanced:
                yield (f"instance {path}: {account.produced} records produced, but {account.delivered} "
                       f"delivered and {account.lost} dropped")
