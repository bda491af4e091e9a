#pragma D option nspec=4
#pragma D option specsize=32k
BEGIN { x = speculation(); }
BEGIN { speculate(x); trace(execname); }
