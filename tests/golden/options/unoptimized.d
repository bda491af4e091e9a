/* dc: -x opt=0 */
BEGIN { x = arg0 + 0; trace((arg0 + 1) * (arg0 + 1)); y = 2 + 3; trace(arg0 && !arg1); }
