BEGIN { a = b = c = 5; trace(a = 7); e = 1; d = (e += 2) * 2; }
