BEGIN { trace(1u); trace(1l); trace(1ul); trace(1ll); trace(1ull); trace(0xfUL); }
