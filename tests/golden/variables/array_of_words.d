int words[8];
BEGIN { words[2] = 5; trace(words[2]); trace(words[arg0]); words[arg0]++; }
