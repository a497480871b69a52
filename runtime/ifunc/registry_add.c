/* Adds functions to the registry: checks the bytes of one, permission first, and copies it. */
#include "registry.h"

#include "base/error_text.h"
#include "ifunc/holes_ops.h"
#include "ifunc/ifunc_load.h"
#include "ifunc/trust_ops.h"

#include <stdlib.h>

static tc_status copy_code(tc_ifunc *fn, const tci_registry_code *code, tc_error *err)
{
    fn->code_bytes = TCI_CODE_SECTION_BYTES + code->archive_size + code->deps_size;
    uint8_t *copy = malloc(fn->code_bytes + TCI_CODE_SIGNATURE_BYTES);
    if (copy == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    const tci_code_section section = {.id = fn->id,
                                      .archive_size = (uint32_t)code->archive_size,
                                      .deps_size = (uint32_t)code->deps_size};
    tci_code_section_encode(&section, copy);
    memcpy(copy + TCI_CODE_SECTION_BYTES, code->archive, code->archive_size);
    if (code->deps_size > 0)
        memcpy(copy + TCI_CODE_SECTION_BYTES + code->archive_size, code->deps, code->deps_size);
    fn->code = copy;
    fn->archive_size = code->archive_size;
    return TC_OK;
}

static tc_status check_code(const tci_registry *registry, const tci_registry_code *code,
                            tci_content_id *id_out, tc_error *err)
{
    uint64_t max = registry->options->code_bytes_max;
    if (code->archive_size > max || code->deps_size > max - code->archive_size)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code of %zu bytes, option code_bytes_max is %llu",
                             code->archive_size + code->deps_size, (unsigned long long)max);
    tci_content_id_of(code->archive, code->archive_size, code->deps, code->deps_size, id_out);
    if (code->expected != NULL && !tci_content_id_equal(id_out, code->expected)) {
        char found[TCI_CONTENT_ID_TEXT], wanted[TCI_CONTENT_ID_TEXT];
        tci_content_id_text(id_out, found);
        tci_content_id_text(code->expected, wanted);
        return tci_error_set(err, TC_E_CORRUPT, "code has id %s, expected %s", found, wanted);
    }
    return TC_OK;
}

/* Refuses a library before anything of it is loaded, if this node takes no libraries: a shared
 * object would run at once. */
static tc_status check_kind(const tc_ifunc *fn, const tci_registry_code *code, tc_error *err)
{
    const bool has_module = fn->registry->libraries != NULL;
    if (!code->arrived || !tci_archive_is_library(fn->archive) ||
        (has_module && fn->registry->options->take_libraries))
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED, "library %s: this node takes none (%s)",
                         tci_archive_name(fn->archive),
                         has_module ? "option take_libraries" : "no module libraries");
}

static tc_status open_archive(tc_ifunc *fn, tc_error *err)
{
    return fn->registry->holes != NULL ? fn->registry->holes->open(fn, err)
                                       : tci_archive_open(fn->code + TCI_CODE_SECTION_BYTES,
                                                          fn->archive_size, &fn->archive, err);
}

static tc_status create_function(tci_registry *registry, const tci_registry_code *code,
                                 const tci_content_id *id, tc_ifunc **fn_out, tc_error *err)
{
    tc_ifunc *fn = calloc(1, sizeof *fn);
    if (fn == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "function: out of memory");
    fn->registry = registry;
    fn->id = *id;
    fn->references = 1;
    fn->standing = TCI_STANDING_OPEN;
    tc_status status = copy_code(fn, code, err);
    if (status == TC_OK && registry->trust != NULL)
        status = registry->trust->ops->check_bytes(fn, code, err);
    if (status == TC_OK)
        status = open_archive(fn, err);
    if (status == TC_OK)
        status = check_kind(fn, code, err);
    if (status == TC_OK && registry->trust != NULL)
        status = registry->trust->ops->judge_new(fn, code, err);
    if (status == TC_OK && code->arrived)
        fn->arrived_bytes = fn->code_bytes + tci_archive_content_size(fn->archive);
    if (status == TC_OK)
        status = tci_registry_insert(registry, fn, code->arrived, err);
    if (status != TC_OK) {
        tci_registry_free(fn);
        return status;
    }
    fn->entries = tci_archive_entries(fn->archive);
    fn->alignment = tci_archive_payload_alignment(fn->archive);
    fn->payload_readonly = tci_archive_payload_readonly(fn->archive);
    *fn_out = fn;
    return TC_OK;
}

tc_status tci_registry_add(tci_registry *registry, const tci_registry_code *code,
                           tc_ifunc **fn_out, tc_error *err)
{
    tci_content_id id;
    TC_TRY(check_code(registry, code, &id, err));
    tc_ifunc *known = tci_registry_find(registry, &id);
    if (known == NULL)
        return create_function(registry, code, &id, fn_out, err);
    const tci_symbol_section *rules = tci_registry_rules(known);
    TC_TRY(tci_trust_judge_known(known, code, err));
    /* A function may be running: code that is bound already stays so until it is loaded
     * again. */
    if (tci_registry_rules(known) != rules)
        tci_ifunc_load_forgive(known, true);
    tci_registry_retain(known);
    *fn_out = known;
    return TC_OK;
}
