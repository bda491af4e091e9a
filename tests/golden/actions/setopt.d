BEGIN { setopt("quiet"); setopt("bufsize", "1m"); setopt("switchrate", "10hz"); }
