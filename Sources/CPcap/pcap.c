// libpcap, opened when the first capture device is: it brings D-Bus and systemd's library along,
// which reading files has no use for.
//
// The names are libpcap's own and hidden, so that its own calls of them do not end here.
#include <pcap/pcap.h>
#include <dlfcn.h>
#include <stdio.h>

static void *function(const char *name) {
  static void *library;
  // Debian and its descendants number it otherwise.
  if (!library) library = dlopen("libpcap.so.0.8", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libpcap.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

#define HIDDEN __attribute__((visibility("hidden")))
#define FORWARD(type, absent, name, parameters, arguments) \
  HIDDEN type name parameters { \
    static type(*found) parameters; \
    if (!found) found = (type(*) parameters)function(#name); \
    return found ? found arguments : absent; \
  }

static char missing[] = "libpcap is not installed";

HIDDEN pcap_t *pcap_create(const char *device, char *error) {
  static pcap_t *(*found)(const char *, char *);
  if (!found) found = (pcap_t * (*)(const char *, char *)) function("pcap_create");
  if (found) return found(device, error);
  snprintf(error, PCAP_ERRBUF_SIZE, "%s", missing);
  return NULL;
}

HIDDEN void pcap_close(pcap_t *p) {
  static void (*found)(pcap_t *);
  if (!found) found = (void (*)(pcap_t *))function("pcap_close");
  if (found) found(p);
}

FORWARD(int, PCAP_ERROR, pcap_activate, (pcap_t *p), (p))
FORWARD(int, PCAP_ERROR, pcap_datalink, (pcap_t *p), (p))
FORWARD(int, PCAP_ERROR, pcap_get_selectable_fd, (pcap_t *p), (p))
FORWARD(char *, missing, pcap_geterr, (pcap_t *p), (p))
FORWARD(int, PCAP_ERROR, pcap_next_ex, (pcap_t *p, struct pcap_pkthdr **head, const u_char **data), (p, head, data))
FORWARD(int, PCAP_ERROR, pcap_set_buffer_size, (pcap_t *p, int size), (p, size))
FORWARD(int, PCAP_ERROR, pcap_set_immediate_mode, (pcap_t *p, int mode), (p, mode))
FORWARD(int, PCAP_ERROR, pcap_set_snaplen, (pcap_t *p, int length), (p, length))
FORWARD(int, PCAP_ERROR, pcap_set_timeout, (pcap_t *p, int milliseconds), (p, milliseconds))
FORWARD(int, PCAP_ERROR, pcap_setnonblock, (pcap_t *p, int is, char *error), (p, is, error))
FORWARD(int, PCAP_ERROR, pcap_stats, (pcap_t *p, struct pcap_stat *statistics), (p, statistics))
