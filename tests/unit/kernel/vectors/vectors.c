/* What is compiled for x86-64-v3: products of matrices, gathers, shuffles, masks, bits; in a handler, too. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 24

static volatile sig_atomic_t alarms;
static float table[1024];

__attribute__((noinline)) static uint64_t hash(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t sum = 14695981039346656037ULL;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 1099511628211ULL;
	return sum;
}

__attribute__((noinline)) static void multiply(float *c, const float *a, const float *b)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			c[i * SIZE + j] = 0;
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			for (int j = 0; j < SIZE; j++)
				c[i * SIZE + j] += a[i * SIZE + k] * b[k * SIZE + j];
}

__attribute__((noinline)) static uint64_t products(unsigned seed)
{
	float a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];

	for (int i = 0; i < SIZE * SIZE; i++) {
		seed = seed * 1103515245 + 12345;
		a[i] = (float)(seed >> 16) / 7;
		b[i] = (float)(seed & 0xffff) / 3;
	}
	multiply(c, a, b);
	return hash(c, sizeof c);
}

__attribute__((noinline)) static uint64_t lanes(unsigned seed)
{
	__m256i index = _mm256_set_epi32(seed % 7, 900, 3, seed % 500, 77, 1000, 5, seed % 1000);
	__m256 some = _mm256_i32gather_ps(table, index, 4);
	__m256i mask = _mm256_cmpgt_epi32(index, _mm256_set1_epi32(80));
	float out[8];
	uint64_t wide[4], sum;

	some = _mm256_mask_i32gather_ps(some, table + 8, index, (__m256)mask, 4);
	_mm256_storeu_ps(out, _mm256_permutevar8x32_ps(some, index));
	_mm256_maskstore_ps(out, mask, _mm256_sqrt_ps(some));
	sum = hash(out, sizeof out);
	_mm256_storeu_si256((__m256i *)wide, _mm256_shuffle_epi8(_mm256_sad_epu8(index, (__m256i)some), mask));
	sum = sum * 31 + hash(wide, sizeof wide);
	_mm_storeu_si128((__m128i *)wide, _mm256_cvtps_ph(_mm256_maskload_ps(out, mask), 0));
	sum = sum * 31 + hash(wide, 16);
	sum += _pdep_u32(seed, 0x9e3779b9) + _pext_u32(seed, 0x0ff0f00f) + _bzhi_u32(seed, 70);
	sum += _tzcnt_u32(seed & 0xfff0) + _lzcnt_u32(seed | 1) + _blsr_u32(seed) + _andn_u32(seed, ~0u);
	sum += _mm256_testc_si256(mask, index) + 2 * _mm256_testz_si256(mask, index);
	return sum;
}

/* The fourth register is in bits of a number: once of the lower eight, and of the upper where there are any. */
#ifdef __x86_64__
#define UPPER "xmm13"
#else
#define UPPER "xmm7"
#endif
#define BLEND(name, half, mask) do { \
	register __m256 by __asm__(mask) = which; \
	__asm__ (name " %" half "3, %" half "2, %" half "1, %" half "0" \
	    : "=&x"(out) : "x"(one), "xm"(other), "x"(by)); \
	_mm256_storeu_ps(kept, out); \
	sum = sum * 31 + hash(kept, sizeof kept); \
} while (0)

__attribute__((noinline)) static uint64_t blends(unsigned seed)
{
	__m256 one = _mm256_loadu_ps(table + seed % 900), other = _mm256_loadu_ps(table + seed % 800), out;
	__m256 which = (__m256)_mm256_set_epi32(~seed, 0x80000080, seed << 7, 1 << 31, 0x8000, seed, ~0, 5);
	uint64_t sum = 0;
	float kept[8];

	BLEND("vblendvps", "t", "xmm5"); BLEND("vblendvps", "x", UPPER);
	BLEND("vblendvpd", "t", UPPER); BLEND("vblendvpd", "x", "xmm5");
	BLEND("vpblendvb", "t", "xmm5"); BLEND("vpblendvb", "x", UPPER);
	for (int at = 0; at < 4; at++) {	/* vmaskmovdqu */
		char bytes[24] = "what stands there by now";
		_mm_maskmoveu_si128(_mm_castps_si128(_mm256_castps256_ps128(one)),
		    _mm_slli_epi16(_mm_castps_si128(_mm256_castps256_ps128(which)), at), bytes + at);
		sum = sum * 31 + hash(bytes, sizeof bytes);
	}
	return sum;
}

static void handler(int number)
{
	(void)products(number + alarms);
	(void)lanes(number);
	_mm256_zeroall();
	alarms++;
}

/* Upper halves stay what they are while handlers and other threads use theirs. */
__attribute__((noinline)) static unsigned long keep(unsigned long rounds, int value)
{
	__m256i kept = _mm256_set1_epi32(value);
	unsigned long wrong = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		__asm__ volatile ("" : "+x"(kept));
		wrong += _mm256_movemask_epi8(_mm256_cmpeq_epi32(kept, _mm256_set1_epi32(value))) != -1;
	}
	return wrong;
}

static void *work(void *argument)
{
	uint64_t *result = argument;
	unsigned seed = (unsigned)*result;

	*result = 0;
	for (unsigned i = 0; i < 4; i++)
		*result = *result * 31 + products(seed + i) + lanes(seed * i) + keep(20000, (int)seed);
	return NULL;
}

int main(void)
{
	struct itimerval interval = { { 0, 2000 }, { 0, 2000 } }, none = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[4];
	uint64_t results[4] = { 1, 2, 3, 4 };
	unsigned long wrong = 0;
	__m256 kept = _mm256_set1_ps(1.25f);
	int status;

	for (int i = 0; i < 1024; i++)
		table[i] = i * 1.5f;
	printf("products %016llx lanes %016llx\n", (unsigned long long)products(1), (unsigned long long)lanes(12345));
	printf("blends %016llx %016llx\n", (unsigned long long)blends(12345), (unsigned long long)blends(99));
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &interval, NULL);
	while (alarms < 5)
		wrong += keep(50000, 42);
	setitimer(ITIMER_REAL, &none, NULL);
	printf("wrong after handlers: %lu\n", wrong);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, &results[i]);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		printf("thread %d: %016llx\n", i, (unsigned long long)results[i]);
	}
	fflush(stdout);
	__asm__ volatile ("" : "+x"(kept));
#ifdef __x86_64__
	long pid = 57;	/* fork, without a call that may use the registers */
	__asm__ volatile ("syscall" : "+a"(pid) : : "rcx", "r11", "memory");
#else
	long pid = 2;
	__asm__ volatile ("int $0x80" : "+a"(pid) : : "memory");
#endif
	__asm__ volatile ("" : "+x"(kept));
	float sum[8];
	_mm256_storeu_ps(sum, kept);
	if (pid == 0) {
		printf("child: %g %g\n", sum[0], sum[7]);
		fflush(stdout);
		_exit(0);
	}
	waitpid((pid_t)pid, &status, 0);
	printf("parent: %g %g\n", sum[0], sum[7]);
	printf("%zu %d\n", strlen("a string that AVX2 code of the C library looks through, 80 bytes of it or so"),
	    memcmp(table, table + 1, sizeof table / 2) != 0);
	return 0;
}
