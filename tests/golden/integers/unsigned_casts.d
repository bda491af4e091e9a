BEGIN
{
	trace((unsigned char)arg0);
	trace((unsigned short)arg0);
	trace((unsigned int)arg0);
	trace((unsigned long)arg0);
	trace((uint8_t)arg0);
	trace((uint16_t)arg0);
	trace((uint32_t)arg0);
	trace((uint64_t)arg0);
}
