#pragma once
#include <errno.h>
#include <grp.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's own numbers (include/net/bluetooth/hci_sock.h), so that no header of BlueZ is needed.
#define PEAT_AF_BLUETOOTH 31
#define PEAT_BTPROTO_HCI 1
#define PEAT_HCI_FILTER 2
#define PEAT_HCIGETDEVINFO _IOR('H', 211, int)

struct peat_hci_info {
  uint16_t id;
  char name[8];
  uint8_t address[6];
  uint32_t flags;
  uint8_t type;
  uint8_t features[8];
  uint32_t packet_types, link_policy, link_mode;
  uint16_t acl_mtu, acl_packets, sco_mtu, sco_packets;
  uint32_t statistics[10];
};

/// Opens a raw HCI socket; a negative errno where the kernel has no Bluetooth or refuses.
static inline int peat_hci_socket(void) {
  int fd = socket(PEAT_AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, PEAT_BTPROTO_HCI);
  return fd < 0 ? -errno : fd;
}

/// Fills in what the kernel knows of adapter `id`; a negative errno where there is none.
static inline int peat_hci_info(int fd, uint16_t id, struct peat_hci_info *info) {
  memset(info, 0, sizeof *info);
  info->id = id;
  return ioctl(fd, PEAT_HCIGETDEVINFO, info) < 0 ? -errno : 0;
}

/// Whether a raw HCI socket lets data packets through: 1 or 0, a negative errno where not known.
///
/// Without CAP_NET_RAW the kernel quietly narrows any filter to a few events.
static inline int peat_hci_passes_data(int fd) {
  struct {
    uint32_t types, events[2];
    uint16_t opcode;
  } filter;
  socklen_t size = sizeof filter;
  if (getsockopt(fd, 0, PEAT_HCI_FILTER, &filter, &size) < 0) return -errno;
  return (filter.types & (1u << 2)) != 0;
}

/// Sets effective and permitted capabilities to those in `kept` (bits 0 to 31); see capset(2).
static inline int peat_keep_capabilities(uint32_t kept) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  struct {
    uint32_t effective, permitted, inheritable;
  } data[2];
  if (syscall(SYS_capget, &header, data) < 0) return -errno;
  data[0].permitted &= kept;
  data[0].effective = data[0].permitted;
  data[0].inheritable = 0;
  memset(&data[1], 0, sizeof data[1]);
  return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/// The process's effective capabilities, bits 0 to 31; see capget(2).
static inline uint32_t peat_effective_capabilities(void) {
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  struct {
    uint32_t effective, permitted, inheritable;
  } data[2];
  memset(data, 0, sizeof data);
  return syscall(SYS_capget, &header, data) < 0 ? 0 : data[0].effective;
}

/// Whether the kernel has Bluetooth sockets, be it that it refuses this process.
static inline int peat_has_bluetooth(void) {
  int fd = peat_hci_socket();
  if (fd >= 0) close(fd);
  return fd >= 0 || fd == -EPERM || fd == -EACCES;
}

static inline void peat_close(int fd) { close(fd); }

static inline int peat_is_root(void) { return geteuid() == 0; }

/// Becomes another user for good, all three ids, without supplementary groups, with the
/// capabilities in `kept`; 0 where it worked.
///
/// Groups first: a user may not change them.
static inline int peat_become(uint32_t user, uint32_t group, uint32_t kept) {
  if (prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) < 0) return -errno;
  if (setgroups(0, NULL) < 0 || setgid(group) < 0 || setuid(user) < 0) return -errno;
  return peat_keep_capabilities(kept);
}

/// The path of this program, which the caller frees; NULL where it is not known.
static inline char *peat_own_path(void) { return realpath("/proc/self/exe", NULL); }

static inline void peat_free(void *memory) { free(memory); }
