/* dc: -C -D WANTED=5 */
BEGIN { trace(WANTED); }
