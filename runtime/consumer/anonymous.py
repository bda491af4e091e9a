"""Anonymous enablings in a driver.conf(4) file: one property of bytes for each DOF image."""

from __future__ import annotations

import os

from dif.hostfiles import read_whole
from dof.holders import driverconf
from dof.outputs import write


def save(path: str, images: list[bytes]) -> bool:
    """Replace the file's dof-data properties by `images`, keeping its other lines.

    Returns whether there were any before.  Raises OSError; UnicodeDecodeError for a file that is no text.
    """
    text = read_whole(path).decode() if os.path.isfile(path) else ""
    kept, old = driverconf.PROPERTY.subn("", text)
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
    found = [image for _, image in driverconf.images(read_whole(path))]
    if not found:
        raise ValueError("it has no dof-data property")
    return found
