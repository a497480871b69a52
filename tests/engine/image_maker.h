/* Images by hand, for this host: machine code that does one thing, described for the writer and
 * put into archives. */
#ifndef IMAGE_MAKER_H
#define IMAGE_MAKER_H

#include "archive.h"
#include "image.h"

typedef struct made_archive {
    tci_archive *archive;
    void *bytes;
    size_t size;
} made_archive;

/* main adds one to *(uint64_t *)target_args. */
tci_image_source image_adding_one(void);

/* main adds one to a variable that begins as 41 and stores the sum in *(uint64_t *)target_args;
 * behind the variable are `zero_bytes` of zeros. */
tci_image_source image_counting(uint32_t zero_bytes);

/* main is a jump to the slice's symbol 0; `weak` asks for a weak name instead. */
tci_image_source image_jumping(bool weak);

/* An archive of that image; fails the test when there is no such archive. */
made_archive make_image_archive(const char *name, const tci_image_source *source,
                                uint8_t cpu_level, const char *const *symbols,
                                size_t symbol_count);
void free_made(made_archive *made);

#endif
