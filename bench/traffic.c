// traffic key=value...: a btsnoop (H4) capture of traffic that has nothing to do with Peat.
//   out=FILE  bytes=N  seed=N  links=N
//   mix=bare      writes and notifications on handles that nothing names, no connection event
//   mix=notify    notifications and write commands of discovered services
//   mix=answered  requests with their answers, discovery, advertising reports, events
//   mix=all       every ATT opcode, fragments, reconnections, BR/EDR, SCO, vendor events
//   sample=FILE   the records of another btsnoop file again and again, each time later
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static uint64_t written, state = 88172645463325252ULL,
                         now = 0x00E03AB44A676000ULL + 826700000000000ULL;

static uint64_t dice(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint32_t below(uint32_t bound) {
  return (dice() >> 11) % bound;
}

static void be32(uint8_t *place, uint32_t value) {
  for (int i = 0; i < 4; i++)
    place[i] = value >> (24 - 8 * i);
}

static void le16(uint8_t *place, uint32_t value) {
  place[0] = value;
  place[1] = value >> 8;
}

static void record(const uint8_t *packet, uint32_t length, int received, int event) {
  uint8_t head[24] = {0};
  be32(head, length);
  be32(head + 4, length);
  be32(head + 8, (received ? 1 : 0) | (event ? 2 : 0));
  now += 1 + below(2000);
  be32(head + 16, now >> 32);
  be32(head + 20, now);
  fwrite(head, 1, 24, out);
  fwrite(packet, 1, length, out);
  written += 24 + length;
}

static void random_bytes(uint8_t *place, uint32_t length) {
  for (uint32_t i = 0; i < length; i += 8) {
    uint64_t word = dice();
    memcpy(place + i, &word, length - i < 8 ? length - i : 8);
  }
}

// One L2CAP frame, in pieces of at most `room` bytes.
static void l2cap(int link, int channel, const uint8_t *data, uint32_t length, int received,
                  uint32_t room) {
  static uint8_t frame[1100], packet[1100];
  le16(frame, length);
  le16(frame + 2, channel);
  memcpy(frame + 4, data, length);
  for (uint32_t at = 0; at < length + 4; at += room) {
    uint32_t part = length + 4 - at < room ? length + 4 - at : room;
    packet[0] = 2;
    le16(packet + 1, link | (at ? 0x1000 : received ? 0x2000 : 0));
    le16(packet + 3, part);
    memcpy(packet + 5, frame + at, part);
    record(packet, part + 5, received, 0);
  }
}

static uint32_t room = 1021;

static void att(int link, const uint8_t *pdu, uint32_t length, int received) {
  l2cap(link, 4, pdu, length, received, room);
}

// An ATT PDU of an opcode and a handle with a value of random bytes.
static void value(int link, int opcode, int handle, uint32_t length, int received) {
  uint8_t pdu[600] = {opcode};
  le16(pdu + 1, handle);
  random_bytes(pdu + 3, length);
  att(link, pdu, length + 3, received);
}

static void head(int link, int opcode, const uint8_t *rest, uint32_t length, int received) {
  uint8_t pdu[600] = {opcode};
  memcpy(pdu + 1, rest, length);
  att(link, pdu, length + 1, received);
}

static void discover(int link) {
  uint8_t all[6] = {1, 0, 0xff, 0xff, 0, 0x28};
  head(link, 0x10, all, 6, 0);
  uint8_t services[13] = {6, 1, 0, 9, 0, 0, 0x18, 10, 0, 0x40, 0, 0x0d, 0x18};
  head(link, 0x11, services, 13, 1);
  uint8_t range[6] = {10, 0, 0x40, 0, 3, 0x28};
  head(link, 0x08, range, 6, 0);
  uint8_t table[1 + 7 * 8] = {7};
  for (int i = 0; i < 8; i++) {
    uint8_t *entry = table + 1 + 7 * i;
    le16(entry, 0x0f + 2 * i);
    entry[2] = 0x1a;
    le16(entry + 3, 0x10 + 2 * i);
    le16(entry + 5, 0x2a37 + i);
  }
  head(link, 0x09, table, sizeof table, 1);
  uint8_t end[4] = {0x08, 0x20, 0, 0x0a};
  head(link, 0x01, end, 4, 1);
}

static void open_link(int link, int discovered) {
  uint8_t event[22] = {4, 0x3e, 19, 1, 0};
  le16(event + 5, link);
  event[8] = 1;
  le16(event + 9, link);
  event[14] = 0xc0;
  le16(event + 15, 24);
  le16(event + 19, 42);
  record(event, 22, 1, 1);
  uint8_t mtu[2] = {0xf7, 0};
  head(link, 0x02, mtu, 2, 0);
  head(link, 0x03, mtu, 2, 1);
  if (discovered)
    discover(link);
}

static void close_link(int link) {
  uint8_t event[7] = {4, 5, 4, 0, 0, 0, 0x13};
  le16(event + 4, link);
  record(event, 7, 1, 1);
}

static void advertise(int extended) {
  uint8_t event[80] = {4, 0x3e};
  uint8_t data[31];
  random_bytes(data, 31);
  data[0] = 2, data[1] = 1, data[3] = 27, data[4] = 0xff;
  if (extended) {
    event[2] = 26 + 31;
    event[3] = 0x0d, event[4] = 1, event[5] = 0x13;
    random_bytes(event + 8, 6);
    event[14] = 1;
    event[28] = 31;
    memcpy(event + 29, data, 31);
    record(event, 60, 1, 1);
  } else {
    event[2] = 12 + 31;
    event[3] = 2, event[4] = 1, event[5] = below(4), event[6] = 1;
    random_bytes(event + 7, 6);
    event[13] = 31;
    memcpy(event + 14, data, 31);
    event[45] = 0xc0;
    record(event, 46, 1, 1);
  }
}

static void completed(int link) {
  uint8_t event[8] = {4, 0x13, 5, 1};
  le16(event + 4, link);
  event[6] = 1;
  record(event, 8, 1, 1);
}

static int handle(void) {
  return 0x10 + 2 * below(8);
}

static uint32_t length(void) {
  return 8 + below(100);
}

static void answered(int link) {
  uint8_t small[16];
  int place = handle();
  switch (below(10)) {
  case 0 ... 2:
    value(link, 0x12, place, length(), 0);
    head(link, 0x13, small, 0, 1);
    break;
  case 3 ... 4:
    le16(small, place);
    head(link, 0x0a, small, 2, 0);
    value(link, 0x0b, 0, length(), 1);
    break;
  case 5:
    advertise(below(2));
    break;
  case 6:
    completed(link);
    break;
  case 7:
    value(link, 0x1b, place, length(), 1);
    break;
  case 8:
    memcpy(small, (uint8_t[]){1, 0, 0xff, 0xff, 0, 0x2a}, 6);
    head(link, 0x08, small, 6, 0);
    small[0] = 8, small[1] = 3, small[2] = 0;
    random_bytes(small + 3, 6);
    head(link, 0x09, small, 9, 1);
    break;
  default:
    if (!below(50))
      discover(link);
    else
      value(link, 0x52, place, length(), 0);
  }
}

// What the other mixes leave out.
static void rare(int link) {
  uint8_t data[600];
  int place = handle();
  random_bytes(data, sizeof data);
  switch (below(14)) {
  case 0:
    le16(data, place), le16(data + 2, 20);
    head(link, 0x0c, data, 4, 0);
    head(link, 0x0d, data + 8, length(), 1);
    break;
  case 1:
    le16(data, place), le16(data + 2, place + 2);
    head(link, 0x0e, data, 4, 0);
    head(link, 0x0f, data + 8, length(), 1);
    break;
  case 2:
    for (int part = 0; part < 3; part++) {
      le16(data, place), le16(data + 2, part * 18);
      head(link, 0x16, data, 22, 0);
      head(link, 0x17, data, 22, 1);
    }
    data[0] = 1;
    head(link, 0x18, data, 1, 0);
    head(link, 0x19, data, 0, 1);
    break;
  case 3:
    value(link, 0x1d, place, length(), 1);
    head(link, 0x1e, data, 0, 0);
    break;
  case 4:
    le16(data, place), le16(data + 2, place + 2);
    head(link, 0x20, data, 4, 0);
    le16(data, 10), le16(data + 12, 6);
    head(link, 0x21, data, 20, 1);
    break;
  case 5:
    le16(data, place), le16(data + 2, 8);
    le16(data + 12, place + 2), le16(data + 14, 4);
    head(link, 0x23, data, 20, 1);
    break;
  case 6:
    value(link, 0xd2, place, 20 + 12, 0);
    break;
  case 7:
    memcpy(data, (uint8_t[]){1, 0, 0xff, 0xff, 0, 0x28, 0x0d, 0x18}, 8);
    head(link, 0x06, data, 8, 0);
    memcpy(data, (uint8_t[]){10, 0, 0x40, 0}, 4);
    head(link, 0x07, data, 4, 1);
    break;
  case 8:
    memcpy(data, (uint8_t[]){0x11, 0, 0x20, 0}, 4);
    head(link, 0x04, data, 4, 0);
    memcpy(data, (uint8_t[]){1, 0x11, 0, 0x02, 0x29}, 5);
    head(link, 0x05, data, 5, 1);
    break;
  case 9:
    memcpy(data, (uint8_t[]){0x12, 0x10, 0, 0x0e}, 4);
    value(link, 0x12, place, length(), 0);
    head(link, 0x01, data, 4, 1);
    break;
  case 10: // BR/EDR: a stream on a dynamic channel
    l2cap(0x0b, 0x41 + below(3), data, 80 + below(400), below(2), 1021);
    break;
  case 11: // SCO
    data[0] = 3, data[1] = 0x0c, data[2] = 0, data[3] = 48;
    record(data, 52, below(2), 0);
    break;
  case 12: // a vendor's event
    data[0] = 4, data[1] = 0xff, data[2] = 40;
    record(data, 43, 1, 1);
    break;
  default: // connection parameters, over the signalling channel
    memcpy(data, (uint8_t[]){0x12, 1, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0}, 12);
    l2cap(link, 5, data, 12, 1, 1021);
  }
}

static void repeat(const char *path, uint64_t bytes) {
  FILE *in = fopen(path, "rb");
  if (!in) {
    perror(path);
    exit(1);
  }
  static uint8_t head[24], packet[70000];
  uint64_t shift = 0, first = 0, last = 0;
  while (written < bytes) {
    fseek(in, 16, SEEK_SET);
    int any = 0;
    while (written < bytes && fread(head, 1, 24, in) == 24) {
      uint32_t length = head[4] << 24 | head[5] << 16 | head[6] << 8 | head[7];
      if (length > sizeof packet || fread(packet, 1, length, in) != length)
        break;
      uint64_t time = 0;
      for (int i = 16; i < 24; i++)
        time = time << 8 | head[i];
      if (!first)
        first = time;
      last = time + shift;
      be32(head + 16, last >> 32);
      be32(head + 20, last);
      fwrite(head, 1, 24, out);
      fwrite(packet, 1, length, out);
      written += 24 + length;
      any = 1;
    }
    if (!any)
      break;
    shift = last - first + 1000000;
  }
  fclose(in);
}

int main(int count, char **words) {
  const char *path = 0, *mix = "all", *sample = 0;
  uint64_t bytes = 0, links = 4;
  for (int i = 1; i < count; i++) {
    char *text = strchr(words[i], '=');
    if (!text)
      return 1;
    *text++ = 0;
    if (!strcmp(words[i], "out"))
      path = text;
    else if (!strcmp(words[i], "mix"))
      mix = text;
    else if (!strcmp(words[i], "sample"))
      sample = text;
    else if (!strcmp(words[i], "bytes"))
      bytes = strtoull(text, 0, 10);
    else if (!strcmp(words[i], "links"))
      links = strtoull(text, 0, 10);
    else if (!strcmp(words[i], "seed"))
      state ^= strtoull(text, 0, 10) * 0x9E3779B97F4A7C15ULL;
    else
      return 1;
  }
  if (!path || !(out = fopen(path, "wb")))
    return 1;
  static char buffer[1 << 20];
  setvbuf(out, buffer, _IOFBF, sizeof buffer);
  uint8_t begin[16] = "btsnoop";
  be32(begin + 8, 1);
  be32(begin + 12, 1002);
  fwrite(begin, 1, 16, out);
  written = 16;
  if (sample) {
    repeat(sample, bytes);
    return fclose(out);
  }
  int is_bare = !strcmp(mix, "bare"), is_all = !strcmp(mix, "all"),
      is_notify = !strcmp(mix, "notify");
  if (!is_bare)
    for (uint64_t i = 0; i < links; i++)
      open_link(0x40 + i, i != links - 1 || links == 1);
  while (written < bytes) {
    int link = 0x40 + below(links);
    if (is_bare)
      value(0x40, (int[]){0x12, 0x52, 0x1b, 0x12}[below(4)], 0x10 + below(8), 28 + below(81),
            below(2));
    else if (is_notify)
      value(link, below(3) ? 0x1b : 0x52, handle(), length(), 1);
    else if (is_all && !below(4)) {
      room = below(3) ? 1021 : 27;
      rare(link);
      room = 1021;
    } else if (is_all && !below(2000)) {
      close_link(link);
      open_link(link, below(3) > 0);
    } else
      answered(link);
  }
  return fclose(out);
}
