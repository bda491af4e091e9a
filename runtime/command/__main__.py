"""`python -m runtime.command` is the command dtrace."""

import sys

from runtime.command.entries import dtrace

sys.exit(dtrace())
