/* Headers that `dtrace -h` writes ask for this one; a program without a C library needs nothing of it. */
