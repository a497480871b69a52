/* A package: its elements are functions and libraries, opened together. */
#include "archive_file.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "ifunc/code_open.h"
#include "package_format.h"

#include <stdlib.h>
#include <string.h>
#include <tc/package.h>

typedef struct element {
    uint32_t number;
    tc_ifunc *fn;        /* NULL: a library */
    tc_library *library; /* NULL: a function */
} element;

struct tc_package {
    char name[TCI_ARCHIVE_NAME_MAX];
    tci_content_id id;
    size_t count; /* of open elements */
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

static tc_status open_code(tc_context *ctx, const tci_package_element *from, element *to,
                           tc_error *err)
{
    const tc_code code = {.bytes = from->archive,
                          .size = from->archive_size,
                          .deps = from->deps_size > 0 ? from->deps : NULL,
                          .deps_size = from->deps_size,
                          .signature = from->signature_size > 0 ? from->signature : NULL,
                          .signature_size = from->signature_size};
    return from->kind == TCI_ELEMENT_LIBRARY
               ? tc_library_open_code(ctx, &code, &to->library, err)
               : tc_ifunc_open_code(ctx, &code, &to->fn, err);
}

static void close_element(const element *e)
{
    tc_ifunc_close(e->fn);
    tc_library_close(e->library);
}

static const char *name_of(const element *e)
{
    return e->fn != NULL ? tc_ifunc_name(e->fn) : tc_library_name(e->library);
}

static tc_status open_element(tc_context *ctx, const tci_package_element *from, element *to,
                              tc_error *err)
{
    TC_TRY(open_code(ctx, from, to, err));
    to->number = from->id;
    if (strcmp(name_of(to), from->name) == 0)
        return TC_OK;
    tc_status status =
        tci_error_set(err, TC_E_CORRUPT, "its archive is that of '%s'", name_of(to));
    close_element(to);
    return status;
}

static tc_status open_elements(tc_context *ctx, const tci_package *file, tc_package *package,
                               tc_error *err)
{
    for (; package->count < file->count; package->count++) {
        const tci_package_element *from = &file->elements[package->count];
        tc_status status = open_element(ctx, from, &package->elements[package->count], err);
        if (status != TC_OK) {
            tci_error_prefix(err, "package '%s': element '%s'", file->name, from->name);
            return status;
        }
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

static tc_status open_memory(tc_context *ctx, const tc_code *code, tc_package **package_out,
                             tc_error *err)
{
    tci_package file;
    TC_TRY(tci_package_open(code->bytes, code->size, &file, err));
    tc_status status = open_parsed(ctx, &file, code->id, package_out, err);
    tci_package_close(&file);
    return status;
}

static tc_status open_file(tc_context *ctx, const tc_code *code, tc_package **package_out,
                           tc_error *err)
{
    void *bytes;
    tc_code content = {.id = code->id};
    TC_TRY(
        tci_archive_file_read(code->path, TCI_PACKAGE_BYTES_MAX, &bytes, &content.size, err));
    content.bytes = bytes;
    tc_status status = open_memory(ctx, &content, package_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", code->path);
    free(bytes);
    return status;
}

tc_status tc_package_open_code_sized(tc_context *ctx, const tc_code *code, size_t code_size,
                                     tc_package **package_out, tc_error *err)
{
    const tci_given_code given = {code, code_size, 0};
    tc_code own;
    TC_TRY(tci_code_open_read(&given, TCI_CODE_PATH | TCI_CODE_BYTES, &own, err));
    if (own.deps != NULL || own.signature != NULL)
        return tci_error_set(err, TC_E_INVALID,
                             "package: deps or signature is set, expected neither");
    return own.path != NULL ? open_file(ctx, &own, package_out, err)
                            : open_memory(ctx, &own, package_out, err);
}

tc_status tc_package_open(tc_context *ctx, const char *path, const uint8_t *id,
                          tc_package **package_out, tc_error *err)
{
    if (path == NULL)
        return tci_error_set(err, TC_E_INVALID, "package: the path is NULL, expected a file's");
    return tc_package_open_code(ctx, &(tc_code){.path = path, .id = id}, package_out, err);
}

void tc_package_close(tc_package *package)
{
    if (package == NULL)
        return;
    for (size_t i = 0; i < package->count; i++)
        close_element(&package->elements[i]);
    free(package);
}

/* --- contents ---------------------------------------------------------------------------- */

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

static const element *find_number(const tc_package *package, uint32_t number)
{
    static const element none;
    for (size_t i = 0; i < package->count; i++) {
        if (package->elements[i].number == number)
            return &package->elements[i];
    }
    return &none;
}

tc_ifunc *tc_package_ifunc(const tc_package *package, uint32_t number)
{
    return find_number(package, number)->fn;
}

tc_library *tc_package_library(const tc_package *package, uint32_t number)
{
    return find_number(package, number)->library;
}

tc_ifunc *tc_package_find(const tc_package *package, const char *name)
{
    for (size_t i = 0; i < package->count; i++) {
        const element *e = &package->elements[i];
        if (e->fn != NULL && strcmp(tc_ifunc_name(e->fn), name) == 0)
            return e->fn;
    }
    return NULL;
}

/* --- sending it ahead -------------------------------------------------------------------- */

static tc_status prepare_one(tc_ep *ep, tc_ifunc *fn, uint64_t timeout_ns, tc_error *err)
{
    /* Code with holes is loaded with values, which bring it. */
    const bool can_load = fn != NULL && tc_ifunc_holes(fn, NULL, 0) == 0;
    tc_status status = can_load ? tc_ep_prepare(ep, fn, timeout_ns, err) : TC_OK;
    if (status != TC_OK)
        tci_error_prefix(err, "%s", tc_ifunc_name(fn));
    return status;
}

/* Returns the time left; at least 1, as 0 means not to wait. */
static uint64_t time_left(uint64_t deadline_ns)
{
    uint64_t now_ns = tci_clock_ns();
    return now_ns < deadline_ns ? deadline_ns - now_ns : 1;
}

tc_status tc_package_push(tc_ep *ep, const tc_package *package, uint64_t timeout_ns,
                          tc_error *err)
{
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    for (size_t i = 0; i < package->count; i++) {
        tc_library *library = package->elements[i].library;
        if (library == NULL)
            continue;
        tc_status status =
            tc_library_push(ep, library, timeout_ns == 0 ? 0 : time_left(deadline_ns), err);
        if (status != TC_OK) {
            tci_error_prefix(err, "%s", tc_library_name(library));
            return status;
        }
    }
    return TC_OK;
}

tc_status tc_package_install(tc_context *ctx, const tc_package *package, tc_error *err)
{
    for (size_t i = 0; i < package->count; i++) {
        tc_library *library = package->elements[i].library;
        tc_status status = library != NULL ? tc_library_install(ctx, library, err) : TC_OK;
        if (status != TC_OK) {
            tci_error_prefix(err, "%s", tc_library_name(library));
            return status;
        }
    }
    return TC_OK;
}

/* Sends all functions before it waits for one, so that the peer loads them in parallel. */
tc_status tc_package_prepare(tc_ep *ep, const tc_package *package, uint64_t timeout_ns,
                             tc_error *err)
{
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    TC_TRY(tc_package_push(ep, package, timeout_ns, err));
    for (size_t i = 0; i < package->count; i++)
        TC_TRY(prepare_one(ep, package->elements[i].fn, 0, err));
    for (size_t i = 0; i < package->count && timeout_ns > 0; i++)
        TC_TRY(prepare_one(ep, package->elements[i].fn, time_left(deadline_ns), err));
    return TC_OK;
}
