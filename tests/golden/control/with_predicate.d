BEGIN /pid == 3/ { n++; if (n % 2) { @odd = count(); } else { @even = count(); } }
