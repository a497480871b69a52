/* Functions of a package that this process has in a shared library of its own. */
#include "base/error_text.h"

#include <dlfcn.h>
#include <tc/advanced.h>
#include <tc/ifunc.h>
#include <tc/package.h>

static tc_status find_vector(const char *path, const tc_package_vector **vector_out,
                             tc_error *err)
{
    /* The library stays: code that has the address of a function may call it at any time. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND, "local functions: %s", dlerror());
    const tc_package_vector *vector = dlsym(library, TC_PACKAGE_VECTOR_SYMBOL);
    (void)dlclose(library);
    if (vector == NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%s: no symbol " TC_PACKAGE_VECTOR_SYMBOL
                             ", expected a library that tc-package made",
                             path);
    if (vector->version != TC_PACKAGE_VECTOR_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "%s: functions of version %u, this library knows version %u", path,
                             vector->version, TC_PACKAGE_VECTOR_VERSION);
    *vector_out = vector;
    return TC_OK;
}

static tc_status use_entry(const tc_package *package, const tc_package_entry *entry,
                           tc_error *err)
{
    tc_ifunc *fn = tc_package_ifunc(package, entry->number);
    if (fn == NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "a function for element %u, which its package does not have",
                             entry->number);
    if (tc_ifunc_holes(fn, NULL, 0) > 0)
        return TC_OK; /* the library's has zeros there */
    return tc_ifunc_use_local_entries(fn, entry->main, entry->payload_get_max_size,
                                      entry->payload_init, err);
}

static tc_status use_all(const tc_package *package, const tc_package_vector *vector,
                         tc_error *err)
{
    if (vector->entry_count != tc_package_count(package))
        return tci_error_set(err, TC_E_CORRUPT, "%u functions for a package of %zu",
                             vector->entry_count, tc_package_count(package));
    for (uint32_t i = 0; i < vector->entry_count; i++)
        TC_TRY(use_entry(package, &vector->entries[i], err));
    return TC_OK;
}

tc_status tc_package_use_local(tc_context *ctx, const char *path, tc_package **package_out,
                               tc_error *err)
{
    const tc_package_vector *vector;
    tc_package *package;
    TC_TRY(find_vector(path, &vector, err));
    const tc_code code = {.bytes = vector->package, .size = vector->package_size};
    tc_status status = tc_package_open_code(ctx, &code, &package, err);
    if (status == TC_OK) {
        status = use_all(package, vector, err);
        if (status != TC_OK)
            tc_package_close(package);
    }
    if (status == TC_OK)
        *package_out = package;
    else
        tci_error_prefix(err, "%s", path);
    return status;
}
