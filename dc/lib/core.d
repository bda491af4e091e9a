/*
 * What every D program knows, whichever libraries it has.
 */
#pragma D binding "1.0" NULL
inline long NULL = 0;
