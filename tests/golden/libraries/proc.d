proc:::exec-success { trace(curpsinfo->pr_psargs); }
proc:::exit { trace(args[0] == CLD_EXITED); }
proc:::signal-send { trace(args[2]); trace(args[1]->pr_fname); }
