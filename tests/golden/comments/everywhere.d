/* before */ BEGIN /* probe */ /arg0 /* inside */ > 1/ { trace(1 /* one */ + 2); /* last */ }
/* after */
