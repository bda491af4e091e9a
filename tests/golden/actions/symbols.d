BEGIN { sym(caller); func(caller); mod(caller); uaddr(ucaller); ufunc(ucaller); umod(ucaller); usym(ucaller); }
