BEGIN { x = rand() % 10; trace(rand()); }
