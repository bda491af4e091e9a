BEGIN { @a[func(caller)] = count(); @b[mod(caller), sym(caller)] = count(); @c[ufunc(ucaller)] = count(); @d[usym(ucaller)] = count(); @e[umod(ucaller)] = count(); }
