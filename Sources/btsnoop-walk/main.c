/* The baseline of `make bench`: steps over the records of a btsnoop file by mmap and counts them. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int main(int argc, char **argv) {
  struct stat status;
  int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (file < 0 || fstat(file, &status) != 0) {
    perror("btsnoop-walk");
    return 1;
  }
  size_t size = (size_t)status.st_size;
  const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) {
    perror("btsnoop-walk: mmap");
    return 1;
  }
  size_t at = 16;
  uint64_t records = 0, data = 0;
  while (at + 24 <= size) {
    uint32_t length = be32(bytes + at + 4);
    if (length > size - at - 24) break;
    records++;
    data += length > 0 ? bytes[at + 24] : 0;
    at += 24 + length;
  }
  printf("%llu %llu\n", (unsigned long long)records, (unsigned long long)data);
  return 0;
}
