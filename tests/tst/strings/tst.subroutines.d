/* String subroutines, results worked out by hand. */
#pragma D option quiet
BEGIN
{
	printf("%s|%s|%s\n", strjoin("ab", "cd"), basename("/usr/lib/libc.so"), dirname("/usr/lib/libc.so"));
	printf("%s|%s\n", cleanpath("/a/./b/../c//d"), substr("abcdef", 2, 3));
	printf("%s|%s|%s\n", strchr("hello", 'l'), strrchr("hello", 'l'), strstr("hello", "ll"));
	printf("%d %d %d\n", index("hello", "l"), rindex("hello", "l"), index("hello", "z"));
	printf("%s|%s\n", strtok("a:b:c", ":"), strtok(NULL, ":"));
	printf("%s|%s\n", toupper("MiXed"), tolower("MiXed"));
	printf("%s|%s\n", lltostr(-123), lltostr(255, 16));
	printf("%d %d\n", strtoll("0x1f", 16), strtoll("-77"));
	printf("%s\n", substr("abcdef", -2));
	printf("%x %x\n", htons(0x1234), htonl(0x12345678));
	exit(0);
}
