/* Bytes as a package: as they are, and once more with an id that fits, without which nothing in
 * front of it would ever be reached. A package that opens keeps every promise of
 * package_format.h, and is written again as the same. */
#include "fuzzer.h"
#include "package_format.h"

#include <string.h>

static void require_in(const void *part, size_t part_size, const uint8_t *data, size_t size)
{
    const uint8_t *bytes = part;
    MUST(bytes >= data && part_size <= size && bytes <= data + (size - part_size));
}

static void check_element(const tci_package_element *element, const uint8_t *data, size_t size)
{
    MUST(element->id >= 1 && element->id <= TCI_PACKAGE_ELEMENT_ID_MAX);
    MUST(element->archive_size > 0 && element->name[0] != '\0');
    MUST(strlen(element->name) < TCI_ARCHIVE_NAME_MAX);
    require_in(element->archive, element->archive_size, data, size);
    require_in(element->deps, element->deps_size, data, size);
    require_in(element->signature, element->signature_size, data, size);
}

static void check(const uint8_t *data, size_t size)
{
    tci_package package;
    tc_error err = {.status = TC_OK};
    void *again;
    size_t again_size;
    tc_status status = tci_package_open(data, size, &package, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return;
    }
    MUST(package.count >= 1 && package.count <= TCI_PACKAGE_ELEMENTS_MAX);
    for (size_t i = 0; i < package.count; i++) {
        check_element(&package.elements[i], data, size);
        MUST(i == 0 || package.elements[i].id > package.elements[i - 1].id);
    }
    MUST(tci_package_write(&package, &again, &again_size, &err) == TC_OK);
    MUST(again_size == size && memcmp(again, data, size) == 0);
    free(again);
    tci_package_close(&package);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size);
    if (size < TCI_PACKAGE_ID_SIZE)
        return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    tci_hash128(copy, size - TCI_PACKAGE_ID_SIZE, copy + size - TCI_PACKAGE_ID_SIZE);
    check(copy, size);
    free(copy);
    return 0;
}
