/* Values are cut and extended by the types they pass through. */
#pragma D option quiet
int8_t small;
uint8_t usmall;
uint32_t word;
BEGIN
{
	small = 200;
	usmall = 200;
	word = -1;
	printf("%d %d %u\n", small, usmall, word);
	printf("%d %d\n", (int16_t)0x12345, (uint16_t)0x1ffff);
	printf("%x %x\n", 0xffffffffffffffff >> 60, -1 >> 60);
	printf("%d %d\n", (int)0x80000000 < 0, 0x80000000 < 0);
	exit(0);
}
