BEGIN { trace(curlwpsinfo->pr_lwpid); trace(curlwpsinfo->pr_state); trace(curcpu->cpu_id); }
