"""The ip, tcp, udp and mib providers: what a program's sockets send over the loopback."""

from __future__ import annotations

import struct
from collections.abc import Callable
from ipaddress import ip_address

from runtime.kernel.net.address import Address
from runtime.kernel.net.loopback import Packet

Programs = Callable[[str], str]
Trace = Callable[..., str]
Counts = Callable[..., dict[str, int]]

CLIENT, SERVER = "127.0.0.1:32768", "127.0.0.1:8080"


def test_a_connection_packet_by_packet(trace: Trace, program: Programs) -> None:
    output = trace("""tcp:::send /args[4]->tcp_dport != 9 && args[4]->tcp_sport != 9/ {
        printf("%s:%d %s:%d %x %d\\n", args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr,
          args[4]->tcp_dport, args[4]->tcp_flags, args[2]->ip_plength - args[4]->tcp_offset); }""",
                   program("net"))
    ours, theirs = f"{CLIENT} {SERVER}", f"{SERVER} {CLIENT}"
    assert output.split("\n")[:-2] == [
        f"{ours} 2 0", f"{theirs} 12 0", f"{ours} 10 0",  # SYN, SYN and ACK, ACK
        f"{ours} 18 1000", f"{theirs} 18 24",
        f"{ours} 11 0", f"{theirs} 10 0", f"{theirs} 11 0", f"{ours} 10 0"]  # FIN from both


def test_sequence_numbers_follow_the_bytes(trace: Trace, program: Programs) -> None:
    output = trace("""tcp:::receive /args[4]->tcp_dport == 8080 && args[4]->tcp_flags & TH_SYN/
        { self->first = args[4]->tcp_seq; }
        tcp:::receive /args[4]->tcp_dport == 8080 && args[4]->tcp_flags & TH_ACK/
        { printf("%d %d\\n", args[4]->tcp_seq - self->first, args[4]->tcp_ack - args[3]->tcps_iss); }""",
                   program("net"))
    assert output.split("\n")[:4] == ["1 1", "1 1", "1001 25", "1002 26"]


def test_states_of_both_ends(trace: Trace, program: Programs) -> None:
    output = trace("""tcp:::state-change { printf("%d %s\\n", args[3]->tcps_active,
        tcp_state_string[args[3]->tcps_state]); }""", program("net"))
    states = [line.split() for line in output.splitlines() if line]
    client = [state for active, state in states if active == "1"]
    assert client == ["state-syn-sent", "state-established", "state-fin-wait-1", "state-fin-wait-2",
                      "state-time-wait", "state-syn-sent", "state-closed"]
    assert [state for active, state in states if active == "0"] == [
        "state-bound", "state-listen", "state-bound", "state-syn-received", "state-established",
        "state-close-wait", "state-last-ack", "state-closed", "state-bound", "state-closed"]


def test_who_connects_to_whom(trace: Trace, program: Programs) -> None:
    output = trace("""tcp:::connect-established, tcp:::accept-established, tcp:::connect-refused
        { printf("%s %s %d %d\\n", probename, args[3]->tcps_raddr, args[3]->tcps_rport,
          args[1]->cs_pid == pid); }""", program("net"))
    assert output.split("\n")[:3] == [
        "connect-established 127.0.0.1 8080 1", "accept-established 127.0.0.1 32768 1",
        "connect-refused 127.0.0.1 9 1"]


def test_datagrams(trace: Trace, program: Programs) -> None:
    output = trace("""udp:::send, udp:::receive { printf("%s %d %d %d\\n", probename, args[4]->udp_dport,
        args[4]->udp_length, args[3]->udps_addr != 0); }""", program("net"))
    assert output.split("\n")[:4] == ["send 5353 13 1", "receive 5353 13 1", "send 7 14 1", "receive 7 14 0"]


def test_headers_of_packets(trace: Trace, program: Programs) -> None:
    output = trace("""ip:::send /args[4]->ipv4_protostr == "UDP"/
        { printf("%d %d %s %s %s %d %x\\n", args[2]->ip_ver, args[4]->ipv4_length, args[3]->if_name,
          args[4]->ipv4_saddr, args[5]->ipv6_daddr, args[4]->ipv4_ttl, ntohl(args[4]->ipv4_dst));
          exit(0); }""",
                   program("net"))
    assert output.split("\n")[0] == "4 33 lo0 127.0.0.1 <null> 64 7f000001"


def test_counters_of_the_network(counts: Counts, program: Programs) -> None:
    found = counts("mib:::tcp*, mib:::udp* { @[probename] = sum(arg0); }", program("net"))
    assert found == {
        "tcpActiveOpens": 2, "tcpPassiveOpens": 1, "tcpAttemptFails": 1, "tcpOutRsts": 1,
        "tcpHCOutSegs": 11, "tcpHCInSegs": 11, "tcpOutDataSegs": 2, "tcpInDataInorderSegs": 2,
        "tcpOutDataBytes": 1024, "tcpInDataInorderBytes": 1024,
        "udpHCOutDatagrams": 2, "udpHCInDatagrams": 1, "udpNoPorts": 1}


def test_packets_on_the_wire() -> None:
    """As RFC 791, 8200, 768 and 9293 have them; an IPv4 address in IPv6's clothes is one of IPv4."""
    one, mapped = ip_address("::1").packed, ip_address("::ffff:127.0.0.1").packed
    sent = Packet(Address(10, one, 1000), Address(10, one, 53), 17, 5, b"hello")
    assert (sent.version, sent.ip_size, sent.length) == (6, 40, 53)
    assert sent.image() == bytes.fromhex("60000000 000d 11 40") + one * 2 + bytes.fromhex(
        "03e8 0035 000d 0000") + b"hello"
    sent = Packet(Address(10, mapped, 1000), Address(2, b"\x7f\0\0\1", 53), 6, 0, b"", 0x12, 7, 9, 99999)
    image = sent.image()
    assert (sent.version, sent.ip_size, sent.length, len(image)) == (4, 20, 40, 40)
    assert image[:10] + image[12:] == bytes.fromhex(
        "45 00 0028 0000 4000 40 06 7f000001 7f000001 03e8 0035 00000007 00000009 5012 ffff 0000 0000")
    assert sum(struct.unpack(">10H", image[:20])) % 0xFFFF == 0  # the checksum of the header
