/* Makes an image slice into entry points that can be called, in microseconds and without a
 * compiler. The bytes are copied, and the addresses in them are filled in, by pure functions on
 * memory that are the same for every architecture. */
#ifndef TCI_IMAGE_LOADER_H
#define TCI_IMAGE_LOADER_H

#include "archive.h"
#include "code_arena.h"
#include "engine/engine_ops.h"
#include "engine/symbols.h"
#include "image.h"

#include <string.h>

typedef struct tci_loaded_image tci_loaded_image;

/* Returns the name of an image's undefined symbol `index`. Called in ascending order, once for
 * each; NULL: there is no such name. */
typedef const char *(*tci_import_name)(void *user, uint32_t index);

/* The undefined symbols of an image: the first ones have addresses, the others names. */
typedef struct tci_import_source {
    const uint64_t *given;
    uint32_t given_count;
    tci_import_name name; /* indices begin at 0 behind the given ones */
    void *user;
} tci_import_source;

/* Fills addresses[weak_count + symbol_count], as tci_image_relocate needs them.
 * TC_E_UNRESOLVED: lists every missing name; TC_E_VERSION: a symbol of another prototype;
 * TC_E_CORRUPT: a symbol without a name. */
TC_MUST_CHECK tc_status tci_image_loader_bind(const tci_image *image,
                                              const tci_import_source *source,
                                              tci_symbols *symbols, uint64_t *addresses,
                                              tc_error *err);

/* Loads an image for this architecture and this CPU; its bytes may be freed afterwards. It may
 * take memory_max bytes of memory; 0: any number. Any thread. TC_E_INVALID: it has holes and
 * no values for them. TC_E_UNRESOLVED, TC_E_VERSION, TC_E_CORRUPT (all as above),
 * TC_E_TOO_LARGE, TC_E_UNSUPPORTED (see code_arena.h), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_image_loader_place(tci_code_arena *arena, const tci_image *image,
                                               const tci_import_source *source,
                                               tci_symbols *symbols, uint64_t memory_max,
                                               tci_loaded_image **loaded_out,
                                               tci_entries *entries_out, tc_error *err);

/* The same with the image slice `index`. The archive may be closed afterwards. Also
 * TC_E_CORRUPT, TC_E_VERSION and TC_E_TOO_LARGE of image.h. */
TC_MUST_CHECK tc_status tci_image_loader_load(tci_code_arena *arena, const tci_archive *archive,
                                              size_t index, tci_symbols *symbols,
                                              uint64_t memory_max,
                                              tci_loaded_image **loaded_out,
                                              tci_entries *entries_out, tc_error *err);

/* Fills in the addresses of imports again, as `symbols` has them now. Variables of the image
 * that the program has changed keep their values. `image` is the loaded image, with its bytes
 * as then; `sources` name its imports twice, for each look-up; `before` has its present
 * bindings. No code of it may be running. TC_E_UNRESOLVED, TC_E_VERSION, TC_E_NO_MEMORY:
 * nothing has changed. */
TC_MUST_CHECK tc_status tci_image_loader_rebind(tci_loaded_image *loaded,
                                                const tci_image *image,
                                                const tci_import_source sources[2],
                                                tci_symbols *before, tci_symbols *symbols,
                                                tc_error *err);

/* The same with the archive that it was loaded from. */
TC_MUST_CHECK tc_status tci_image_loader_rebind_slice(tci_loaded_image *loaded,
                                                      const tci_archive *archive,
                                                      tci_symbols *before, tci_symbols *symbols,
                                                      tc_error *err);

#define TCI_IMAGE_ENTRIES 4

typedef struct tci_image_names {
    size_t count;
    tci_code_symbol symbols[TCI_IMAGE_SEGMENTS_MAX + TCI_IMAGE_ENTRIES];
    char entries[TCI_IMAGE_ENTRIES][TCI_ARCHIVE_NAME_MAX + 32];
} tci_image_names;

/* Returns the names of the image of function `name`, which must outlive them. An image has
 * entries and no other names, so each code segment is one piece up to its first entry, called
 * `name`, and one from each entry to the next. */
void tci_image_loader_names(const tci_loaded_image *loaded, const char *name,
                            tci_image_names *names_out);
/* Returns the address of byte `offset` of its memory. */
uintptr_t tci_image_loader_address(const tci_loaded_image *loaded, uint32_t offset);
/* Return the bytes of memory that its segments take, and whether it may write to any of
 * them. */
size_t tci_image_loader_memory(const tci_loaded_image *loaded);
bool tci_image_loader_has_data(const tci_loaded_image *loaded);

/* For programs that expect functions soon, as tci_symbols_prepare. */
void tci_image_loader_prepare(void);

/* No call of the entries may be running. */
void tci_image_loader_unload(tci_code_arena *arena, tci_loaded_image *loaded);

/* Byte p of the image is written as data[p] in data segments and as fixed[p] in all others.
 * Bytes outside the segments are not touched. */
typedef struct tci_image_views {
    uint8_t *fixed;
    uint8_t *data; /* all zero before */
} tci_image_views;

void tci_image_relocate_copy(const tci_image *image, const tci_image_views *views);

/* `base` is the address that offset 0 will have. `imports` holds the addresses of the image's
 * weak names, then of its symbols; 0 for a weak name without a definition. */
void tci_image_relocate(const tci_image *image, uint64_t base, const uint64_t *imports,
                        const tci_image_views *views);

/* A decoded relocation, for an image that is loaded many times: the value is `value`, plus the
 * address of offset 0 if it is relative. */
typedef struct tci_image_link {
    uint64_t value;
    uint32_t offset;
    bool is_relative;
    bool is_data; /* it lies in a data segment */
} tci_image_link;

/* Writes one link for each relocation of the image. */
void tci_image_relocate_decode(const tci_image *image, const uint64_t *imports,
                               tci_image_link *links_out);

static inline void tci_image_relocate_links(const tci_image_link *links, uint32_t count,
                                            uint64_t base, const tci_image_views *views)
{
    for (uint32_t i = 0; i < count; i++) {
        const tci_image_link *link = &links[i];
        const uint64_t value = link->value + (link->is_relative ? base : 0);
        memcpy((link->is_data ? views->data : views->fixed) + link->offset, &value,
               sizeof value);
    }
}

/* Returns the level of its architecture that this processor reaches, by its capabilities and
 * never by its name: a TCI_CPU_ of archive.h, as far as the operating system lets programs use
 * it. */
uint8_t tci_image_cpu_level(void);

#endif
