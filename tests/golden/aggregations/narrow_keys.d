BEGIN { @a[(char)arg0, (short)arg1, (int)arg2] = count(); }
