BEGIN /arg0 >= 10 && arg0 < 20/ { @["teens"] = count(); }
