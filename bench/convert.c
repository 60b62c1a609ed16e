// convert KIND IN.btsnoop OUT: the same packets in another container.
//   KIND: pcap201 h4pcap pcapng201 pklg mon (btsnoop 2001) hci1001 air251 air256 air272
//   Air captures hold the ATT packets only, as one link behind its CONNECT_IND.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static FILE *o;

static uint32_t be(const uint8_t *p) {
  return p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void W(const void *p, size_t l) {
  fwrite(p, 1, l, o);
}

static void w32(uint32_t v) {
  W(&v, 4);
}

static void w16(uint16_t v) {
  W(&v, 2);
}

static void b32(uint32_t v) {
  v = __builtin_bswap32(v);
  W(&v, 4);
}

static uint32_t T[256];

static void crcinit(void) {
  for (int i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? (c >> 1) ^ 0xDA6000 : c >> 1;
    T[i] = c;
  }
}

static uint32_t rev24(uint32_t x) {
  uint32_t r = 0;
  for (int i = 0; i < 24; i++)
    r |= ((x >> i) & 1) << (23 - i);
  return r;
}

static uint32_t crc(uint32_t init, const uint8_t *p, size_t l) {
  uint32_t s = rev24(init);
  for (size_t i = 0; i < l; i++)
    s = T[(s ^ p[i]) & 255] ^ (s >> 8);
  return s;
}

static int kind;
static int evc;

static void airpkt(uint64_t us, uint32_t aa, const uint8_t *pdu, size_t l, uint32_t ci, int rx,
                   int ch) {
  static uint8_t b[400];
  size_t k = 0;
  if (kind == 256) {
    b[0] = ch;
    b[1] = -50;
    b[2] = 0x80;
    b[3] = 0;
    memcpy(b + 4, &aa, 4);
    uint16_t fl = 0x0001 | 0x0002 | 0x0010 | 0x0400 | 0x0800 |
                  (aa == 0x8e89bed6 ? 0 : (rx ? 0x0000 : 0x0000));
    memcpy(b + 8, &fl, 2);
    k = 10;
  }
  if (kind == 272) {
    uint8_t h[] = {0,  0,  0, 3, 0,   0, 0x02, 10, (uint8_t)(1 | (rx ? 0 : 2)),
                   ch, 50, 0, 0, 150, 0, 0,    0};
    uint16_t pl = 10 + 4 + l + 3;
    h[1] = pl;
    h[2] = pl >> 8;
    h[6] = aa == 0x8e89bed6 ? 2 : 2;
    h[4] = evc;
    uint16_t e2 = evc;
    memcpy(h + 11, &e2, 2);
    uint32_t t = us;
    memcpy(h + 13, &t, 4);
    memcpy(b, h, 17);
    k = 17;
  }
  memcpy(b + k, &aa, 4);
  k += 4;
  memcpy(b + k, pdu, l);
  size_t at = k;
  k += l;
  if (0)
    (void)at;
  uint32_t c = crc(ci, pdu, l);
  b[k] = c;
  b[k + 1] = c >> 8;
  b[k + 2] = c >> 16;
  k += 3;
  if (kind == 272) { /* Nordic puts no pad here for 1M in v3 non-data pcap */
  }
  w32(us / 1000000);
  w32(us % 1000000);
  w32(k);
  w32(k);
  W(b, k);
}

int main(int c, char **v) {
  crcinit();
  FILE *f = fopen(v[2], "rb");
  o = fopen(v[3], "wb");
  static char b1[1 << 20], b2[1 << 20];
  setvbuf(f, b1, _IOFBF, 1 << 20);
  setvbuf(o, b2, _IOFBF, 1 << 20);
  uint8_t h[24];
  static uint8_t d[70000];
  fread(h, 1, 16, f);
  char *K = v[1];
  if (!strcmp(K, "pcap201") || !strcmp(K, "h4pcap") || !strncmp(K, "air", 3)) {
    int lt = !strcmp(K, "pcap201") ? 201 : !strcmp(K, "h4pcap") ? 187 : atoi(K + 3);
    kind = lt;
    w32(0xa1b2c3d4);
    w16(2);
    w16(4);
    w32(0);
    w32(0);
    w32(65535);
    w32(lt);
  } else if (!strcmp(K, "pcapng201")) {
    w32(0x0A0D0D0A);
    w32(28);
    w32(0x1A2B3C4D);
    w16(1);
    w16(0);
    w32(-1);
    w32(-1);
    w32(28);
    w32(1);
    w32(20);
    w16(201);
    w16(0);
    w32(0);
    w32(20);
  } else if (!strcmp(K, "mon")) {
    W("btsnoop", 8);
    b32(1);
    b32(2001);
  } else if (!strcmp(K, "hci1001")) {
    W("btsnoop", 8);
    b32(1);
    b32(1001);
  }
  uint64_t n = 0;
  uint32_t AA = 0x50123457;
  int sn[2] = {0, 0};
  while (fread(h, 1, 24, f) == 24) {
    uint32_t l = be(h);
    fread(d, 1, l, f);
    uint64_t t =
        ((uint64_t)be(h + 16) << 32 | be(h + 20)) - 0x00E03AB44A676000ULL + 946684800000000ULL;
    uint32_t fl = be(h + 8);
    int rx = fl & 1;
    if (!strcmp(K, "pcap201")) {
      w32(t / 1000000);
      w32(t % 1000000);
      w32(l + 4);
      w32(l + 4);
      b32(rx);
      W(d, l);
    } else if (!strcmp(K, "h4pcap")) {
      w32(t / 1000000);
      w32(t % 1000000);
      w32(l);
      w32(l);
      W(d, l);
    } else if (!strcmp(K, "pcapng201")) {
      uint32_t cl = l + 4, pd = (4 - cl % 4) % 4, z = 0;
      w32(6);
      w32(32 + cl + pd);
      w32(0);
      w32(t >> 32);
      w32(t);
      w32(cl);
      w32(cl);
      b32(rx);
      W(d, l);
      W(&z, pd);
      w32(32 + cl + pd);
    } else if (!strcmp(K, "pklg")) {
      uint8_t ty = d[0] == 2 ? (rx ? 3 : 2) : d[0] == 4 ? 1 : 0;
      b32(9 + l - 1);
      b32(t / 1000000);
      b32(t % 1000000);
      W(&ty, 1);
      W(d + 1, l - 1);
    } else if (!strcmp(K, "mon")) {
      uint16_t op = d[0] == 2 ? (rx ? 5 : 4) : d[0] == 4 ? 3 : 2;
      b32(l - 1);
      b32(l - 1);
      b32(op);
      b32(0);
      W(h + 16, 8);
      W(d + 1, l - 1);
    } else if (!strcmp(K, "hci1001")) {
      b32(l - 1);
      b32(l - 1);
      b32((rx ? 1 : 0) | (d[0] == 2 ? 0 : 2));
      b32(0);
      W(h + 16, 8);
      W(d + 1, l - 1);
    } else if (d[0] == 2 && l - 5 <= 251) {
      if (!n) {
        uint8_t r[36] = {0x45, 34, 1, 0, 0, 0, 0, 0xC0, 2, 0, 0, 0, 0, 0xC0};
        memcpy(r + 14, &AA, 4);
        r[18] = 0x56;
        r[19] = 0x34;
        r[20] = 0x12;
        r[21] = 2;
        r[22] = 1;
        r[24] = 24;
        r[28] = 42;
        r[30] = 255;
        r[31] = 255;
        r[32] = 255;
        r[33] = 255;
        r[34] = 0x1f;
        r[35] = 5;
        airpkt(t, 0x8e89bed6, r, 36, 0x555555, 1, 37);
      }
      uint8_t p[300];
      p[0] = 2 | (sn[0] << 2) | (sn[1] << 3);
      int who = rx ? 1 : 0;
      p[0] = 2 | (sn[who] << 3) | (sn[!who] << 2);
      sn[who] ^= 1;
      p[1] = l - 5;
      memcpy(p + 2, d + 5, l - 5);
      evc++;
      airpkt(t, AA, p, l - 5 + 2, 0x123456, rx, n % 37);
    }
    n++;
  }
  fclose(o);
}
