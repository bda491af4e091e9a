#pragma
#pragma D option strsize=9813685246
t{trace(substr("",arg0,arg1))}