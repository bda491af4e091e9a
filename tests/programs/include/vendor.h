/* Whose the host's processor is: the corners of AMD's are left out where they differ from the machine's, Intel's. */
#include <stdlib.h>
#include <string.h>

static int is_amd(void)
{
	const char *vendor = getenv("HOST_VENDOR");	/* the machine's own programs are told the host's, too */

	return vendor != NULL && strcmp(vendor, "AuthenticAMD") == 0;
}
