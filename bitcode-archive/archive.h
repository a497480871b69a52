/* The .tca archive: one function's code for several targets. docs/archive-format.md is the
 * specification.
 *
 * An archive is a name, the entry points that its code defines, and slices: bitcode or a native
 * image for one target each. tci_archive_open checks all bytes of the archive; the content of a
 * slice is checked when it is loaded. */
#ifndef TCI_ARCHIVE_H
#define TCI_ARCHIVE_H

#include "base/triple.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* bytes of a function name, with terminator; a C identifier */
#define TCI_ARCHIVE_NAME_MAX 64
#define TCI_ARCHIVE_SLICES_MAX 32
#define TCI_ARCHIVE_SYMBOLS_MAX 4096 /* undefined symbols of one slice */
#define TCI_ARCHIVE_SYMBOL_MAX 1024  /* bytes of one symbol's name, with terminator */
#define TCI_ARCHIVE_SLICE_BYTES_MAX (256u << 20) /* of one slice, decompressed */
#define TCI_ARCHIVE_CONTENT_MAX                                                                \
    (256u << 20) /* of all slices and the index together, decompressed */

/* Archives may hold forms that this library does not know (any other number up to 255): they
 * are listed, carried and never selected. */
typedef enum tci_slice_form {
    TCI_FORM_BITCODE = 1,
    TCI_FORM_IMAGE = 2,
    TCI_FORM_SHARED = 3 /* a shared object; in libraries only */
} tci_slice_form;

/* CPU features that a slice needs beyond its architecture's first version. A level includes
 * those below it; numbers without a name here are never selected. */
enum {
    TCI_CPU_ANY = 0,
    TCI_CPU_LEVEL_MAX = 4, /* the highest number that any architecture uses */
    TCI_CPU_X86_64_V2 = 2, /* the levels of the x86-64 psABI */
    TCI_CPU_X86_64_V3 = 3,
    TCI_CPU_X86_64_V4 = 4,
    TCI_CPU_AARCH64_LSE = 1, /* atomic instructions of ARMv8.1 */
    TCI_CPU_AARCH64_SVE = 2  /* scalable vectors, half precision */
};

/* Entry points that the code defines; TCI_ENTRY_MAIN always. With TCI_ENTRY_ORIGINAL the two
 * others follow the original's API: NAME_payload_bound instead of NAME_payload_get_max_size,
 * and a NAME_payload_init that takes (source_args, size, payload, size_t *payload_size).
 * TCI_ENTRY_LIFE: code of some slice has constructors or destructors, and NAME.life, which runs
 * them; slices without any have no NAME.life. */
enum {
    TCI_ENTRY_MAIN = 1,
    TCI_ENTRY_MAX_SIZE = 2,
    TCI_ENTRY_INIT = 4,
    TCI_ENTRY_ORIGINAL = 8,
    TCI_ENTRY_LIFE = 16
};
#define TCI_LIFE_SUFFIX ".life" /* suffix of its name, which no source can write */

/* The section of zeroed variables that each version of the code has for itself. Better code
 * that replaces the first version shares all other variables with it. */
#define TCI_OWN_DATA_SECTION ".bss.tc.own"

/* Payload alignments that a function may request: powers of two. Every payload has at least the
 * smallest. */
#define TCI_PAYLOAD_ALIGNMENT_MIN 16u
#define TCI_PAYLOAD_ALIGNMENT_MAX 4096u

typedef struct tci_slice {
    char triple[TCI_TRIPLE_MAX]; /* normalised, see base/triple.h */
    tci_slice_form form;
    uint8_t cpu_level;      /* TCI_CPU_ of the triple's architecture */
    uint8_t producer_major; /* LLVM that wrote the bitcode: 19.1.7 */
    uint8_t producer_minor;
    uint8_t producer_patch;
    size_t size;         /* decompressed, bytes */
    size_t symbol_count; /* undefined symbols, in byte order */
} tci_slice;

typedef enum tci_export_kind { TCI_EXPORT_FUNCTION = 1, TCI_EXPORT_DATA = 2 } tci_export_kind;

/* A function or variable that a library offers to functions. */
typedef struct tci_export {
    tci_export_kind kind;
    const char *name;
} tci_export;

/* Limits of holes, constants of a function that its sender sets (image.h). */
#define TCI_HOLES_MAX 16u
/* In objects and bitcode; of numbers of a stated kind: */
#define TCI_HOLE_SECTION ".tchole"
#define TCI_HOLE_SECTION_INTEGER TCI_HOLE_SECTION ".integer"
#define TCI_HOLE_SECTION_FLOATING TCI_HOLE_SECTION ".floating"
#define TCI_HOLE_BYTES_MAX 256u /* of one */

typedef struct tci_value {
    const uint8_t *bytes;
    uint32_t size;
} tci_value;

/* The values of a function's holes, in the byte order of the holes' names. */
typedef struct tci_values {
    uint32_t count;
    tci_value items[TCI_HOLES_MAX];
} tci_values;

typedef struct tci_archive tci_archive;

/* --- reading ----------------------------------------------------------------------------- */

/* Does work in advance, about 0.1 ms, that the first archive would otherwise wait for. For
 * processes that expect archives soon. */
void tci_archive_prepare(void);

/* Checks all of `bytes` and keeps a pointer to them: they must outlive the archive.
 * Decompresses everything once (index and slices share one compressed stream, which makes
 * archives small), so later calls only return pointers. TC_E_CORRUPT (err states the location
 * and the problem), TC_E_VERSION (format version, packing, dictionary, entry bits or payload
 * alignment that this library does not know, found and expected), TC_E_TOO_LARGE (a limit
 * above, or a claim of more than 1,024 times the bytes given: refused before memory is
 * allocated for it), TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_open(const void *bytes, size_t size,
                                         tci_archive **archive_out, tc_error *err);
void tci_archive_close(tci_archive *archive);

/* Returns the same archive with values for its holes, or NULL without memory: a view, for
 * tci_archive_unfill, of an archive and of values that outlive it. Nothing is checked here:
 * tci_image_open_slice compares values and holes. */
tci_archive *tci_archive_fill(const tci_archive *archive, const tci_values *values);
void tci_archive_unfill(tci_archive *filled);
/* Returns the values of such a view; NULL for any other archive. */
const tci_values *tci_archive_values(const tci_archive *archive);

const char *tci_archive_name(const tci_archive *archive);
unsigned tci_archive_entries(const tci_archive *archive);           /* TCI_ENTRY_ bits */
unsigned tci_archive_payload_alignment(const tci_archive *archive); /* bytes */
/* Returns whether payloads are read-only; they then begin at pages. */
bool tci_archive_payload_readonly(const tci_archive *archive);
/* Returns whether payloads are units of active messages (<tc/am_entry.h>). */
bool tci_archive_payload_unit(const tci_archive *archive);
/* Returns the function's prototype, or NULL. It has 2 to TCI_PROTOTYPE_MAX - 1 printable
 * characters; tci_prototype_check knows more (prototype.h). */
const char *tci_archive_prototype(const tci_archive *archive);
/* Returns whether the archive is a library. Messages call no function of a library: its main
 * gives the addresses of its entries and exports (docs/archive-format.md). */
bool tci_archive_is_library(const tci_archive *archive);
size_t tci_archive_export_count(const tci_archive *archive);             /* 0 for functions */
tci_export tci_archive_export(const tci_archive *archive, size_t index); /* in byte order */
size_t tci_archive_slice_count(const tci_archive *archive);
const tci_slice *tci_archive_slice(const tci_archive *archive, size_t index);
const char *tci_archive_symbol(const tci_archive *archive, size_t slice, size_t index);

/* Returns the slice's bytes, tci_archive_slice(..)->size of them, valid until the archive is
 * closed. Not aligned. */
const void *tci_archive_slice_bytes(const tci_archive *archive, size_t index);

/* For people: the packing of the content ("zstd"), and its unpacked size in bytes. */
const char *tci_archive_packing_text(const tci_archive *archive);
size_t tci_archive_content_size(const tci_archive *archive);
/* Returns the content itself, in the format's encoding: index and slices. */
const void *tci_archive_content(const tci_archive *archive);
/* Returns the index of the dictionary that the archive is packed with (archive_dictionary.h),
 * or SIZE_MAX. */
size_t tci_archive_dictionary(const tci_archive *archive);
/* Returns "bitcode", "image" or "shared object", or NULL for a form that this library does not
 * know. */
const char *tci_slice_form_text(tci_slice_form form);
/* Returns "x86-64-v3", "armv8-a+lse", "any"; NULL for a level that the architecture of a
 * normalised triple does not have. */
const char *tci_cpu_level_text(const char *triple, unsigned level);

/* Finds the bitcode slice for a normalised triple, of CPU level 0. TC_E_NO_SLICE: err names the
 * wanted triple and those present. */
TC_MUST_CHECK tc_status tci_archive_select(const tci_archive *archive, const char *triple,
                                           size_t *index_out, tc_error *err);

/* Finds the image slice for a normalised triple with the highest CPU level up to `level`.
 * TC_E_NO_SLICE as above. */
TC_MUST_CHECK tc_status tci_archive_select_image(const tci_archive *archive, const char *triple,
                                                 unsigned level, size_t *index_out,
                                                 tc_error *err);

/* Finds the shared object for a normalised triple. TC_E_NO_SLICE as above. */
TC_MUST_CHECK tc_status tci_archive_select_shared(const tci_archive *archive,
                                                  const char *triple, size_t *index_out,
                                                  tc_error *err);

/* Copies one slice's bytes into memory that outlives the archive, for free().
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_extract(const tci_archive *archive, size_t index,
                                            void **bytes_out, size_t *size_out, tc_error *err);

/* --- writing ----------------------------------------------------------------------------- */

typedef struct tci_archive_writer tci_archive_writer;

/* TC_E_INVALID when name is no C identifier or entries lacks TCI_ENTRY_MAIN (or has one of
 * MAX_SIZE and INIT alone). */
TC_MUST_CHECK tc_status tci_archive_writer_create(const char *name, unsigned entries,
                                                  tci_archive_writer **writer_out,
                                                  tc_error *err);
void tci_archive_writer_destroy(tci_archive_writer *writer);

/* Packs without a dictionary, so that every reader can read the archive. By default archives
 * with bitcode are packed with the dictionary that makes them smallest. */
void tci_archive_writer_plain(tci_archive_writer *writer);

/* Sets the alignment of payloads; the default is the smallest one. TC_E_INVALID: `alignment` is
 * no power of two between the smallest and the largest. */
TC_MUST_CHECK tc_status tci_archive_writer_align(tci_archive_writer *writer, uint64_t alignment,
                                                 tc_error *err);

/* Makes payloads read-only. Their alignment is then the largest one, regardless of the
 * requested one. */
void tci_archive_writer_readonly(tci_archive_writer *writer);

/* Makes payloads units of active messages. */
void tci_archive_writer_unit(tci_archive_writer *writer);

/* Copies the function's prototype. TC_E_INVALID: see tci_prototype_check. */
TC_MUST_CHECK tc_status tci_archive_writer_prototype(tci_archive_writer *writer,
                                                     const char *prototype, tc_error *err);

/* Makes the archive a library that exports these, in any order. TC_E_INVALID (a bad or repeated
 * name, entries other than main, or properties set for payloads), TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_writer_exports(tci_archive_writer *writer,
                                                   const tci_export *exports, size_t count,
                                                   tc_error *err);

/* Stores the content without packing, for callers that cannot wait: finding the smallest form
 * of some kilobytes takes a tenth of a second. */
void tci_archive_writer_stored(tci_archive_writer *writer);

/* Copies its arguments. `slice->triple` may be any triple that normalises; its sizes and counts
 * are not read. Symbols may come in any order and more than once; they are names as a linker
 * sees them, without control characters (LLVM's \1 mark). TC_E_IN_USE: the archive already has
 * a slice for that target, form and CPU level. TC_E_INVALID (a bad triple, form or symbol, no
 * bytes), TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_writer_add(tci_archive_writer *writer,
                                               const tci_slice *slice, const void *bytes,
                                               size_t size, const char *const *symbols,
                                               size_t symbol_count, tc_error *err);

/* Returns the archive's bytes, for free(). The same slices in any order give the same bytes
 * (from one version of zstd). TC_E_INVALID without a slice; TC_E_TOO_LARGE
 * (TCI_ARCHIVE_CONTENT_MAX); TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_writer_finish(tci_archive_writer *writer, void **bytes_out,
                                                  size_t *size_out, tc_error *err);

/* Packs the same content without a dictionary: an archive of its own, with its own id. Made for
 * a peer that waits, so it takes some milliseconds and may be a few bytes larger than the
 * result of a plain writer. Always gives the same bytes (from one version of zstd). For free().
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_plain_form(const tci_archive *archive, void **bytes_out,
                                               size_t *size_out, tc_error *err);

/* Returns the same content unpacked: the one form that does not depend on zstd and shows its
 * content without being opened. For free(). TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_stored_form(const tci_archive *archive, void **bytes_out,
                                                size_t *size_out, tc_error *err);

/* Finds the content of a stored archive by its first bytes and its size alone: nothing else is
 * checked. Returns false for an archive of another packing, and for bytes that are no
 * archive. */
bool tci_archive_stored_content(const void *bytes, size_t size, const void **content_out,
                                size_t *content_size_out);

#endif
