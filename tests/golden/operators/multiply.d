BEGIN { x = arg0 * 3; y = x * x; z = -x * 7; }
