#pragma D option destructive
BEGIN /pid == 100/ { raise(arg0 > 1 ? 15 : 9); chill(arg1 * 1000); }
