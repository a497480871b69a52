/* Bytes as a compiled image. A bundle that opens must keep every promise of image_bundle.h, and
 * is written again as the same. */
#include "fuzzer.h"
#include "image_bundle.h"

#include <string.h>

static void require_in(const tci_image *image, uint32_t place, uint32_t size,
                       tci_image_kind kind)
{
    const tci_image_segment *s = tci_image_segment_at(image, place, size);
    MUST(s != NULL && s->kind == kind);
}

static void check_variables(const tci_image_bundle *bundle, const tci_image *image)
{
    MUST(bundle->own_count <= TCI_BUNDLE_VARIABLES_MAX);
    MUST(bundle->given_count <= TCI_BUNDLE_VARIABLES_MAX);
    for (uint32_t i = 0; i < bundle->own_count; i++)
        require_in(image, bundle->own_places[i], 1, TCI_IMAGE_DATA);
    for (uint32_t i = 0; i < bundle->given_count; i++)
        MUST(bundle->given[i] < TCI_BUNDLE_VARIABLES_MAX);
}

/* How many bytes the names take. */
static size_t check_names(const tci_image_bundle *bundle, const tci_image *image)
{
    size_t size = 0;
    MUST(image->symbol_count <= bundle->given_count + bundle->name_count);
    for (uint32_t i = 0; i < bundle->name_count; i++) {
        MUST(bundle->names[size] != '\0');
        size += strlen(bundle->names + size) + 1;
    }
    return size;
}

static size_t check_pieces(const tci_image_bundle *bundle, const tci_image *image,
                           tci_image_piece *pieces)
{
    size_t at = 0, count = 0;
    for (tci_image_piece piece; tci_image_bundle_piece(bundle, &at, &piece);) {
        MUST(count < bundle->piece_count);
        require_in(image, piece.offset, piece.size, TCI_IMAGE_CODE);
        for (const char *c = piece.name; *c != '\0'; c++)
            MUST((unsigned char)*c >= ' ');
        pieces[count++] = piece;
    }
    MUST(count == bundle->piece_count);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_image_bundle bundle;
    tci_image image;
    void *again;
    size_t again_size;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_image_bundle_open(data, size, &bundle, &image, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return 0;
    }
    tci_image_piece *pieces = calloc(bundle.piece_count + 1u, sizeof *pieces);
    if (pieces == NULL)
        return 0;
    check_variables(&bundle, &image);
    size_t names_size = check_names(&bundle, &image);
    size_t count = check_pieces(&bundle, &image, pieces);
    MUST(tci_image_bundle_write(&bundle, names_size, pieces, count, &again, &again_size,
                                &err) == TC_OK);
    MUST(again_size == size && memcmp(again, data, size) == 0);
    free(again);
    free(pieces);
    return 0;
}
