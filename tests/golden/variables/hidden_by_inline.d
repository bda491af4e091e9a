inline int pages = 4096;
BEGIN { bytes = arg0 * pages; trace(bytes); }
