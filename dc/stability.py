"""Stability attributes as text: "Evolving/Evolving/Common" (manual, chapter on stability)."""

from __future__ import annotations

from dof.model import Attributes

STABILITIES = ("Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard")
CLASSES = ("Unknown", "CPU", "Platform", "Group", "ISA", "Common")
HIGHEST = Attributes(len(STABILITIES) - 1, len(STABILITIES) - 1, len(CLASSES) - 1)


def parse(text: str) -> Attributes | None:
    """Name, data and class, of which the last ones may be missing (then the highest); None if invalid."""
    parts = text.split("/") if text else []
    if parts and parts[-1] == "":
        parts.pop()
    if len(parts) > 3:
        return None
    values = list(HIGHEST)
    for index, (part, names) in enumerate(zip(parts, (STABILITIES, STABILITIES, CLASSES), strict=False)):
        lowered = [name.lower() for name in names]
        if part.lower() not in lowered:
            return None
        values[index] = lowered.index(part.lower())
    return Attributes(*values)


def spell(attributes: Attributes) -> str:
    """As `-v` and messages show it."""
    name, data, klass = attributes
    return f"{STABILITIES[name]}/{STABILITIES[data]}/{CLASSES[klass]}"
