/* A package: the functions that its elements are, open together. */
#include "archive_file.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "package_format.h"

#include <stdlib.h>
#include <string.h>
#include <tc/package.h>

typedef struct element {
    uint32_t number;
    tc_ifunc *fn;
} element;

struct tc_package {
    char name[TCI_ARCHIVE_NAME_MAX];
    tci_content_id id;
    size_t count; /* those that are open */
    element elements[];
};

/* --- opening ----------------------------------------------------------------------------- */

static tc_status check_id(const tci_package *file, const uint8_t *wanted, tc_error *err)
{
    tci_content_id id;
    char found[TCI_CONTENT_ID_TEXT], expected[TCI_CONTENT_ID_TEXT];
    if (wanted == NULL || memcmp(wanted, file->id.bytes, sizeof id.bytes) == 0)
        return TC_OK;
    memcpy(id.bytes, wanted, sizeof id.bytes);
    tci_content_id_text(&file->id, found);
    tci_content_id_text(&id, expected);
    return tci_error_set(
        err, TC_E_VERSION,
        "package '%s' has id %s, but the header that this program was compiled "
        "with is of id %s: compile it with the %s.h made with this package",
        file->name, found, expected, file->name);
}

static tc_status open_function(tc_context *ctx, const tci_package_element *from,
                               tc_ifunc **fn_out, tc_error *err)
{
    if (from->kind != TCI_ELEMENT_FUNCTION)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "it is a library, which this version cannot send");
    TC_TRY(tc_ifunc_open_signed(ctx, from->archive, from->archive_size,
                                from->deps_size > 0 ? from->deps : NULL, from->deps_size,
                                from->signature_size > 0 ? from->signature : NULL,
                                from->signature_size, fn_out, err));
    if (strcmp(tc_ifunc_name(*fn_out), from->name) == 0)
        return TC_OK;
    tc_status status = tci_error_set(err, TC_E_CORRUPT, "its archive is of the function '%s'",
                                     tc_ifunc_name(*fn_out));
    tc_ifunc_close(*fn_out);
    return status;
}

static tc_status open_elements(tc_context *ctx, const tci_package *file, tc_package *package,
                               tc_error *err)
{
    for (; package->count < file->count; package->count++) {
        const tci_package_element *from = &file->elements[package->count];
        element *to = &package->elements[package->count];
        tc_status status = open_function(ctx, from, &to->fn, err);
        if (status != TC_OK) {
            tci_error_prefix(err, "package '%s': element '%s'", file->name, from->name);
            return status;
        }
        to->number = from->id;
    }
    return TC_OK;
}

static tc_status open_parsed(tc_context *ctx, const tci_package *file, const uint8_t *id,
                             tc_package **package_out, tc_error *err)
{
    TC_TRY(check_id(file, id, err));
    tc_package *package = calloc(1, sizeof *package + file->count * sizeof(element));
    if (package == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "package: out of memory");
    memcpy(package->name, file->name, sizeof package->name);
    package->id = file->id;
    tc_status status = open_elements(ctx, file, package, err);
    if (status != TC_OK) {
        tc_package_close(package);
        return status;
    }
    *package_out = package;
    return TC_OK;
}

tc_status tc_package_open_memory(tc_context *ctx, const void *package, size_t package_size,
                                 const uint8_t *id, tc_package **package_out, tc_error *err)
{
    tci_package file;
    TC_TRY(tci_package_open(package, package_size, &file, err));
    tc_status status = open_parsed(ctx, &file, id, package_out, err);
    tci_package_close(&file);
    return status;
}

tc_status tc_package_open(tc_context *ctx, const char *path, const uint8_t *id,
                          tc_package **package_out, tc_error *err)
{
    void *bytes;
    size_t size;
    TC_TRY(tci_archive_file_read(path, TCI_PACKAGE_BYTES_MAX, &bytes, &size, err));
    tc_status status = tc_package_open_memory(ctx, bytes, size, id, package_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", path);
    free(bytes);
    return status;
}

void tc_package_close(tc_package *package)
{
    if (package == NULL)
        return;
    for (size_t i = 0; i < package->count; i++)
        tc_ifunc_close(package->elements[i].fn);
    free(package);
}

/* --- what is in it ----------------------------------------------------------------------- */

const char *tc_package_name(const tc_package *package)
{
    return package->name;
}

void tc_package_id(const tc_package *package, uint8_t id_out[TC_PACKAGE_ID_BYTES])
{
    memcpy(id_out, package->id.bytes, TC_PACKAGE_ID_BYTES);
}

size_t tc_package_count(const tc_package *package)
{
    return package->count;
}

uint32_t tc_package_number(const tc_package *package, size_t place)
{
    return place < package->count ? package->elements[place].number : 0;
}

tc_ifunc *tc_package_ifunc(const tc_package *package, uint32_t number)
{
    for (size_t i = 0; i < package->count; i++) {
        if (package->elements[i].number == number)
            return package->elements[i].fn;
    }
    return NULL;
}

tc_ifunc *tc_package_find(const tc_package *package, const char *name)
{
    for (size_t i = 0; i < package->count; i++) {
        if (strcmp(tc_ifunc_name(package->elements[i].fn), name) == 0)
            return package->elements[i].fn;
    }
    return NULL;
}

/* --- sending it ahead -------------------------------------------------------------------- */

static tc_status prepare_one(tc_ep *ep, tc_ifunc *fn, uint64_t timeout_ns, tc_error *err)
{
    tc_status status = tc_ep_prepare(ep, fn, timeout_ns, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", tc_ifunc_name(fn));
    return status;
}

/* What is left of the time; the least once it is over, as 0 means not to wait. */
static uint64_t time_left(uint64_t deadline_ns)
{
    uint64_t now_ns = tci_clock_ns();
    return now_ns < deadline_ns ? deadline_ns - now_ns : 1;
}

/* All are sent before the first is waited for, so that the peer loads them side by side. */
tc_status tc_package_prepare(tc_ep *ep, const tc_package *package, uint64_t timeout_ns,
                             tc_error *err)
{
    for (size_t i = 0; i < package->count; i++)
        TC_TRY(prepare_one(ep, package->elements[i].fn, 0, err));
    if (timeout_ns == 0)
        return TC_OK;
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    for (size_t i = 0; i < package->count; i++)
        TC_TRY(prepare_one(ep, package->elements[i].fn, time_left(deadline_ns), err));
    return TC_OK;
}
