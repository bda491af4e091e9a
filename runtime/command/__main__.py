"""`python -m runtime.command` is the command dtrace."""

import sys

from runtime.command.command import main

sys.exit(main())
