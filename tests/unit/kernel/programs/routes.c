/* The loopback interface as netlink tells of it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "say.h"

struct question {
	struct nlmsghdr header;
	struct ifinfomsg link;
	struct rtattr attribute;
	char name[8];
};

static void ask(int fd, int type, int flags, int index, const char *name)
{
	struct question question = { { sizeof question, type, flags, 77 }, { .ifi_index = index },
	                             { RTA_LENGTH(8), IFLA_IFNAME } };
	struct sockaddr_nl kernel = { AF_NETLINK }, from;
	socklen_t size = sizeof from;
	union { struct nlmsghdr header; char bytes[8192]; } answer;

	strncpy(question.name, name, 7);
	say(sendto(fd, &question, sizeof question, 0, (void *)&kernel, sizeof kernel));
	say(recvfrom(fd, &answer, sizeof answer, MSG_DONTWAIT, (void *)&from, &size) > 0);
	printf(" type %d seq %d for me %d from %d %d error %d", answer.header.nlmsg_type, answer.header.nlmsg_seq,
	       answer.header.nlmsg_pid == getpid(), from.nl_pid, size, answer.header.nlmsg_type == NLMSG_ERROR ?
	       ((struct nlmsgerr *)NLMSG_DATA(&answer))->error : 0);
}

int main(void)
{
	struct sockaddr_nl mine = { AF_NETLINK };
	socklen_t size = sizeof mine;
	struct ifaddrs *all = NULL;
	char text[INET6_ADDRSTRLEN], buffer[64];
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	say(getifaddrs(&all));
	for (struct ifaddrs *each = all; each; each = each->ifa_next) {
		int family = each->ifa_addr ? each->ifa_addr->sa_family : 0;
		void *host = family == AF_INET6 ? (void *)&((struct sockaddr_in6 *)each->ifa_addr)->sin6_addr
		                                : &((struct sockaddr_in *)each->ifa_addr)->sin_addr;
		if (strcmp(each->ifa_name, "lo") == 0)
			printf(" %d %x %s", family, each->ifa_flags, inet_ntop(family, host, text, sizeof text) ?: "");
	}
	say(if_nametoindex("lo")), say(if_nametoindex("nothere")), printf(" %s", if_indextoname(1, buffer));
	say(socket(AF_NETLINK, SOCK_STREAM, NETLINK_ROUTE)), say(socket(AF_NETLINK, SOCK_RAW, 31));
	say(bind(fd, (void *)&mine, sizeof mine)), say(getsockname(fd, (void *)&mine, &size));
	printf(" %d %d %d\n", mine.nl_family, mine.nl_pid == getpid(), size);
	say(recv(fd, buffer, sizeof buffer, MSG_DONTWAIT));
	ask(fd, RTM_GETLINK, NLM_F_REQUEST, 1, ""), ask(fd, RTM_GETLINK, NLM_F_REQUEST, 0, "lo");
	ask(fd, RTM_GETLINK, NLM_F_REQUEST, 0, "no"), ask(fd, RTM_GETLINK, NLM_F_REQUEST, 1 << 20, "");
	ask(fd, NLMSG_NOOP, NLM_F_REQUEST | NLM_F_ACK, 0, "");
	ask(fd, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 0, "");
	puts("");
	return 0;
}
