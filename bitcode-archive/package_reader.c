/* Opening checks in the order in which bytes can be trusted: size and magic, the content id
 * over all of them, version, then the index. Its count is compared with the bytes that are left
 * before memory is allocated for it. */
#include "base/error_text.h"
#include "package_format.h"
#include "varint.h"

#include <stdlib.h>
#include <string.h>

/* A name of one character, its terminator, and five numbers or kinds of one byte each. */
#define ELEMENT_BYTES_MIN 7u
#define PACKAGE_BYTES_MIN (TCI_PACKAGE_MAGIC_SIZE + 1u + TCI_PACKAGE_ID_SIZE)

static tc_status check_envelope(const uint8_t *bytes, size_t size, tci_content_id *id_out,
                                tc_error *err)
{
    if (size < PACKAGE_BYTES_MIN)
        return tci_error_set(err, TC_E_CORRUPT, "package: %zu bytes, expected at least %u",
                             size, PACKAGE_BYTES_MIN);
    if (size > TCI_PACKAGE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "package: %zu bytes, limit %u", size,
                             TCI_PACKAGE_BYTES_MAX);
    if (memcmp(bytes, TCI_PACKAGE_MAGIC, TCI_PACKAGE_MAGIC_SIZE) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "package: begins with bytes %02x %02x %02x, expected '%s'",
                             bytes[0], bytes[1], bytes[2], TCI_PACKAGE_MAGIC);
    tci_hash128(bytes, size - TCI_PACKAGE_ID_SIZE, id_out->bytes);
    if (memcmp(id_out->bytes, bytes + size - TCI_PACKAGE_ID_SIZE, TCI_PACKAGE_ID_SIZE) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "package: damaged or cut short: the id behind its %zu bytes does not "
                         "fit",
                         size);
}

static void read_name(tci_reader *r, char out[TCI_ARCHIVE_NAME_MAX])
{
    size_t left = tci_reader_left(r);
    const size_t limit = left < TCI_ARCHIVE_NAME_MAX ? left : TCI_ARCHIVE_NAME_MAX;
    const uint8_t *end = r->failed ? NULL : memchr(r->data + r->at, '\0', limit);
    if (end == NULL) {
        r->failed = true;
        return;
    }
    const size_t size = (size_t)(end - (r->data + r->at)) + 1;
    memcpy(out, tci_read_bytes(r, size), size);
}

static void read_entry(tci_reader *r, tci_package_element *out)
{
    out->id = tci_varint_read(r);
    out->kind = (tci_element_kind)tci_read_u8(r);
    read_name(r, out->name);
    out->archive_size = tci_varint_read(r);
    out->deps_size = tci_varint_read(r);
    out->signature_size = tci_varint_read(r);
}

static void take_bytes(tci_reader *r, tci_package_element *element)
{
    element->archive = tci_read_bytes(r, element->archive_size);
    element->deps = (const char *)tci_read_bytes(r, element->deps_size);
    element->signature = (const char *)tci_read_bytes(r, element->signature_size);
}

static tc_status read_elements(tci_reader *r, tci_package *package, tc_error *err)
{
    for (size_t i = 0; i < package->count; i++)
        read_entry(r, &package->elements[i]);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT,
                             "package: '%s': its list of %zu elements is malformed",
                             package->name, package->count);
    TC_TRY(tci_package_check(package, TC_E_CORRUPT, err));
    for (size_t i = 0; i < package->count; i++)
        take_bytes(r, &package->elements[i]);
    if (r->failed || tci_reader_left(r) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "package: '%s': its elements have %s bytes than its list says",
                             package->name, r->failed ? "fewer" : "more");
    return TC_OK;
}

static tc_status read_header(tci_reader *r, tci_package *package, tc_error *err)
{
    (void)tci_read_bytes(r, TCI_PACKAGE_MAGIC_SIZE);
    uint8_t version = tci_read_u8(r);
    if (version != TCI_PACKAGE_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "package: format version %u, this library reads version %u",
                             version, TCI_PACKAGE_VERSION);
    read_name(r, package->name);
    package->count = tci_varint_read(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "package: malformed header");
    if (package->count > tci_reader_left(r) / ELEMENT_BYTES_MIN)
        return tci_error_set(err, TC_E_CORRUPT, "package: %zu elements in %zu bytes",
                             package->count, tci_reader_left(r));
    return TC_OK;
}

tc_status tci_package_open(const void *bytes, size_t size, tci_package *package_out,
                           tc_error *err)
{
    tci_package package = {.count = 0};
    tci_reader r;
    TC_TRY(check_envelope(bytes, size, &package.id, err));
    tci_reader_init(&r, bytes, size - TCI_PACKAGE_ID_SIZE);
    TC_TRY(read_header(&r, &package, err));
    /* bound: TCI_PACKAGE_ELEMENTS_MAX */
    package.elements = calloc(package.count + 1, sizeof *package.elements);
    if (package.elements == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "package: no memory for %zu elements",
                             package.count);
    tc_status status = read_elements(&r, &package, err);
    if (status != TC_OK) {
        tci_package_close(&package);
        return status;
    }
    *package_out = package;
    return TC_OK;
}

void tci_package_close(tci_package *package)
{
    free(package->elements);
    package->elements = NULL;
    package->count = 0;
}
