"""dtrace, which tells at its end the peak of its memory in kB.

(getrusage(2) would count the process that started this one.)
"""

import re
import sys
from pathlib import Path

from runtime.command.command import main

status = main(sys.argv[1:])
peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
sys.stderr.write(f"\npeak {peak and peak[1]}")
sys.exit(status)
