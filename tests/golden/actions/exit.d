BEGIN { exit(0); }
END { exit(arg0); }
