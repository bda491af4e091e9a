struct pair { int a; long b; };
struct pair kept[int, string];
BEGIN { kept[1, "x"].a = 5; kept[1, "x"].b += 3; trace(kept[1, "x"].a); }
