/* pr_psargs is an array of characters: it can be pointed to, and read through fds[] flags are open's. */
#pragma D option quiet

BEGIN
{
	args_of[pid] = (char *)curpsinfo->pr_psargs;
	exit(stringof(args_of[pid]) == stringof(curpsinfo->pr_psargs) && sizeof (curpsinfo->pr_fname) == 16 &&
	    (curlwpsinfo->pr_flag & PR_ISSYS) == 0 && curlwpsinfo->pr_clname == "TS" ? 0 : 1);
}
