int declared;
BEGIN { declared = 1; undeclared = declared + 1; trace(undeclared); }
