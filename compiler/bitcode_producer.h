/* Which LLVM wrote a piece of bitcode, read from its identification block without LLVM.
 *
 * LLVM reads what older versions wrote, never the other way round, and its own message about newer bitcode names an
 * attribute number. So the version is compared before LLVM sees the bytes. */
#ifndef TCI_BITCODE_PRODUCER_H
#define TCI_BITCODE_PRODUCER_H

#include <stddef.h>
#include <tc/status.h>

#define TCI_PRODUCER_TEXT_MAX 64

typedef struct tci_producer {
    unsigned major; /* 0 when the text is not LLVM's: Apple's tools, or a writer older than LLVM 3.8 */
    unsigned minor;
    unsigned patch;
    char text[TCI_PRODUCER_TEXT_MAX]; /* as written: "LLVM19.1.7"; "" when there is none */
} tci_producer;

/* TC_E_CORRUPT when the bytes are not bitcode or end inside the block; err says what was found. */
TC_MUST_CHECK tc_status tci_bitcode_producer(const void *bytes, size_t size,
                                             tci_producer *producer_out, tc_error *err);

#endif
