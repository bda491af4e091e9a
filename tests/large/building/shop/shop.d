provider shop {
	probe sale(int number, char *what);
};
