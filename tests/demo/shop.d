/*
 * The provider of the demo program: what happens to an order in a shop.
 */
provider shop {
	probe order__start(int id, char *customer);
	probe order__done(int id, int cents, char *customer);
	probe item__priced(char *item, int cents);
	probe stock__audit(int items, char *report);
};

#pragma D attributes Evolving/Evolving/Common provider shop provider
#pragma D attributes Private/Private/Unknown provider shop module
#pragma D attributes Private/Private/Unknown provider shop function
#pragma D attributes Evolving/Evolving/Common provider shop name
#pragma D attributes Evolving/Evolving/Common provider shop args
