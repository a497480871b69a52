/* The texts that stand where a library is expected: "GROUP ( /lib/x86_64-linux-gnu/libm.so.6
 * AS_NEEDED ( ... ) )". */
#ifndef TCI_LINKER_SCRIPT_H
#define TCI_LINKER_SCRIPT_H

#include "text_list.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds what INPUT and GROUP name, in order: paths, file names, "-lfoo". Names in AS_NEEDED are
 * left out: only a linker, which sees the symbols, could tell whether they are needed. False
 * when the text is no such script; `inputs` is then unspecified. */
bool tci_linker_script_read(const char *text, size_t size, tci_text_list *inputs);

#endif
