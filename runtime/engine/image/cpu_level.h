/* Which level of its architecture this processor reaches: by what it can do, never by its name.
 */
#ifndef TCI_CPU_LEVEL_H
#define TCI_CPU_LEVEL_H

#include "archive.h"

/* A TCI_CPU_ of archive.h, as far as the operating system lets programs use it. */
uint8_t tci_cpu_level_host(void);

#endif
