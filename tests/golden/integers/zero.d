/* Zero is the register that is always zero. */
BEGIN { x = 0; self->y = 0; this->z = 0; trace(0); }
