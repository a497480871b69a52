/* Functions that LLVM's archives take from a newer C library than this module is for, in
 * self-contained builds alone (TC_SELF_CONTAINED): the linker gives them the names by which
 * LLVM calls them. */
#ifndef TCI_OLD_LIBC_H
#define TCI_OLD_LIBC_H

#include <stdint.h>

/* arc4random of glibc 2.36, by which LLVM names temporary files. Returns 0 where the kernel
 * gives no random bytes. */
uint32_t tci_old_libc_random(void);

#endif
