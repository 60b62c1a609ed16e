// pcaploop FILE: libpcap's own loop over a capture of link type 201.
#include <pcap/pcap.h>
#include <stdio.h>

int main(int c, char **v) {
  char e[256];
  pcap_t *p = pcap_open_offline(v[1], e);
  if (!p) {
    puts(e);
    return 1;
  }
  struct pcap_pkthdr *h;
  const u_char *d;
  unsigned long n = 0, k = 0;
  while (pcap_next_ex(p, &h, &d) == 1) {
    n++;
    d += 4;
    if (h->caplen < 16 || d[0] != 2)
      continue;
    if ((d[7] | d[8] << 8) != 4)
      continue;
    if (d[9] != 0x12 && d[9] != 0x52)
      continue;
    k += (d[10] | d[11] << 8) == 0x12;
  }
  printf("%lu %lu\n", n, k);
}
