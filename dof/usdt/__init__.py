"""Probes in programs: `dtrace -h` and `dtrace -G`.  README.md says what they do, for people who use them.

In: a provider's definition and relocatable objects.  Out: a C header; the objects with their probe calls
replaced, and one more object that tells a kernel of them.

definition.py       a provider file, as data; header.py: its header
link.py             -G from end to end: inputs.py reads objects and archives, sites.py finds the calls,
                    plan.py decides, output.py writes the object
instructions.py     what must be known of an instruction set; machines.py selects one of x86_64.py, i386.py
                    (both on x86.py), aarch64.py and sparc.py
registration/       the code that hands the DOF to the kernel, compiled beforehand
stapsdt.py          notes for other tracers; reading.py: the probes of a finished file
sdtproviders.py     provider files as SystemTap's dtrace reads them; notesheader.py, sysheader.py: headers
                    whose probes are notes; semaphores.py: the object for them
"""
