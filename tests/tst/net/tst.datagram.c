#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_in name = { AF_INET, htons(5300), { htonl(INADDR_LOOPBACK) } };
	int sender = socket(AF_INET, SOCK_DGRAM, 0), receiver = socket(AF_INET, SOCK_DGRAM, 0);
	char buffer[16];

	bind(receiver, (struct sockaddr *)&name, sizeof name);
	for (;;) {
		usleep(1000);
		sendto(sender, "hello", 5, 0, (struct sockaddr *)&name, sizeof name);
		recv(receiver, buffer, sizeof buffer, 0);
	}
}
