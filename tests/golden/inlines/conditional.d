inline int fast = 1;
inline string speed = fast ? "fast" : "slow";
BEGIN /fast/ { trace(speed); }
