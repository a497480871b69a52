/* The encoding of a compiled image: head, lists, then the image's bytes. The reader trusts none
 * of it. */
#include "image_bundle.h"

#include "base/error_text.h"
#include "varint.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "TCB"
#define MAGIC_SIZE 3u
#define VERSION 1u
/* Size of everything but the lists' items; each list's length is included. */
#define HEAD_MAX (MAGIC_SIZE + 1u + 7u * TCI_VARINT_MAX_SIZE)

/* --- reading ----------------------------------------------------------------------------- */

bool tci_image_bundle_has_magic(const void *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, MAGIC, MAGIC_SIZE) == 0;
}

static tc_status read_head(tci_reader *r, tci_image_bundle *bundle, tc_error *err)
{
    const uint8_t *magic = tci_read_bytes(r, MAGIC_SIZE);
    uint8_t version = tci_read_u8(r);
    if (magic == NULL || !tci_image_bundle_has_magic(magic, MAGIC_SIZE))
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled image: does not begin with its magic " MAGIC);
    if (r->failed || version != VERSION)
        return tci_error_set(err, TC_E_VERSION, "compiled image: version %u, expected %u",
                             version, VERSION);
    bundle->level = tci_varint_read(r);
    bundle->writable = tci_varint_read(r);
    return TC_OK;
}

static tc_status read_variables(tci_reader *r, const char *what, uint32_t *count_out,
                                uint32_t out[TCI_BUNDLE_VARIABLES_MAX], tc_error *err)
{
    uint32_t count = tci_varint_read(r);
    if (count > TCI_BUNDLE_VARIABLES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "compiled image: %u %s, limit %u", count,
                             what, TCI_BUNDLE_VARIABLES_MAX);
    for (uint32_t i = 0; i < count; i++)
        out[i] = tci_varint_read(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "compiled image: malformed list of %s", what);
    *count_out = count;
    return TC_OK;
}

/* Returns NULL when the bytes are no name that may be printed and looked up. */
static const char *read_name(tci_reader *r)
{
    size_t left = tci_reader_left(r);
    const char *name = (const char *)r->data + r->at;
    size_t size = strnlen(name, left < TCI_BUNDLE_NAME_MAX ? left : TCI_BUNDLE_NAME_MAX);
    bool ends = size < left && size < TCI_BUNDLE_NAME_MAX;
    for (size_t i = 0; i < size && ends; i++)
        ends = (unsigned char)name[i] >= ' ' && name[i] != 0x7f;
    if (r->failed || !ends || size == 0) {
        r->failed = true;
        return NULL;
    }
    return (const char *)tci_read_bytes(r, size + 1);
}

static tc_status read_names(tci_reader *r, tci_image_bundle *bundle, tc_error *err)
{
    uint32_t count = tci_varint_read(r);
    if (count > TCI_IMAGE_IMPORTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "compiled image: %u imports, limit %d", count,
                             TCI_IMAGE_IMPORTS_MAX);
    bundle->names = (const char *)r->data + r->at;
    for (uint32_t i = 0; i < count; i++) {
        if (read_name(r) == NULL)
            return tci_error_set(err, TC_E_CORRUPT, "compiled image: import %u has no name", i);
    }
    bundle->name_count = count;
    return r->failed ? tci_error_set(err, TC_E_CORRUPT, "compiled image: malformed imports")
                     : TC_OK;
}

static bool read_piece(tci_reader *r, tci_image_piece *piece)
{
    piece->offset = tci_varint_read(r);
    piece->size = tci_varint_read(r);
    piece->name = read_name(r);
    return piece->name != NULL;
}

/* Checks that the functions are well-formed; their offsets are checked with the image. */
static tc_status read_pieces(tci_reader *r, tci_image_bundle *bundle, tc_error *err)
{
    tci_image_piece piece;
    uint32_t count = tci_varint_read(r);
    if (count > TCI_BUNDLE_PIECES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "compiled image: %u functions, limit %u",
                             count, TCI_BUNDLE_PIECES_MAX);
    bundle->pieces = r->data + r->at;
    size_t start = r->at;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_piece(r, &piece))
            return tci_error_set(err, TC_E_CORRUPT, "compiled image: function %u is malformed",
                                 i);
    }
    bundle->piece_count = count;
    bundle->pieces_size = r->at - start;
    return r->failed ? tci_error_set(err, TC_E_CORRUPT, "compiled image: malformed functions")
                     : TC_OK;
}

bool tci_image_bundle_piece(const tci_image_bundle *bundle, size_t *at,
                            tci_image_piece *piece_out)
{
    tci_reader r;
    tci_reader_init(&r, bundle->pieces, bundle->pieces_size);
    r.at = *at;
    if (*at == bundle->pieces_size || !read_piece(&r, piece_out))
        return false;
    *at = r.at;
    return true;
}

/* --- its claims about its image ---------------------------------------------------------- */

static bool is_in(const tci_image *image, uint32_t offset, uint32_t size, tci_image_kind kind)
{
    const tci_image_segment *s = tci_image_segment_at(image, offset, size);
    return s != NULL && s->kind == kind;
}

static tc_status check_variables(const tci_image_bundle *bundle, const tci_image *image,
                                 tc_error *err)
{
    if (bundle->writable != TCI_BUNDLE_FIXED && bundle->writable > TCI_BUNDLE_VARIABLES_MAX)
        return tci_error_set(err, TC_E_CORRUPT, "compiled image: %u variables, limit %u",
                             bundle->writable, TCI_BUNDLE_VARIABLES_MAX);
    for (uint32_t i = 0; i < bundle->own_count; i++) {
        if (!is_in(image, bundle->own_places[i], 1, TCI_IMAGE_DATA))
            return tci_error_set(err, TC_E_CORRUPT,
                                 "compiled image: variable %u at 0x%x, which is not in data", i,
                                 bundle->own_places[i]);
    }
    for (uint32_t i = 0; i < bundle->given_count; i++) {
        if (bundle->given[i] >= TCI_BUNDLE_VARIABLES_MAX)
            return tci_error_set(err, TC_E_CORRUPT, "compiled image: variable %u, limit %u",
                                 bundle->given[i], TCI_BUNDLE_VARIABLES_MAX);
    }
    return TC_OK;
}

static tc_status check_image(const tci_image_bundle *bundle, const tci_image *image,
                             tc_error *err)
{
    tci_image_piece piece;
    TC_TRY(check_variables(bundle, image, err));
    if (image->symbol_count > bundle->given_count + bundle->name_count)
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled image: it uses import %u of %u and %u",
                             image->symbol_count, bundle->given_count, bundle->name_count);
    for (size_t at = 0; tci_image_bundle_piece(bundle, &at, &piece);) {
        if (piece.size == 0 || !is_in(image, piece.offset, piece.size, TCI_IMAGE_CODE))
            return tci_error_set(err, TC_E_CORRUPT,
                                 "compiled image: function of %u bytes at 0x%x, which is not "
                                 "in code",
                                 piece.size, piece.offset);
    }
    return TC_OK;
}

tc_status tci_image_bundle_open(const void *bytes, size_t size, tci_image_bundle *bundle_out,
                                tci_image *image_out, tc_error *err)
{
    tci_reader r;
    tci_image image;
    tci_image_bundle bundle = {.level = 0};
    tci_reader_init(&r, bytes, size);
    TC_TRY(read_head(&r, &bundle, err));
    TC_TRY(read_variables(&r, "variables", &bundle.own_count, bundle.own_places, err));
    TC_TRY(read_variables(&r, "imported variables", &bundle.given_count, bundle.given, err));
    TC_TRY(read_names(&r, &bundle, err));
    TC_TRY(read_pieces(&r, &bundle, err));
    bundle.image_size = tci_reader_left(&r);
    bundle.image_bytes = tci_read_bytes(&r, bundle.image_size);
    if (r.failed) /* also in a number that gave a list's length */
        return tci_error_set(err, TC_E_CORRUPT, "compiled image: a malformed number");
    TC_TRY(tci_image_open(bundle.image_bytes, bundle.image_size, &image, err));
    TC_TRY(check_image(&bundle, &image, err));
    *bundle_out = bundle;
    *image_out = image;
    return TC_OK;
}

/* --- writing ----------------------------------------------------------------------------- */

static void write_variables(tci_writer *w, uint32_t count, const uint32_t *values)
{
    tci_varint_write(w, count);
    for (uint32_t i = 0; i < count; i++)
        tci_varint_write(w, values[i]);
}

static void write_bundle(tci_writer *w, const tci_image_bundle *bundle, size_t names_size,
                         const tci_image_piece *pieces, size_t piece_count)
{
    tci_write_bytes(w, MAGIC, MAGIC_SIZE);
    tci_write_u8(w, VERSION);
    tci_varint_write(w, bundle->level);
    tci_varint_write(w, bundle->writable);
    write_variables(w, bundle->own_count, bundle->own_places);
    write_variables(w, bundle->given_count, bundle->given);
    tci_varint_write(w, bundle->name_count);
    tci_write_bytes(w, bundle->names, names_size);
    tci_varint_write(w, (uint32_t)piece_count);
    for (size_t i = 0; i < piece_count; i++) {
        tci_varint_write(w, pieces[i].offset);
        tci_varint_write(w, pieces[i].size);
        tci_write_bytes(w, pieces[i].name, strlen(pieces[i].name) + 1);
    }
    tci_write_bytes(w, bundle->image_bytes, bundle->image_size);
}

static size_t size_bound(const tci_image_bundle *bundle, size_t names_size,
                         const tci_image_piece *pieces, size_t piece_count)
{
    size_t bound = HEAD_MAX + names_size + bundle->image_size +
                   TCI_VARINT_MAX_SIZE * ((size_t)bundle->own_count + bundle->given_count);
    for (size_t i = 0; i < piece_count; i++)
        bound += 2 * TCI_VARINT_MAX_SIZE + strlen(pieces[i].name) + 1;
    return bound;
}

tc_status tci_image_bundle_write(const tci_image_bundle *bundle, size_t names_size,
                                 const tci_image_piece *pieces, size_t piece_count,
                                 void **bytes_out, size_t *size_out, tc_error *err)
{
    tci_writer w;
    tci_image image;
    tci_image_bundle read;
    size_t bound = size_bound(bundle, names_size, pieces, piece_count);
    void *bytes = malloc(bound);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiled image: no memory for %zu bytes",
                             bound);
    tci_writer_init(&w, bytes, bound);
    write_bundle(&w, bundle, names_size, pieces, piece_count);
    tc_status status = tci_image_bundle_open(bytes, w.at, &read, &image, err);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = w.at;
    return TC_OK;
}
