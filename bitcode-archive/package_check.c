/* Checks the rules for a package that its reader and its writer share. */
#include "archive_name.h"
#include "base/error_text.h"
#include "package_format.h"

#include <string.h>

static tc_status check_kind(const tci_package_element *element, tc_error *err)
{
    if (element->kind == TCI_ELEMENT_FUNCTION || element->kind == TCI_ELEMENT_LIBRARY)
        return TC_OK;
    return tci_error_set(
        err, TC_E_VERSION, "package: element '%s' is of kind %u, this library knows %u and %u",
        element->name, (unsigned)element->kind, TCI_ELEMENT_FUNCTION, TCI_ELEMENT_LIBRARY);
}

static tc_status check_sizes(const tci_package_element *element, tc_status failure,
                             tc_error *err)
{
    if (element->archive_size == 0)
        return tci_error_set(err, failure, "package: element '%s' has no archive",
                             element->name);
    if (element->archive_size > TCI_PACKAGE_BYTES_MAX ||
        element->deps_size > TCI_PACKAGE_DEPS_MAX ||
        element->signature_size > TCI_PACKAGE_SIGNATURE_MAX)
        return tci_error_set(
            err, TC_E_TOO_LARGE,
            "package: element '%s' has %zu bytes of archive, %zu of libraries and %zu of "
            "signature; limits %u, %u, %u",
            element->name, element->archive_size, element->deps_size, element->signature_size,
            TCI_PACKAGE_BYTES_MAX, TCI_PACKAGE_DEPS_MAX, TCI_PACKAGE_SIGNATURE_MAX);
    return TC_OK;
}

static tc_status check_id(const tci_package_element *element, const tci_package_element *before,
                          tc_status failure, tc_error *err)
{
    if (element->id < 1 || element->id > TCI_PACKAGE_ELEMENT_ID_MAX)
        return tci_error_set(err, failure, "package: element '%s' has id %u, expected 1 to %u",
                             element->name, element->id, TCI_PACKAGE_ELEMENT_ID_MAX);
    if (before != NULL && element->id == before->id)
        return tci_error_set(err, failure, "package: elements '%s' and '%s' both have id %u",
                             before->name, element->name, element->id);
    if (before != NULL && element->id < before->id)
        return tci_error_set(err, failure,
                             "package: element '%s' with id %u stands behind '%s' with id %u, "
                             "expected ascending ids",
                             element->name, element->id, before->name, before->id);
    return TC_OK;
}

static tc_status check_names(const tci_package *package, size_t index, tc_status failure,
                             tc_error *err)
{
    const tci_package_element *element = &package->elements[index];
    tc_status status = tci_archive_check_name(element->name, failure, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "package: element %zu", index + 1);
        return status;
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(package->elements[i].name, element->name) == 0)
            return tci_error_set(err, failure,
                                 "package: the elements with ids %u and %u are both named '%s'",
                                 package->elements[i].id, element->id, element->name);
    }
    return TC_OK;
}

tc_status tci_package_check(const tci_package *package, tc_status failure, tc_error *err)
{
    tc_status status = tci_archive_check_name(package->name, failure, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "package");
        return status;
    }
    if (package->count == 0)
        return tci_error_set(err, failure, "package: '%s' has no elements", package->name);
    if (package->count > TCI_PACKAGE_ELEMENTS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "package: %zu elements, limit %u",
                             package->count, TCI_PACKAGE_ELEMENTS_MAX);
    for (size_t i = 0; i < package->count; i++) {
        const tci_package_element *element = &package->elements[i];
        TC_TRY(check_names(package, i, failure, err));
        TC_TRY(check_id(element, i > 0 ? element - 1 : NULL, failure, err));
        TC_TRY(check_kind(element, err));
        TC_TRY(check_sizes(element, failure, err));
    }
    return TC_OK;
}
