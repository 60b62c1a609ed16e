// write FILE: walks a btsnoop file and prints a JSON line for each document: the limit with output.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t be32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}

static uint32_t l32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

static char o[1 << 17];
static size_t k;

static void fl(void) {
  write(1, o, k);
  k = 0;
}

static void S(const char *s) {
  size_t l = strlen(s);
  memcpy(o + k, s, l);
  k += l;
}

static void U(uint64_t v) {
  char t[24];
  int i = 24;
  do
    t[--i] = '0' + v % 10;
  while (v /= 10);
  memcpy(o + k, t + i, 24 - i);
  k += 24 - i;
}

static void X(const uint8_t *p, size_t l) {
  for (size_t i = 0; i < l; i++) {
    o[k++] = "0123456789abcdef"[p[i] >> 4];
    o[k++] = "0123456789abcdef"[p[i] & 15];
  }
}

int main(int c, char **v) {
  int fd = open(v[1], O_RDONLY);
  struct stat st;
  fstat(fd, &st);
  const uint8_t *b = mmap(0, st.st_size, 1, MAP_PRIVATE, fd, 0);
  size_t q = 16;
  uint64_t n = 0, d = 0;
  while (q + 24 <= st.st_size) {
    uint32_t l = be32(b + q + 4);
    const uint8_t *p = b + q + 24;
    n++;
    if (l > 24 && p[0] == 2 && p[7] == 4 && p[9] == 0x1b && p[10] == 0x12 && p[11] == 0) {
      const uint8_t *D = p + 12;
      uint32_t N = l32(D + 8);
      if (24 + 12 * N <= l && N && N <= 256 && (D[12 + 12 * N] == 0xAB)) {
        d++;
        S("{\"frame\":");
        U(n);
        S(",\"time\":");
        U(((uint64_t)be32(b + q + 16) << 32) | be32(b + q + 20));
        S(",\"node\":\"");
        X(D + 4, 4);
        S("\",\"version\":");
        U(l32(D));
        S(",\"counter\":{");
        for (uint32_t i = 0; i < N; i++) {
          if (i)
            S(",");
          S("\"");
          X(D + 12 + 12 * i, 4);
          S("\":");
          U(l32(D + 16 + 12 * i));
        }
        S("},\"bytes\":\"");
        X(D, l - 12);
        S("\"}\n");
        if (k > 60000)
          fl();
      }
    }
    q += 24 + l;
  }
  fl();
  fprintf(stderr, "%lu %lu\n", n, d);
}
