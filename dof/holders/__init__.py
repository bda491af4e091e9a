"""Files that hold DOF without being DOF.

In: a file's bytes.  Out: the pieces of it in which DOF lies, each with the words that name its place.  No
file here imports another, and dof/files.py, which imports all, is the entrance.

archive.py     the members of ar(1) archives, of thin ones too; it writes them as well
macho.py       the DOF sections of Mach-O files, one architecture or several
driverconf.py  the dof-data properties that `dtrace -A` leaves in a driver.conf(4) file
scan.py        any other bytes (core files, kernel modules, firmware), searched for the magic number
"""
