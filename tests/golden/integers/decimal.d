BEGIN { trace(0); trace(1); trace(2147483647); trace(2147483648); trace(4294967296); trace(9223372036854775807); }
