"""Anonymous enablings in a driver.conf(4) file: one property of bytes for each DOF image."""

from __future__ import annotations

import re
from pathlib import Path

from dof.outputs import write

_PROPERTY = re.compile(r"^\s*dof-data-(\d+)\s*=\s*([^;]*);", re.MULTILINE)


def save(path: str, images: list[bytes]) -> bool:
    """Replace the file's dof-data properties by `images`, keeping its other lines.

    Returns whether there were any before.  Raises OSError; UnicodeDecodeError for a file that is no text.
    """
    file = Path(path)
    kept, old = _PROPERTY.subn("", file.read_text()) if file.is_file() else ("", 0)
    lines = [line for line in kept.split("\n") if line.strip()]
    lines += [f"dof-data-{number}={','.join(f'{byte:#x}' for byte in image)};"
              for number, image in enumerate(images)]
    if lines or old:
        write({path: "".join(f"{line}\n" for line in lines).encode()})
    return bool(old)


def read(path: str) -> list[bytes]:
    """Return the file's images in the order of their numbers.

    Raises OSError; ValueError for text that is no list of bytes.
    """
    found = {}
    for match in _PROPERTY.finditer(Path(path).read_text()):
        found[int(match[1])] = bytes(int(word, 0) for word in match[2].split(","))
    if not found:
        raise ValueError("it has no dof-data property")
    return [found[number] for number in sorted(found)]
