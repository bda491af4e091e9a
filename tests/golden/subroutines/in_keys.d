BEGIN { @[basename(execname), strlen(probefunc)] = count(); a[substr(execname, 0, 1)] = 1; }
