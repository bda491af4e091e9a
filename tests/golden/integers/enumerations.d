enum color { RED, GREEN = 5, BLUE };
enum color c;
BEGIN { c = BLUE; trace(c == GREEN); trace(RED + BLUE); trace((enum color)arg0); }
