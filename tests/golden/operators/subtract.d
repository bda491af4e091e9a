BEGIN { x = timestamp - 5; y = 5 - x; z = x - y - 1; }
