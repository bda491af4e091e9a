BEGIN { @a = count(); @b = count(); @c = count(); }
END { @c = count(); @a = count(); @["x"] = sum(1); @["y"] = sum(2); }
