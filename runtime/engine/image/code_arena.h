/* Memory for images in which no page is ever writable and executable at once.
 *
 * An image's segments lie at the distances that it was linked for, so a place is one range of
 * addresses, `run`, in which code and constants cannot be written. They are written through a
 * second view of the same memory, `write`, in which nothing runs; data is ordinary memory.
 *
 *     run      [ code r-x ][ data rw- ][ code r-x ][ data rw- ] ...
 *     write    [ code rw- ]            [ code rw- ]
 *
 * Both views of a block of places are made at once and stay, so most places are taken without a
 * system call. A block's places have one geometry: the same segments in the same pages. */
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
/* After every place was given back. NULL is allowed. */
void tci_code_arena_destroy(tci_code_arena *arena);

/* From now on blocks are made so that perf asks for names in them (code_map.h), which takes
 * their seals: the process could then make a view of them writable that runs. */
void tci_code_arena_set_profiled(tci_code_arena *arena);

/* Makes room for small functions without data now, while nobody waits for them: 64 KiB. Without
 * memory for it nothing happens. */
void tci_code_arena_prepare(tci_code_arena *arena);

/* Memory for the image's segments: data is all zero, what is in code and constants is not said.
 * Any thread. TC_E_UNSUPPORTED (this system's pages are larger than the image's), TC_E_NO_MEMORY.
 * A fork gets memory of its own, and never writes what it shares with its parent. */
TC_MUST_CHECK tc_status tci_code_arena_take(tci_code_arena *arena, const tci_image *image,
                                            tci_code_place *place_out, tc_error *err);

/* The bytes written are code now: for the thread that calls this, and for those it tells. */
void tci_code_arena_written(const tci_code_place *place, const tci_image *image);

/* `image` has the segments that the place was taken for. Nothing of it may be running; what
 * calls it afterwards traps. Any thread. */
void tci_code_arena_give_back(tci_code_arena *arena, const tci_code_place *place,
                              const tci_image *image);

/* Bytes of address space in `run` views. */
size_t tci_code_arena_bytes(tci_code_arena *arena);

#endif
