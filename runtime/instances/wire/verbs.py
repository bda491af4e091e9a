"""What is asked of an instance beside tracing: the verbs of a Do frame.

Arguments and results are JSON; what FILE and TYPES return are bytes.
"""

from __future__ import annotations

from enum import IntEnum


class Verb(IntEnum):
    """What an instance can do; the arguments, and -> the result."""

    SPAWN = 1  # words, environment or null, where to stand still -> pid
    GRAB = 2  # pid -> pid
    RESUME = 3  # pid
    STATUS = 4  # pid -> as wait(2) has it, null while the process lives
    SHELL = 5  # command in hexadecimal -> the bytes of its output
    KERNEL_SYMBOL = 6  # address -> object, name, value, size; or null
    KERNEL_MODULE = 7  # address -> object, start, writable; or null
    USER_SYMBOL = 8  # pid, address
    USER_MAPPING = 9  # pid, address
    MISTAKE = 10  # provider, module, function, name -> tag, text; or null
    NAMED = 11  # module or null, name -> name, module, address, size, is it a function; or null
    REFUSALS = 12  # -> texts
    UNKNOWN_CALLS = 13  # -> texts
    TRACEPOINTS = 14  # -> text
    KEEP_TRACEPOINTS = 15
    FUNCTION = 16  # provider, module, function -> path, name, start, size; or null
    OBJECT = 17  # provider, module -> path or null
    OBJECTS = 18  # pid, module -> [path, name, bias, is program], ...
    FILE = 19  # path -> the file's bytes
    IDS = 20  # -> the values of $pid, $uid and their like
    MEMORY = 21  # pid -> name, addresses of its text; what the machine's memory says
    ADDRESS = 23  # marked address -> instance, address, as KERNEL_SYMBOL and as KERNEL_MODULE
    TYPES = 24  # -> the types of its kernel as CTF (runtime.programs.ctfwriter)
    SURROUNDINGS = 22  # -> whether they are the same everywhere, and the environment of its processes
