#pragma once
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Sets effective and permitted capabilities to those in `kept` (bits 0 to 31); see capset(2).
static inline int peat_keep_capabilities(uint32_t kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) < 0) return -errno;
  data[0].permitted &= kept;
  data[0].effective = data[0].permitted;
  data[0].inheritable = 0;
  memset(&data[1], 0, sizeof data[1]);
  return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/// The process's effective capabilities, bits 0 to 31; see capget(2).
static inline uint32_t peat_effective_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  memset(data, 0, sizeof data);
  return syscall(SYS_capget, &header, data) < 0 ? 0 : data[0].effective;
}

/// Keeps programs that this one starts from inheriting a descriptor.
static inline void peat_close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

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
