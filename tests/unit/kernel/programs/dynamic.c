/* Libraries opened while the program runs. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	double (*cosine)(double), (*power)(double, double);

	if (library == NULL) {
		puts(dlerror());
		return 1;
	}
	cosine = (double (*)(double))dlsym(library, "cos");
	power = (double (*)(double, double))dlsym(library, "pow");
	printf("%.6f %.3f\n", cosine(1.0), power(2.5, 3.5));
	printf("%s\n", dlsym(library, "no_such_function") ? "found" : "not found");
	printf("close %d\n", dlclose(library));
	printf("%s\n", dlopen("/nonexistent.so", RTLD_NOW) ? "opened" : "not opened");
	return 0;
}
