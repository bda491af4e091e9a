"""Descriptions in TOML, checked: what is wrong is told with its file and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

Table = dict[str, Any]  # of TOML
LARGEST = 16 << 20  # bytes of a description


class DescriptionError(ValueError):
    """A description that cannot be used; the message begins with file and line."""


def _start(path: str) -> bytes:
    """The beginning of a file: a byte more than a description may have."""
    with open(path, "rb") as source:
        return source.read(LARGEST + 1)


class DescriptionReader:
    """The tables of a file, and checks of their values.  Raises DescriptionError, or what a subclass says."""

    _error_type: type[DescriptionError] = DescriptionError

    def __init__(self, path: str, read: Callable[[str], bytes] | None = None) -> None:
        try:
            data = (read or _start)(path)
            if len(data) > LARGEST:
                raise self._error_type(f"{path}: longer than {LARGEST >> 20} MB")
            text = data.decode()
            tables = tomllib.loads(text)
        except OSError as error:
            raise self._error_type(f"{path}: {error.strerror}") from None
        except RecursionError:
            raise self._error_type(f"{path}: tables or lists within too many others") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            match = re.search(r" \(at line (\d+), column \d+\)", str(error))
            if match is None:
                raise self._error_type(f"{path}: {error}") from None
            raise self._error_type(f"{path}:{match[1]}: {str(error).replace(match[0], '')}") from None
        self._path = path
        self._lines = text.splitlines()
        self._tables: Table = tables

    def _known(self, **known: type) -> None:
        """Refuse tables of other names, or of another form, than these."""
        for name, value in self._tables.items():
            if name not in known:
                raise self._error(name, 0, None, "there is no such table")
            if not isinstance(value, known[name]):
                form = f"[{name}]" if known[name] is dict else f"[[{name}]]"
                raise self._error(name, 0, None, f"is to be written {form}")

    # -- values

    def _each(self, name: str) -> list[Table]:
        tables: list[Table] = self._tables.get(name, [])
        if not all(isinstance(table, dict) for table in tables):
            raise self._error(name, 0, None, f"is to be written [[{name}]]")
        return tables

    def _keys(self, table: str, at: int, values: Table, *known: str) -> None:
        for key in values:
            if key not in known:
                raise self._error(table, at, key, f"there is no such key: it may be {', '.join(known)}")

    def _number(self, table: str, at: int, values: Table, key: str, low: int, high: int, *,
                required: bool = False) -> int | None:
        value = values.get(key)
        if value is None and not required:
            return None
        if type(value) is not int or not low <= value <= high:
            raise self._error(table, at, key, f"must be a number from {low} to {high}")
        return value

    def _text(self, table: str, at: int, values: Table, key: str, *,
              required: bool = False) -> str | None:
        value = values.get(key)
        if value is None and not required:
            return None
        if not isinstance(value, str) or (required and not value):
            raise self._error(table, at, key, "must be a string")
        return value

    def _absolute(self, table: str, at: int, values: Table, key: str) -> str:
        value = self._text(table, at, values, key, required=True)
        if value is None or not value.startswith("/"):
            raise self._error(table, at, key, "must be an absolute path")
        return value

    def _strings(self, table: str, at: int, key: str | None, values: object) -> dict[str, str]:
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            raise self._error(table, at, key, "must have strings as values")
        return values

    # -- places

    def _line(self, table: str, at: int, key: str | None) -> int:
        """Return the line of a key in the `at`-th table of that name, or of the table; 1 if there is none."""
        header = re.compile(rf"\s*\[\[?\s*{re.escape(table)}\s*\]\]?\s*(#.*)?$")
        seen, start = -1, None
        for number, line in enumerate(self._lines, 1):
            if header.match(line):
                seen += 1
                if seen == at:
                    start = number
            elif start is not None and key is not None:
                if line.lstrip().startswith("["):
                    break
                if re.match(rf'\s*"?{re.escape(key)}"?\s*[.=]', line):
                    return number
        return start or 1

    def _error(self, table: str, at: int, key: str | None, reason: str) -> DescriptionError:
        name = table if key is None else f"{table}.{key}"
        return self._error_type(f"{self._path}:{self._line(table, at, key)}: {name}: {reason}")
