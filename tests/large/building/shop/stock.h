/* Take one of what there is; returns how many are left. */
int stock_take(const char *what);
