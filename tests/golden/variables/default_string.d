/* dc: -x defaultargs */
BEGIN /$$1 == "" || $2 > 3/ { trace($$1); }
