/* Reads the version of LLVM that wrote some bitcode from the bytes themselves.
 *
 * LLVM's reader would report it too, but only after it has begun to parse bytes that it may not
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

/* Returns whether the bytes begin as bitcode does. */
bool tci_bitcode_has_magic(const void *bytes, size_t size);

/* Returns false when the file does not state it, or in a form unknown to this reader. Never
 * reads outside the bytes. */
bool tci_bitcode_producer(const void *bytes, size_t size, tci_producer *producer_out);

#endif
