BEGIN { printf("%Y %Y\n", walltimestamp, walltimestamp + 3600000000000); printf("%T\n", walltimestamp); }
