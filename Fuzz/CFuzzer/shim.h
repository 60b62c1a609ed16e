#ifndef CFUZZER_SHIM_H
#define CFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's loop: takes its own arguments, gives the process's status. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

#endif
