/* Loads the library argv[1] three times, and calls what it finds there. */
#include <dlfcn.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
	int i, sum = 0;

	for (i = 0; i < 3; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*plugin)(int) = library ? (int (*)(int))dlsym(library, "plugin") : NULL;

		if (plugin == NULL)
			return (argc);
		sum += plugin(i);
		dlclose(library);
	}
	printf("%d\n", sum);
	return (0);
}
