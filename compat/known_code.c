/* A hash table by content id. Readers take no lock; registering, loading and adding code
 * does. */
#include "known_code.h"

#include "compat_log.h"
#include "shared_object.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/compat/ucp/api/ucp.h>

#define BUCKETS 4096u

static struct {
    pthread_mutex_t lock; /* for all members below; chains may be read without it at any time */
    tc_loader *loader;    /* NULL until the first function */
    unsigned count;
    _Atomic(tci_known_code *) buckets[BUCKETS];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(tci_known_code *) *bucket_of(const uint8_t id[TCI_IFUNC_ID_BYTES])
{
    uint32_t key;
    memcpy(&key, id, sizeof key);
    return &known.buckets[key % BUCKETS];
}

const tci_known_code *tci_known_code_find(const uint8_t id[TCI_IFUNC_ID_BYTES])
{
    /* Pairs with the release in publish. */
    const tci_known_code *code = atomic_load_explicit(bucket_of(id), memory_order_acquire);
    while (code != NULL && memcmp(code->id, id, TCI_IFUNC_ID_BYTES) != 0)
        code = code->next;
    return code;
}

static void publish(tci_known_code *code)
{
    _Atomic(tci_known_code *) *bucket = bucket_of(code->id);
    code->next = atomic_load_explicit(bucket, memory_order_relaxed);
    code->number = known.count++;
    atomic_store_explicit(bucket, code, memory_order_release);
}

/* The calls of this API, for functions that use it themselves. If a program loads this library
 * privately (dlopen), they are in no symbol table that shipped code is linked with. */
#define OWN_CALL(function)                                                                     \
    {                                                                                          \
#function, (void *)(uintptr_t)(function)                                               \
    }

static const tc_symbol own_calls[] = {
    OWN_CALL(ucp_register_ifunc),
    OWN_CALL(ucp_register_ifunc_im),
    OWN_CALL(ucp_deregister_ifunc),
    OWN_CALL(ucp_ifunc_msg_create),
    OWN_CALL(ucp_ifunc_msg_get_payload_ptr),
    OWN_CALL(ucp_ifunc_msg_free),
    OWN_CALL(ucp_ifunc_send_nbix),
    OWN_CALL(ucp_poll_ifunc),
};

/* --- under the lock ------------------------------------------------------------------- */

static tc_status start_loader(tc_error *err)
{
    tc_options *options = NULL;
    if (known.loader != NULL)
        return TC_OK;
    tc_status status = tc_options_create(&options, err);
    if (status == TC_OK)
        status = tc_options_set(options, "functions_max", "65535", err);
    if (status == TC_OK) /* the original's lists also name entries that are no libraries */
        status = tc_options_set(options, "missing_library", "warn", err);
    if (status == TC_OK)
        status = tc_loader_create(options, own_calls, sizeof own_calls / sizeof own_calls[0],
                                  &known.loader, err);
    tc_options_destroy(options);
    return status;
}

static void set_alignment(tci_known_code *code, size_t alignment)
{
    code->payload_alignment = (uint32_t)alignment;
    code->stack_limit =
        alignment <= TCI_STACK_PAYLOAD_ALIGNMENT ? TCI_STACK_PAYLOAD_MAX + 1 : 0;
}

static ucs_status_t create_code(tci_code_kind kind, const tci_code_parts *parts,
                                tci_known_code **code_out)
{
    size_t size = TCI_CODE_PARTS_BYTES + parts->first_size + parts->second_size;
    if (known.count >= TCI_KNOWN_CODE_MAX || size > TCI_IFUNC_CODE_MAX)
        return tci_compat_refuse(UCS_ERR_EXCEEDS_LIMIT,
                                 "a function of %zu bytes, the %uth; the limits are %u and %u",
                                 size, known.count + 1, TCI_IFUNC_CODE_MAX, TCI_KNOWN_CODE_MAX);
    tci_known_code *code = calloc(1, sizeof *code);
    if (code != NULL)
        code->section = malloc(size);
    if (code == NULL || code->section == NULL) {
        free(code);
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "a function of %zu bytes", size);
    }
    code->kind = kind;
    code->section_size = (uint32_t)size;
    tci_ifunc_frame_parts_encode(parts, code->section);
    code->check = tci_ifunc_code_check(code->section, size);
    set_alignment(code, 16);
    *code_out = code;
    return UCS_OK;
}

static void destroy_code(tci_known_code *code)
{
    free(code->section);
    free(code);
}

/* Publishes the new function, unless it is known already: the caller then gets the known
 * one. */
static ucs_status_t settle(ucs_status_t status, tci_known_code *code,
                           const tci_known_code **code_out)
{
    const tci_known_code *before = status == UCS_OK ? tci_known_code_find(code->id) : NULL;
    if (status != UCS_OK || before != NULL)
        destroy_code(code);
    else
        publish(code);
    if (status == UCS_OK)
        *code_out = before != NULL ? before : code;
    return status;
}

static ucs_status_t take_function(tc_ifunc *fn, const tci_known_code **code_out)
{
    tci_code_parts parts;
    tci_known_code *code = NULL;
    tc_error error;
    parts.first = tc_ifunc_archive(fn, &parts.first_size);
    parts.second = (const uint8_t *)tc_ifunc_deps(fn, &parts.second_size);
    ucs_status_t status = create_code(TCI_CODE_ARCHIVE, &parts, &code);
    if (status != UCS_OK || code == NULL) /* the second is for gcc, which cannot infer it */
        return status;
    tc_ifunc_id(fn, code->id);
    set_alignment(code, tc_ifunc_payload_alignment(fn));
    tc_status loaded = tc_loader_resolve(fn, &code->entries, &error);
    if (loaded != TC_OK)
        status = tci_compat_refuse(tci_compat_status(loaded), "%s", error.text);
    return settle(status, code, code_out);
}

/* Loaded code stays open. A failure is remembered until its slot is needed again. */
static ucs_status_t open_archive(const tci_code_parts *parts, const uint8_t *id,
                                 const tci_known_code **code_out)
{
    tc_error error;
    tc_ifunc *fn;
    uint8_t found[TC_IFUNC_ID_BYTES];
    tc_status opened = start_loader(&error);
    if (opened == TC_OK)
        opened = tc_loader_open_code(known.loader,
                                     &(tc_code){.bytes = parts->first,
                                                .size = parts->first_size,
                                                .deps = (const char *)parts->second,
                                                .deps_size = parts->second_size},
                                     &fn, &error);
    if (opened != TC_OK)
        return tci_compat_refuse(tci_compat_status(opened), "%s", error.text);
    tc_ifunc_id(fn, found);
    ucs_status_t status;
    if (id != NULL && memcmp(found, id, sizeof found) != 0)
        status = tci_compat_refuse(UCS_ERR_IO_ERROR, "%s: came under the id of other code",
                                   tc_ifunc_name(fn));
    else
        status = take_function(fn, code_out);
    if (status != UCS_OK)
        tc_ifunc_close(fn);
    return status;
}

/* Reads the first characters of an option's text. */
static ucs_status_t read_option(const char *name, char value_out[8])
{
    tc_options *options;
    tc_error error;
    value_out[0] = '\0';
    if (tc_options_create(&options, &error) != TC_OK)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "%s", error.text);
    tc_status status = tc_options_get(options, name, value_out, 8);
    tc_options_destroy(options);
    return status == TC_OK ? UCS_OK
                           : tci_compat_refuse(UCS_ERR_INVALID_PARAM, "no option %s", name);
}

/* Checks that the options allow shared objects: the system's loader binds them to any symbol
 * that is there, and they cannot be signed. */
static ucs_status_t check_library(void)
{
    char value[8];
    ucs_status_t status = read_option("symbols", value);
    if (status == UCS_OK && value[0] != '\0')
        return tci_compat_refuse(
            UCS_ERR_UNSUPPORTED,
            "a shared object, whose symbols nobody checks, under the option "
            "symbols: expected an archive or bitcode");
    if (status == UCS_OK)
        status = read_option("require_signature", value);
    if (status == UCS_OK && strcmp(value, "all") == 0)
        return tci_compat_refuse(UCS_ERR_UNSUPPORTED,
                                 "a shared object, which has no signature, under the option "
                                 "require_signature=all");
    return status;
}

/* Refuses received code where a signature is required, or where only listed code may run: the
 * original's messages cannot carry a signature. Functions that this process has registered are
 * its own and run. */
static ucs_status_t check_sent(void)
{
    static const struct {
        const char *option, *open;
    } doors[] = {{"require_signature", "no"}, {"code_allow", ""}};
    char value[8];
    for (size_t i = 0; i < sizeof doors / sizeof doors[0]; i++) {
        ucs_status_t status = read_option(doors[i].option, value);
        if (status != UCS_OK)
            return status;
        if (strcmp(value, doors[i].open) != 0)
            return tci_compat_refuse(
                UCS_ERR_UNSUPPORTED,
                "code of a message, which has no signature, under the option "
                "%s: expected a function that is registered here",
                doors[i].option);
    }
    return UCS_OK;
}

static ucs_status_t open_library(const tci_code_parts *parts, const uint8_t *id,
                                 const tci_known_code **code_out)
{
    tci_known_code *code = NULL;
    size_t alignment = 16;
    ucs_status_t status = check_library();
    if (status == UCS_OK)
        status = create_code(TCI_CODE_LIBRARY, parts, &code);
    if (status != UCS_OK)
        return status;
    (void)crypto_generichash(code->id, sizeof code->id, code->section, code->section_size, NULL,
                             0);
    if (id != NULL && memcmp(code->id, id, sizeof code->id) != 0)
        status = tci_compat_refuse(UCS_ERR_IO_ERROR, "a library came under the id of another");
    else if (tci_known_code_find(code->id) == NULL)
        status = tci_shared_object_load(parts, &code->entries, &alignment);
    set_alignment(code, alignment);
    return settle(status, code, code_out);
}

/* --- the calls ------------------------------------------------------------------------ */

static ucs_status_t add_locked(tci_code_kind kind, const tci_code_parts *parts,
                               const uint8_t *id, const tci_known_code **code_out)
{
    if (kind == TCI_CODE_LIBRARY)
        return open_library(parts, id, code_out);
    return open_archive(parts, id, code_out);
}

static ucs_status_t add(tci_code_kind kind, const tci_code_parts *parts, const uint8_t *id,
                        const tci_known_code **code_out)
{
    pthread_mutex_lock(&known.lock);
    const tci_known_code *before = id != NULL ? tci_known_code_find(id) : NULL;
    ucs_status_t status = UCS_OK;
    if (before == NULL && id != NULL)
        status = check_sent();
    if (before != NULL)
        *code_out = before; /* another thread was faster */
    else if (status == UCS_OK)
        status = add_locked(kind, parts, id, code_out);
    pthread_mutex_unlock(&known.lock);
    return status;
}

ucs_status_t tci_known_code_add(tci_code_kind kind, const uint8_t id[TCI_IFUNC_ID_BYTES],
                                const uint8_t *section, size_t size,
                                const tci_known_code **code_out)
{
    tci_code_parts parts;
    if (!tci_ifunc_frame_parts_decode(section, size, &parts))
        return tci_compat_refuse(UCS_ERR_IO_ERROR,
                                 "the sizes of a code section of %zu bytes are wrong", size);
    return add(kind, &parts, id, code_out);
}

ucs_status_t tci_known_code_add_archive(const void *archive, size_t archive_size,
                                        const char *deps, size_t deps_size,
                                        const tci_known_code **code_out)
{
    const tci_code_parts parts = {archive, archive_size, (const uint8_t *)deps,
                                  deps != NULL ? deps_size : 0};
    return add(TCI_CODE_ARCHIVE, &parts, NULL, code_out);
}

static ucs_status_t add_bitcode_locked(const char *name, const tc_bitcode *slices, size_t count,
                                       const char *deps, size_t deps_size,
                                       const tci_known_code **code_out)
{
    tc_error error;
    tc_ifunc *fn;
    tc_status opened = start_loader(&error);
    if (opened == TC_OK)
        opened = tc_loader_open_code(known.loader,
                                     &(tc_code){.name = name,
                                                .slices = slices,
                                                .slice_count = count,
                                                .deps = deps,
                                                .deps_size = deps_size},
                                     &fn, &error);
    if (opened != TC_OK)
        return tci_compat_refuse(tci_compat_status(opened), "%s", error.text);
    ucs_status_t status = take_function(fn, code_out);
    if (status != UCS_OK)
        tc_ifunc_close(fn);
    return status;
}

ucs_status_t tci_known_code_add_bitcode(const char *name, const tc_bitcode *slices,
                                        size_t count, const char *deps, size_t deps_size,
                                        const tci_known_code **code_out)
{
    pthread_mutex_lock(&known.lock);
    ucs_status_t status = add_bitcode_locked(name, slices, count, deps, deps_size, code_out);
    pthread_mutex_unlock(&known.lock);
    return status;
}

ucs_status_t tci_known_code_add_library(const char *name, const void *bytes, size_t size,
                                        const tci_known_code **code_out)
{
    const tci_code_parts parts = {(const uint8_t *)name, strlen(name), bytes, size};
    return add(TCI_CODE_LIBRARY, &parts, NULL, code_out);
}
