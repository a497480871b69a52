/* Which LLVM wrote some bitcode, read from the bytes themselves.
 *
 * LLVM's reader would say so too, but only after it has begun to parse what it may not
 * understand. The identification block comes first in every file and has kept its form since
 * LLVM 3.8. */
#ifndef TCI_BITCODE_PRODUCER_H
#define TCI_BITCODE_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>

#define TCI_PRODUCER_TEXT_MAX 48

typedef struct tci_producer {
    char text[TCI_PRODUCER_TEXT_MAX]; /* "LLVM19.1.7", as it stands in the file */
    unsigned major;                   /* 19 */
} tci_producer;

/* Whether the bytes begin as bitcode does. */
bool tci_bitcode_has_magic(const void *bytes, size_t size);

/* False when the file does not say, or says it in a way that this reader does not know. Never
 * reads outside the bytes. */
bool tci_bitcode_producer(const void *bytes, size_t size, tci_producer *producer_out);

#endif
