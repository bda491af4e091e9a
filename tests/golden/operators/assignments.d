int64_t n;
BEGIN
{
	n = 100;
	n += 1;
	n -= 2;
	n *= 3;
	n /= 4;
	n %= 50;
	n <<= 2;
	n >>= 1;
	n &= 0xfff;
	n |= 0x10;
	n ^= 0x3;
}
