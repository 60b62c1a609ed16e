// libarchive, opened when the first archive is: with the libraries behind it (XML, ICU and every
// packer) it takes longer to load than most captures take to read.
//
// The names are libarchive's own and hidden, so that its own calls of them do not end here.
#include "include/CArchive.h"
#include <dlfcn.h>
#include <stddef.h>

static void *function(const char *name) {
  static void *library;
  if (!library) library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : NULL;
}

int peat_archive_is_there(void) {
  return function("archive_read_new") != NULL;
}

#define HIDDEN __attribute__((visibility("hidden")))
#define FORWARD(type, absent, name, parameters, arguments) \
  HIDDEN type name parameters { \
    static type(*found) parameters; \
    if (!found) found = (type(*) parameters)function(#name); \
    return found ? found arguments : absent; \
  }

typedef struct archive *handle;
typedef struct archive_entry *entry;

FORWARD(handle, NULL, archive_read_new, (void), ())
FORWARD(int, ARCHIVE_FATAL, archive_read_free, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_filter_gzip, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_filter_bzip2, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_filter_xz, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_filter_lz4, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_filter_zstd, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_format_zip, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_format_tar, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_support_format_raw, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_set_callback_data, (handle a, void *data), (a, data))
FORWARD(int, ARCHIVE_FATAL, archive_read_set_read_callback, (handle a, archive_read_callback *call), (a, call))
FORWARD(int, ARCHIVE_FATAL, archive_read_set_seek_callback, (handle a, archive_seek_callback *call), (a, call))
FORWARD(int, ARCHIVE_FATAL, archive_read_open1, (handle a), (a))
FORWARD(int, ARCHIVE_FATAL, archive_read_next_header, (handle a, entry *e), (a, e))
FORWARD(int, ARCHIVE_FATAL, archive_read_data_block, (handle a, const void **bytes, size_t *count, la_int64_t *offset), (a, bytes, count, offset))
FORWARD(int, 0, archive_format, (handle a), (a))
FORWARD(const char *, NULL, archive_error_string, (handle a), (a))
FORWARD(const char *, NULL, archive_entry_pathname, (entry e), (e))
FORWARD(const char *, NULL, archive_entry_pathname_utf8, (entry e), (e))
FORWARD(__LA_MODE_T, 0, archive_entry_filetype, (entry e), (e))
FORWARD(int, 0, archive_entry_is_encrypted, (entry e), (e))
