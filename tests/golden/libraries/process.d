BEGIN { trace(curpsinfo->pr_fname); trace(curpsinfo->pr_pid); trace(curpsinfo->pr_psargs); }
