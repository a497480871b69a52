/* Memory for images in which no page is ever writable and executable at once.
 *
 * An image's segments lie at the distances that it was linked for, so a slot (tci_code_place)
 * is one range of addresses, `run`, in which code and constants cannot be written. They are
 * written through a second view of the same memory, `write`, in which nothing runs; data is
 * ordinary memory.
 *
 *     run      [ code r-x ][ data rw- ][ code r-x ][ data rw- ] ...
 *     write    [ code rw- ]            [ code rw- ]
 *
 * Both views of a block of slots are made at once and stay, so most slots are taken without a
 * system call. A block's slots have one geometry: the same segments in the same pages. */
#ifndef TCI_CODE_ARENA_H
#define TCI_CODE_ARENA_H

#include "image.h"

typedef struct tci_code_arena tci_code_arena;
typedef struct tci_code_block tci_code_block;

/* Byte p of an image is run[p]; in code and constants it is written as write[p]. */
typedef struct tci_code_place {
    uint8_t *run;
    uint8_t *write;
    tci_code_block *block;
    unsigned index; /* in the block */
} tci_code_place;

/* Takes no memory for code yet. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_arena_create(tci_code_arena **arena_out, tc_error *err);
/* Call it after every slot was returned. NULL is allowed. */
void tci_code_arena_destroy(tci_code_arena *arena);

/* Makes blocks from now on so that perf looks up names in them (code_map.h). They are not
 * sealed then: the process could make an executable view of them writable. */
void tci_code_arena_set_profiled(tci_code_arena *arena);

/* Makes a block for small functions without data now, before a caller waits for one: 64 KiB.
 * Does nothing if there is no memory for it. */
void tci_code_arena_prepare(tci_code_arena *arena);

/* Returns memory for the image's segments: data is all zero, the content of code and constants
 * is undefined. Any thread. TC_E_UNSUPPORTED (this system's pages are larger than the image's),
 * TC_E_NO_MEMORY. A fork gets memory of its own, and never writes memory that it shares with
 * its parent. */
TC_MUST_CHECK tc_status tci_code_arena_take(tci_code_arena *arena, const tci_image *image,
                                            tci_code_place *place_out, tc_error *err);

/* Makes the written bytes code, for the calling thread and for those that it notifies. */
void tci_code_arena_written(const tci_code_place *area, const tci_image *image);

/* Returns a slot. `image` has the segments that it was taken for. No code of it may be running;
 * later calls of it trap. Any thread. */
void tci_code_arena_give_back(tci_code_arena *arena, const tci_code_place *area,
                              const tci_image *image);

/* Bytes of address space in `run` views. */
size_t tci_code_arena_bytes(tci_code_arena *arena);

#endif
