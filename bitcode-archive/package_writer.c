/* Writes a package's bytes: header, index, the bytes that the index lists, and the id of all of
 * that. */
#include "base/error_text.h"
#include "package_format.h"
#include "varint.h"

#include <stdlib.h>
#include <string.h>

static size_t bound_of(const tci_package *package)
{
    size_t size = TCI_PACKAGE_MAGIC_SIZE + 1 + sizeof package->name + TCI_VARINT_MAX_SIZE +
                  TCI_PACKAGE_ID_SIZE;
    for (size_t i = 0; i < package->count; i++) {
        const tci_package_element *element = &package->elements[i];
        size += sizeof element->name + 1 + 4 * TCI_VARINT_MAX_SIZE + element->archive_size +
                element->deps_size + element->signature_size;
    }
    return size;
}

static void write_entry(tci_writer *w, const tci_package_element *element)
{
    tci_varint_write(w, element->id);
    tci_write_u8(w, (uint8_t)element->kind);
    tci_write_bytes(w, element->name, strlen(element->name) + 1);
    tci_varint_write(w, (uint32_t)element->archive_size);
    tci_varint_write(w, (uint32_t)element->deps_size);
    tci_varint_write(w, (uint32_t)element->signature_size);
}

static void write_all(tci_writer *w, const tci_package *package)
{
    tci_write_bytes(w, TCI_PACKAGE_MAGIC, TCI_PACKAGE_MAGIC_SIZE);
    tci_write_u8(w, TCI_PACKAGE_VERSION);
    tci_write_bytes(w, package->name, strlen(package->name) + 1);
    tci_varint_write(w, (uint32_t)package->count);
    for (size_t i = 0; i < package->count; i++)
        write_entry(w, &package->elements[i]);
    for (size_t i = 0; i < package->count; i++) {
        const tci_package_element *element = &package->elements[i];
        tci_write_bytes(w, element->archive, element->archive_size);
        tci_write_bytes(w, element->deps, element->deps_size);
        tci_write_bytes(w, element->signature, element->signature_size);
    }
}

tc_status tci_package_write(tci_package *package, void **bytes_out, size_t *size_out,
                            tc_error *err)
{
    tci_writer w;
    TC_TRY(tci_package_check(package, TC_E_INVALID, err));
    const size_t bound = bound_of(package);
    uint8_t *bytes = bound <= TCI_PACKAGE_BYTES_MAX ? malloc(bound) : NULL;
    if (bytes == NULL)
        return tci_error_set(err,
                             bound > TCI_PACKAGE_BYTES_MAX ? TC_E_TOO_LARGE : TC_E_NO_MEMORY,
                             "package: '%s' takes %zu bytes, limit %u", package->name, bound,
                             TCI_PACKAGE_BYTES_MAX);
    tci_writer_init(&w, bytes, bound);
    write_all(&w, package);
    tci_hash128(bytes, w.at, package->id.bytes);
    tci_write_bytes(&w, package->id.bytes, TCI_PACKAGE_ID_SIZE);
    *bytes_out = bytes;
    *size_out = w.at;
    return TC_OK;
}
