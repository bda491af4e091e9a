BEGIN { @ = count(); @named = count(); @keyed[execname] = count(); }
