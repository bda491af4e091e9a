int n[int];
BEGIN { n[1]++; ++n[2]; n[3] += 5; n[4] <<= 1; trace(n[5]--); n[6] = n[7] = 3; }
