/* A compiled image: the output of a compiler that is asked for an image and not for an object
 * file. It holds an image, the names that it imports, and further data that its loader needs.
 *
 * It comes from the same host and the same version of this library, but is not trusted: a
 * process that compiled hostile code may write anything. So the reader checks all of it, once,
 * and the image in it by image.h. docs/image-format.md has the bytes. */
#ifndef TCI_IMAGE_BUNDLE_H
#define TCI_IMAGE_BUNDLE_H

#include "image.h"

#define TCI_BUNDLE_VARIABLES_MAX 256u /* that code and the code that replaces it share */
#define TCI_BUNDLE_PIECES_MAX 65536u
#define TCI_BUNDLE_NAME_MAX 4096u /* bytes of one name, with its terminator */
#define TCI_BUNDLE_FIXED UINT32_MAX

/* A function in the image's code. */
typedef struct tci_image_piece {
    const char *name;
    uint32_t offset;
    uint32_t size;
} tci_image_piece;

typedef struct tci_image_bundle {
    uint32_t level; /* how well it was compiled: engine_ops.h has the numbers */
    /* Number of variables that it may write, or TCI_BUNDLE_FIXED: it cannot share them. */
    uint32_t writable;

    /* Offsets, in data, of the variables that code which replaces this may share. */
    uint32_t own_count;
    uint32_t own_places[TCI_BUNDLE_VARIABLES_MAX];

    /* The first imports of the image: variables of the code that it replaces, as their indices
     * there. */
    uint32_t given_count;
    uint32_t given[TCI_BUNDLE_VARIABLES_MAX];

    /* Its other imports in their order, consecutive, each with its terminator. */
    uint32_t name_count;
    const char *names;

    uint32_t piece_count;
    const uint8_t *pieces; /* encoded; see tci_image_bundle_piece */
    size_t pieces_size;

    const void *image_bytes;
    size_t image_size;
} tci_image_bundle;

/* Returns whether the bytes begin as a compiled image does. */
bool tci_image_bundle_has_magic(const void *bytes, size_t size);

/* Opens the image as well. Views of the bytes, which must outlive both. TC_E_CORRUPT,
 * TC_E_VERSION, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_image_bundle_open(const void *bytes, size_t size,
                                              tci_image_bundle *bundle_out,
                                              tci_image *image_out, tc_error *err);

/* Iterates over the pieces: *at is 0 at first. Returns false after the last one. */
bool tci_image_bundle_piece(const tci_image_bundle *bundle, size_t *at,
                            tci_image_piece *piece_out);

/* Uses all of `bundle` but the pieces; the bytes are for free(). Reads its result back:
 * statuses of tci_image_bundle_open, and TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_image_bundle_write(const tci_image_bundle *bundle,
                                               size_t names_size, const tci_image_piece *pieces,
                                               size_t piece_count, void **bytes_out,
                                               size_t *size_out, tc_error *err);

#endif
