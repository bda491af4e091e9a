BEGIN { x = (y = 1, z = y + 1, z * 2); }
