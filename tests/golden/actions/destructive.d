#pragma D option destructive
BEGIN { stop(); raise(9); chill(500000000); breakpoint(); panic(); }
