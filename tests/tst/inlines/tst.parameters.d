/* An inline with parameters is an expression, evaluated where it stands. */
#pragma D option quiet

inline int SIZE = 4;
inline int square[int n] = n * n;
inline int hypotenuse[int a, int b] = square[a] + square[b];
inline string word[int n] = n ? "yes" : "no";

int table[SIZE];

BEGIN
{
	i = 3;
	printf("%d %d %d\n", SIZE, square[i + 1], hypotenuse[i, square[2]]);
	printf("%s %s %d\n", word[i], word[i - 3], sizeof (table));
	exit(0);
}
