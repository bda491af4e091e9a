"""Anonymous enablings in a driver.conf(4) file: the property dof-data-N has the bytes of DOF number N."""

from __future__ import annotations

import re

PROPERTY = re.compile(r"^\s*dof-data-(\d{1,9})\s*=\s*([^;]*);", re.MULTILINE)
_MARK = b"dof-data-"


def is_driver_conf(data: bytes) -> bool:
    """Whether this is text with a dof-data property."""
    return _MARK in data and b"\0" not in data and PROPERTY.search(_text(data)) is not None


def images(data: bytes) -> list[tuple[int, bytes]]:
    """Return the numbers and the bytes of the properties, by number.

    Raises ValueError for a property that is no list of bytes.
    """
    return sorted({int(match[1]): _image(match[1], match[2])
                   for match in PROPERTY.finditer(_text(data))}.items())


def _image(number: str, value: str) -> bytes:
    try:
        return bytes(int(word, 0) for word in value.split(","))
    except ValueError:
        raise ValueError(f"dof-data-{number} is no list of bytes") from None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
