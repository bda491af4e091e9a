/* dc: -x iregs=4 */
BEGIN { trace(arg0 + (arg1 * arg2)); trace((arg0 - arg1) ^ (arg2 | 3)); }
