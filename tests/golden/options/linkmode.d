/* dc: -x linkmode=static */
BEGIN { trace(arg0); }
