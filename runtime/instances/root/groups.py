"""Groups of instances whose kernels have the same types, for which a program is compiled once."""

from __future__ import annotations

import hashlib

from dc.names.kernelheader import MODULE, MODULES
from dif.records import Record, field
from runtime.border import BorderError
from runtime.instances.hop.children import Instance
from runtime.instances.root.instances import HOST_NUMBER
from runtime.instances.root.membership import Told
from runtime.instances.root.root import Root
from runtime.instances.wire.verbs import Verb

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.types.scopes import Scope


class Group(Record):
    """Instances whose kernels have the same types: `types`, or those of this version of ours."""

    first: int  # whose kernel's symbols are asked for
    types: Scope | None = None
    members: set[int] = field(default_factory=set)


def kernel_scope(data: bytes) -> Scope:
    """The types of a kernel, from CTF.  Raises ValueError."""
    from dc.types.types import Model
    from runtime.programs.ctf import KernelTypes

    scope = KernelTypes(data, MODULE, Model.LP64).scope
    scope.modules.update(dict.fromkeys(MODULES, scope))
    return scope


class Grouping:
    """Finds the groups.  `ours` is the hash of the types of this version's kernel."""

    def __init__(self, root: Root, ours: bytes) -> None:
        self._root = root
        self._ours = ours
        self._found: dict[bytes, Group] = {b"": Group(HOST_NUMBER)}
        self._sent: dict[tuple[bytes, str], bytes] = {}  # by the hash that was told, that of what has come

    def groups(self) -> list[Group]:
        """The instances by the types of their kernels; those that have the host's types come first."""
        for instance in self._root.instances:
            try:
                self._found[self._key(instance)].members.add(instance.number)
            except (BorderError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                text = f"its kernel has other types than ours, and does not say which: {reason}"
                self._root.membership.told.append(Told("refused", instance.path, text))
                instance.state = "refused"
        return list(self._found.values())

    def _key(self, instance: Instance) -> bytes:
        """The key of an instance's group, by what its types are.  Raises BorderError, ValueError."""
        if instance.types == self._ours:
            return b""
        who = "" if self._root.instances.trusts(instance.path) else instance.path  # believed of itself alone
        if (instance.types, who) not in self._sent:
            data = self._root.do(Verb.TYPES, instance=instance.number)
            key = hashlib.sha256(data + who.encode()).digest()
            if key not in self._found:
                self._found[key] = Group(instance.number, kernel_scope(data))
            self._sent[instance.types, who] = key
        return self._sent[instance.types, who]
