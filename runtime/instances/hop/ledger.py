"""What was produced, what was delivered and what was lost, by instance and by where and how it was lost.

At the end each instance's sum must be right: produced = delivered + dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from dif.records import Record, field

CLASSES = ("principal", "aggregation", "dynamic", "link", "late", "quarantined")


class Account(Record):
    """The records of one instance.  `dropped` is by hop and class."""

    produced: int = 0
    delivered: int = 0
    dropped: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def lost(self) -> int:
        return sum(self.dropped.values())

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
        """Take in how many records an instance says it has made so far."""
        account = self.of(path)
        account.produced = max(account.produced, records)

    def deliver(self, path: str, records: int) -> None:
        """Count records that have arrived."""
        self.of(path).delivered += records

    def drop(self, path: str, hop: str, kind: str, records: int) -> None:
        """Count records that are lost at a hop; `kind` is one of CLASSES."""
        if records:
            account = self.of(path)
            account.dropped[hop, kind] = account.dropped.get((hop, kind), 0) + records

    def lines(self) -> Iterator[str]:
        """A line for each instance that has lost something, and for each whose sum is wrong."""
        for path, account in self.accounts.items():
            if account.lost:
                parts = ", ".join(f"{count} {kind} at {hop}"
                                  for (hop, kind), count in account.dropped.items())
                yield (f"instance {path}: {account.produced} records produced, {account.delivered} "
                       f"delivered, {account.lost} dropped ({parts})")
            if not account.balanced:
                yield (f"instance {path}: {account.produced} records produced, but {account.delivered} "
                       f"delivered and {account.lost} dropped")
