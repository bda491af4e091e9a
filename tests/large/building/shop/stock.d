provider stock {
	probe taken(char *what, int left);
};
