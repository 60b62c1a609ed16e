#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What the library has as macros, or leaves to its callers; structures and numbers are its own.

/// Opens a raw HCI socket; a negative errno where the kernel has no Bluetooth or refuses.
static inline int peat_hci_socket(void) {
  int fd = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
  return fd < 0 ? -errno : fd;
}

/// Whether the kernel has Bluetooth sockets, be it that it refuses this process.
static inline int peat_has_bluetooth(void) {
  int fd = peat_hci_socket();
  if (fd >= 0) close(fd);
  return fd >= 0 || fd == -EPERM || fd == -EACCES;
}

/// Numbers of adapters, as many as were noted.
struct peat_hci_ids {
  int count;
  int ids[HCI_MAX_DEV];
};

static inline int peat_hci_note(int socket, int id, long list) {
  (void)socket;
  struct peat_hci_ids *ids = (struct peat_hci_ids *)list;
  if (ids->count < HCI_MAX_DEV) ids->ids[ids->count++] = id;
  return 0;
}

/// Adapters that are up, whatever their numbers; hci_for_each_dev passes over those that are down.
static inline struct peat_hci_ids peat_hci_up(void) {
  struct peat_hci_ids ids;
  memset(&ids, 0, sizeof ids);
  hci_for_each_dev(HCI_UP, peat_hci_note, (long)&ids);
  return ids;
}

/// Whether an adapter is powered.
static inline int peat_hci_is_up(struct hci_dev_info *info) {
  return hci_test_bit(HCI_UP, &info->flags) != 0;
}

/// Whether a raw HCI socket lets data packets through: 1 or 0, a negative errno where not known.
///
/// Without CAP_NET_RAW the kernel quietly narrows any filter to a few events.
static inline int peat_hci_passes_data(int fd) {
  struct hci_filter filter;
  socklen_t size = sizeof filter;
  hci_filter_clear(&filter);
  if (getsockopt(fd, SOL_HCI, HCI_FILTER, &filter, &size) < 0) return -errno;
  return hci_filter_test_ptype(HCI_ACLDATA_PKT, &filter) != 0;
}

/// Takes a controller over through the kernel's user channel; a negative errno where it cannot be,
/// with whether bind(2), and not socket(2), refused it.
static inline int peat_hci_user_channel(uint16_t id, int *is_bind) {
  *is_bind = 0;
  int fd = peat_hci_socket();
  if (fd < 0) return fd;
  struct sockaddr_hci address;
  memset(&address, 0, sizeof address);
  address.hci_family = AF_BLUETOOTH;
  address.hci_dev = id;
  address.hci_channel = HCI_CHANNEL_USER;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    int code = errno;
    close(fd);
    *is_bind = 1;
    return -code;
  }
  return fd;
}
