#pragma D attributes Evolving/Evolving/Common mine
inline int mine = 3;
BEGIN { trace(mine); }
