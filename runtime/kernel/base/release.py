"""Which Linux the machine says it is."""

RELEASE, VERSION = b"6.1.0", b"#1 SMP"
