"""The process whose children are commands (runtime.command.preloaded).

It listens on its standard input, a socket.  A message brings four descriptors: standard input, output and
error of a command, and a socket for what is said about it.  On that the server's child, the watcher, reads
the command as JSON up to the end, `{"argv": [...], "cwd": "...", "variables": {"NAME": "VALUE"}}`; it answers
with the number of the process that is the command, and with the command's status when it has ended, a line
each.  The server ends with its socket.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from runtime.command import entries

_DESCRIPTORS = 4
_LONGEST = 16 << 20  # bytes of a command
# A run as most are, which tells in the end which modules it has loaded.
_TYPICAL = """import sys
from runtime.command.command import main
main(["-qn", "pid$target::main:entry { @[ustack()] = count(); }", "-c", "true"])
print(*sys.modules)"""


def serve() -> None:
    """Be the server."""
    server = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the watchers
    while True:
        data, descriptors, _flags, _address = socket.recv_fds(server, 1, _DESCRIPTORS)
        if not data:
            return
        if os.fork() == 0:
            server.close()
            _watch(descriptors)
        for number in descriptors:
            os.close(number)


def _load() -> None:
    """Load the modules that most commands need: those of a typical run, in a process of its own."""
    found = subprocess.run([sys.executable, "-P", "-c", _TYPICAL], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=True)
    for name in found.stdout.splitlines()[-1].split():
        with contextlib.suppress(ImportError):  # a module may put others beside itself
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _watch(descriptors: Sequence[int]) -> NoReturn:
    """Start the command, tell which process it is, and how it ends."""
    *files, number = descriptors
    answers = socket.socket(fileno=number)
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with answers.makefile("rb") as requests:
            request = json.loads(requests.read(_LONGEST))
        child = os.fork()
        if child == 0:
            os.setsid()
            answers.sendall(b"%d\n" % os.getpid())
            answers.close()
            _be(request["argv"], request["cwd"], request["variables"], files)
        for each in files:
            os.close(each)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        answers.sendall(b"%d\n" % status)
    except OSError:
        pass  # nobody wants to know any more
    finally:
        os._exit(0)


def _be(argv: Sequence[str], cwd: str, variables: Mapping[str, str], files: Sequence[int]) -> NoReturn:
    """Be the command."""
    try:
        for number, source in enumerate(files):
            os.dup2(source, number)
            os.close(source)
        os.chdir(cwd)
        os.environ.update(variables)
        sys.stdin = os.fdopen(0, errors=sys.stdin.errors)
        sys.stdout = os.fdopen(1, "w", errors=sys.stdout.errors)
        sys.stderr = os.fdopen(2, "w", 1, errors=sys.stderr.errors)
        sys.argv = list(argv)
        sys.exit(_MAIN[argv[0]]())
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(status)


def _python() -> int:
    """Run the Python program whose path is the first argument."""
    sys.argv, sys.path[:0] = sys.argv[1:], [os.getcwd()]
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


_MAIN = {"dtrace": entries.dtrace, "dc": entries.dc, "difas": entries.difas, "difdis": entries.difdis,
         "python": _python}
