/* A connection over the loopback, one that is refused, and datagrams to somebody and to nobody. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at(int port)
{
	struct sockaddr_in name = { AF_INET, htons(port), { htonl(INADDR_LOOPBACK) } };
	return name;
}

int main(void)
{
	struct sockaddr_in web = at(8080), closed = at(9), dns = at(5353), nobody = at(7);
	socklen_t size = sizeof web;
	char buffer[4096] = "x";
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), server;
	int refused = socket(AF_INET, SOCK_STREAM, 0);
	int asks = socket(AF_INET, SOCK_DGRAM, 0), answers = socket(AF_INET, SOCK_DGRAM, 0);

	bind(listener, (struct sockaddr *)&web, size);
	listen(listener, 5);
	connect(client, (struct sockaddr *)&web, size);
	server = accept(listener, 0, 0);
	write(client, buffer, 1000);
	read(server, buffer, sizeof buffer);
	write(server, buffer, 24);
	read(client, buffer, sizeof buffer);
	close(client);
	close(server);
	connect(refused, (struct sockaddr *)&closed, size);
	bind(answers, (struct sockaddr *)&dns, size);
	sendto(asks, buffer, 5, 0, (struct sockaddr *)&dns, size);
	recv(answers, buffer, sizeof buffer, 0);
	sendto(asks, buffer, 6, 0, (struct sockaddr *)&nobody, size);
	return 0;
}
