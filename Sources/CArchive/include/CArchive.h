#pragma once
#include <archive.h>
#include <archive_entry.h>

/// Whether libarchive is installed; without it, its functions give nothing.
int peat_archive_is_there(void);
