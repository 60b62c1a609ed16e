// documents key=value...: a btsnoop (H4) capture of links, discovery and Peat documents among other traffic.
//   out=FILE  bytes=N or docs=N (where to stop)  pct=100 (share of documents)  nodes=10  conns=N (up to 3000)
//   entries=10 (counters a document)  cycles=0 (reconnections)  emerg=0 (emergencies)  acks=5
//   bump=20 (% of documents that raise the own counter)  bad=0 (% with activity 9)  us=1000 (between packets)
//   mode=mix|nowr|resp (the other traffic)
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t s = 88172645463325252ULL;

static uint64_t rnd(void) {
  s ^= s << 13;
  s ^= s >> 7;
  s ^= s << 17;
  return s;
}

static FILE *f;
static uint64_t n, pk, ts;
static long us = 1000;

static void be32(uint8_t *p, uint32_t v) {
  p[0] = v >> 24;
  p[1] = v >> 16;
  p[2] = v >> 8;
  p[3] = v;
}

static void le16(uint8_t *p, uint32_t v) {
  p[0] = v;
  p[1] = v >> 8;
}

static void le32(uint8_t *p, uint32_t v) {
  le16(p, v);
  le16(p + 2, v >> 16);
}

static void le64(uint8_t *p, uint64_t v) {
  le32(p, v);
  le32(p + 4, v >> 32);
}

static void rec(const uint8_t *d, uint32_t l, int rx, int ev) {
  uint8_t h[24];
  be32(h, l);
  be32(h + 4, l);
  be32(h + 8, (rx ? 1 : 0) | (ev ? 2 : 0));
  be32(h + 12, 0);
  be32(h + 16, ts >> 32);
  be32(h + 20, ts);
  fwrite(h, 1, 24, f);
  fwrite(d, 1, l, f);
  n += 24 + l;
  pk++;
  ts += us;
}

static void att(int conn, const uint8_t *p, uint32_t l, int rx) {
  static uint8_t b[70000];
  b[0] = 2;
  le16(b + 1, conn | (rx ? 0x2000 : 0));
  le16(b + 3, l + 4);
  le16(b + 5, l);
  le16(b + 7, 4);
  memcpy(b + 9, p, l);
  rec(b, l + 9, rx, 0);
}

static const uint8_t SVC[16] = {0x79, 0xD4, 0xC3, 0xB2, 0x02, 0x0E, 0x67, 0xA5,
                                0x72, 0x43, 0xCC, 0x58, 0x0B, 0xC1, 0x7A, 0xF4},
                     DOC[16] = {0x79, 0xD4, 0xC3, 0xB2, 0x02, 0x0E, 0x67, 0xA5,
                                0x72, 0x43, 0xCC, 0x58, 0x03, 0x00, 0x7A, 0xF4};

static void conn_open(int h, uint32_t id, int peat) {
  uint8_t e[22] = {4, 0x3E, 19, 1, 0};
  le16(e + 5, h);
  e[7] = 0;
  e[8] = 1;
  le32(e + 9, id);
  e[13] = 0;
  e[14] = 0xC0;
  le16(e + 15, 24);
  le16(e + 17, 0);
  le16(e + 19, 42);
  e[21] = 0;
  rec(e, 22, 1, 1);
  uint8_t m[3] = {2, 0, 8};
  att(h, m, 3, 0);
  m[0] = 3;
  att(h, m, 3, 1);
  if (peat == 1) {
    uint8_t q[7] = {0x10, 1, 0, 0xff, 0xff, 0, 0x28};
    att(h, q, 7, 0);
    uint8_t r[22] = {0x11, 20, 0x10, 0, 0x20, 0};
    memcpy(r + 6, SVC, 16);
    att(h, r, 22, 1);
    uint8_t c[7] = {8, 0x10, 0, 0x20, 0, 3, 0x28};
    att(h, c, 7, 0);
    uint8_t k[23] = {9, 21, 0x11, 0, 0x1a, 0x12, 0};
    memcpy(k + 7, DOC, 16);
    att(h, k, 23, 1);
  } else if (peat == 2) {
    uint8_t q[7] = {8, 1, 0, 0xff, 0xff, 3, 0x28};
    att(h, q, 7, 0);
    uint8_t a[2 + 7 * 8] = {9, 7};
    for (int i = 0; i < 8; i++) {
      uint8_t *t = a + 2 + 7 * i;
      le16(t, 0x0f + 2 * i);
      t[2] = 0x12;
      le16(t + 3, 0x10 + 2 * i);
      le16(t + 5, 0x2a37 + i);
    }
    att(h, a, 58, 1);
  }
}

static void conn_close(int h) {
  uint8_t e[7] = {4, 5, 4, 0, 0, 0, 0x13};
  le16(e + 4, h);
  rec(e, 7, 1, 1);
}

static uint64_t *ctr;
static uint32_t *ver;

int main(int c, char **v) {
  char *out = 0, *mode = "mix";
  uint64_t bytes = 0, docs = 0, pct = 100, nodes = 10, conns = 0, entries = 10, cycles = 0,
           emerg = 0, acks = 5, bump = 20, bad = 0;
  for (int i = 1; i < c; i++) {
    char *e = strchr(v[i], '=');
    *e++ = 0;
    uint64_t x = strtoull(e, 0, 10);
#define K(a)                                                                                       \
  if (!strcmp(v[i], #a)) {                                                                         \
    a = x;                                                                                         \
    continue;                                                                                      \
  }
    if (!strcmp(v[i], "out")) {
      out = e;
      continue;
    }
    if (!strcmp(v[i], "mode")) {
      mode = e;
      continue;
    }
    K(bytes)
    K(docs) K(pct) K(nodes) K(conns) K(entries) K(cycles) K(emerg) K(acks) K(bump) K(bad) K(us)
        fprintf(stderr, "? %s\n", v[i]);
    return 1;
  }
  if (!conns || conns > nodes)
    conns = nodes;
  if (conns > 3000)
    conns = 3000;
  if (entries > nodes)
    entries = nodes;
  ctr = calloc(nodes, 8);
  ver = calloc(nodes, 4);
  f = fopen(out, "wb");
  static char buf[1 << 20];
  setvbuf(f, buf, _IOFBF, sizeof buf);
  uint8_t h[16] = "btsnoop";
  be32(h + 8, 1);
  be32(h + 12, 1002);
  fwrite(h, 1, 16, f);
  n = 16;
  ts = 0x00E03AB44A676000LL + 826700000000000LL;
  uint64_t base_ms = (826700000000000ULL + 946684800000000ULL) / 1000, t0 = ts;
  int nh = 0xE80;
  conn_open(nh, 0xBEEF0001, 2);
  for (uint64_t i = 0; i < conns; i++)
    conn_open(0x100 + i, 0x10000 + i, 1);
  uint64_t nd = 0, cyc = 0, percycle = cycles ? (docs ? docs / cycles : 100) : 0;
  uint64_t turn = 0;
  uint32_t esrc = 0;
  uint64_t etime = 0, estart = 0;
  uint64_t est = docs ? docs : bytes / (12 + 12 * entries + 57 + 33);
  est = est ? est : 1;
  static uint8_t p[70000];
  while (bytes ? n < bytes : nd < docs) {
    if (pct < 100 && rnd() % 100 >= pct) {
      uint32_t l = 31 + rnd() % 81;
      int x = rnd() % 4;
      p[0] = x == 0 ? 0x1b : x == 1 ? 0x52 : (!strcmp(mode, "nowr") ? 0x1b : 0x12);
      le16(p + 1, 0x10 + 2 * (rnd() % 8));
      for (uint32_t i = 3; i < l; i += 8) {
        uint64_t r = rnd();
        memcpy(p + i, &r, 8);
      }
      att(nh, p, l, p[0] == 0x1b);
      if (p[0] == 0x12 && !strcmp(mode, "resp")) {
        uint8_t r = 0x13;
        att(nh, &r, 1, 1);
      }
      continue;
    }
    uint64_t k = turn++ % nodes;
    int hd = 0x100 + k % conns;
    if (cycles && nd % percycle == 0 && nd) {
      cyc++;
      conn_close(hd);
      conn_open(hd, 0x10000 + k % conns + (cyc << 16), 1);
    }
    if (rnd() % 100 < bump)
      ctr[k]++;
    if (!ctr[k])
      ctr[k] = 1;
    ver[k]++;
    while ((ver[k] & 255) >= 0xAC && (ver[k] & 255) <= 0xB2)
      ver[k]++;
    uint64_t now = base_ms + (ts - t0) / 1000;
    if (emerg && (nd % (est / emerg ? est / emerg : 1) == 0)) {
      esrc = 1 + k;
      etime = now;
      estart = nd;
    }
    uint8_t *d = p + 3;
    p[0] = 0x1b;
    le16(p + 1, 0x12);
    le32(d, ver[k]);
    le32(d + 4, 0x20000001 + k);
    // entries ascending: own and following, wrapped; order is free on the wire, but kept sorted
    uint64_t e = entries;
    le32(d + 8, e);
    uint64_t a = k + e <= nodes ? k : nodes - e;
    for (uint64_t i = 0; i < e; i++) {
      le32(d + 12 + 12 * i, 0x20000001 + a + i);
      le64(d + 16 + 12 * i, ctr[a + i]);
    }
    uint8_t *q = d + 12 + 12 * e;
    int ev = emerg && etime && esrc == 1 + k;
    int bl = ev ? 53 : 44; // with location, no event: 44
    q[0] = 0xAB;
    q[1] = 0;
    le16(q + 2, bl);
    q += 4;
    le32(q, 0x20000001 + k);
    le32(q + 4, 0);
    q[8] = 1;
    memset(q + 9, 0, 12);
    snprintf((char *)q + 9, 12, "N-%llu", (unsigned long long)k);
    q[20] = 0;
    q[21] = 80 + k % 20;
    q[22] = (bad && rnd() % 100 < bad) ? 9 : 1;
    q[23] = 0;
    q[24] = 72;
    q[25] = ev;
    uint8_t *z = q + 26;
    if (ev) {
      z[0] = 3;
      le64(z + 1, etime);
      z += 9;
    }
    le64(z, base_ms + 1000 * k);
    z[8] = 1;
    float la = 46.f + k * 1e-4f, lo = 7.f + k * 1e-4f;
    memcpy(z + 9, &la, 4);
    memcpy(z + 13, &lo, 4);
    z[17] = 0;
    q += bl;
    if (emerg && etime) {
      uint64_t A = acks < nodes ? acks : nodes;
      q[0] = 0xAC;
      q[1] = 0;
      le16(q + 2, 16 + 5 * A);
      q += 4;
      le32(q, 0x20000000 + esrc);
      le64(q + 4, etime);
      le32(q + 12, A);
      q += 16;
      uint64_t done = (nd - estart) / 2;
      for (uint64_t i = 0; i < A; i++) {
        le32(q, 0x20000001 + (esrc - 1 + i) % nodes);
        q[4] = i <= done;
        q += 5;
      }
    }
    att(hd, p, q - p, 1);
    nd++;
  }
  fclose(f);
  printf("%s bytes=%llu packets=%llu docs=%llu\n", out, (unsigned long long)n,
         (unsigned long long)pk, (unsigned long long)nd);
}
