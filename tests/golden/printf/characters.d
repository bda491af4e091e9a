BEGIN { printf("%c%c%%\n", 'o', (char)arg0); }
