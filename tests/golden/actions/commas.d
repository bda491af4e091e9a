BEGIN { trace(1); trace((2, 3)); ; trace(4) }
