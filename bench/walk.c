// walk mmap|read FILE: steps over the records of a btsnoop file and counts writes to one handle: the limit.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static inline uint32_t be32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}

static inline int hit(const uint8_t *d, uint32_t l) {
  if (l < 12 || d[0] != 2)
    return 0;
  uint16_t acl = d[3] | d[4] << 8;
  if (5u + acl > l)
    return 0;
  uint16_t cid = d[7] | d[8] << 8;
  if (cid != 4)
    return 0;
  if (d[9] != 0x12 && d[9] != 0x52)
    return 0;
  return (d[10] | d[11] << 8) == 0x12;
}

int main(int c, char **v) {
  int fd = open(v[2], O_RDONLY);
  struct stat st;
  fstat(fd, &st);
  uint64_t n = 0, h = 0;
  if (!strcmp(v[1], "mmap")) {
    const uint8_t *b = mmap(0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    madvise((void *)b, st.st_size, MADV_SEQUENTIAL);
    size_t o = 16;
    while (o + 24 <= st.st_size) {
      uint32_t l = be32(b + o + 4);
      if (o + 24 + l > st.st_size)
        break;
      n++;
      h += hit(b + o + 24, l);
      o += 24 + l;
    }
  } else {
    size_t cap = 1 << 20;
    uint8_t *b = malloc(cap);
    size_t have = 0, o = 16;
    int first = 1;
    for (;;) {
      ssize_t r = read(fd, b + have, cap - have);
      if (r <= 0)
        break;
      have += r;
      if (!first)
        o = 0;
      first = 0;
      while (o + 24 <= have) {
        uint32_t l = be32(b + o + 4);
        if (o + 24 + l > have)
          break;
        n++;
        h += hit(b + o + 24, l);
        o += 24 + l;
      }
      memmove(b, b + o, have - o);
      have -= o;
    }
  }
  printf("%llu %llu\n", (unsigned long long)n, (unsigned long long)h);
}
