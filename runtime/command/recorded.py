"""-x record and --replay: what a run takes of the host goes into a file, or comes out of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from dif.hostfiles import read_whole
from dof.commandline import Failure
from dof.elf import ElfError, ElfFile
from dof.outputs import write
from runtime.command.arguments import Arguments, Mode
from runtime.machine import Machine
from runtime.programs.debugfiles import separate, shared
from runtime.recordings.fileformat import pack, unpack
from runtime.recordings.player import Player
from runtime.recordings.recorder import Recorder
from runtime.recordings.recording import RecordingError

TYPE_CHECKING = False  # typing itself would cost more than it is worth here
if TYPE_CHECKING:
    from dc.options import Options

Taken = Recorder | Player  # what stands for the host
# Options of the machine that are of a run of dtrace rather than of what it traces.
_FREE = frozenset(("copyin", "debuginfo", "engine", "output", "timeout"))
_DEPARTURES = 20  # departures


def begin(arguments: Arguments, options: Options) -> Taken:
    """Return what the machine is to have for a host.

    Raises Failure for what cannot be recorded or replayed.
    """
    own = sorted(set(options.machine()) - _FREE)
    if arguments.mode == Mode.ANONYMOUS or options.is_on("grabanon") or arguments.cluster is not None \
            or "device" in options.values:
        raise Failure("recordings are of one emulated machine: not with -A, -a, --cluster and -x device")
    if arguments.replay is None:
        if options.choice("clock") == "real":
            raise Failure("-x clock=real cannot be recorded: a replay has the time of the machine")
        recorder = Recorder(options.items("exclude"))
        recording = recorder.recording
        recording.suite, recording.words = _suite(), list(arguments.words)
        recording.commands, recording.processes = list(arguments.commands), list(arguments.processes)
        recording.settings, recording.evaltime = options.items("setenv"), options.choice("evaltime", "")
        recording.options = {name: value for name, value in options.machine().items() if name not in _FREE}
        return recorder
    given = [*(["-c"] if arguments.commands else []), *(["-p"] if arguments.processes else []),
             *(f"-x {name}" for name in ("record", "setenv", "evaltime")
               if name in options.values or name in options.lists), *(f"-x {name}" for name in own)]
    if given:
        raise Failure(f"{given[0]} cannot be given with --replay: the recording says what runs, and in which "
                      "machine")
    try:
        recording = unpack(read_whole(arguments.replay))
    except OSError as error:
        raise Failure(f"failed to read {arguments.replay}: {error.strerror}") from None
    except RecordingError as error:
        raise Failure(f"cannot replay {arguments.replay}: {error}") from None
    arguments.commands, arguments.processes = recording.commands, recording.processes
    options.lists["setenv"] = recording.settings
    if recording.evaltime:
        options.set("evaltime", recording.evaltime)
    return Player(recording)


def end(taken: Taken, arguments: Arguments, options: Options, machine: Machine,
        say: Callable[[str], None]) -> None:
    """Write the recording, or say where the run has departed from it.  Raises Failure."""
    if isinstance(taken, Player):
        taken.finish()
        departures = taken.departures()
        if taken.recording.suite != _suite() and departures:
            say(f"{arguments.replay}: it was recorded with version {taken.recording.suite} of this suite")
        for departure in departures[:_DEPARTURES]:
            say(f"{arguments.replay}: {departure}")
        if len(departures) > _DEPARTURES:
            say(f"{arguments.replay}: {len(departures) - _DEPARTURES} more departures")
        return
    path = options.text("record")
    try:
        _complete(taken, machine)
        data = pack(taken.recording)
        write({path: data})
    except RecordingError as error:
        raise Failure(f"cannot record to {path}: {error}") from None
    count = sum(entry.content is not None for entry in taken.recording.files.values())
    variables = len(taken.recording.environment)
    say(f"{path}: recorded {count} files and {variables} variables of the environment, {len(data) >> 10} kB")


def _complete(recorder: Recorder, machine: Machine) -> None:
    """Read the debug information of what has been executed, too: another script may want it."""
    found = {path: recorder.recording.blobs[entry.content]
             for path, entry in recorder.recording.files.items() if entry.content is not None}
    for path, data in found.items():
        if data.startswith(b"\x7fELF"):
            with suppress(ElfError, ValueError):
                elf, name = ElfFile(data), os.fsdecode(path)
                debug = separate(elf, name, machine.read)
                shared(elf if debug is None else ElfFile(debug), name, machine.read)


def _suite() -> str:
    try:
        return version("dtrace-suite")
    except PackageNotFoundError:  # it runs without being installed
        return "unknown"
