/* Makes the code section of an injected function, once per architecture. */
#include "modules/injected/inject_section.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "image.h"

#include <stdlib.h>

static size_t names_size(const tci_archive *archive, size_t index)
{
    size_t size = 0;
    for (size_t i = 0; i < tci_archive_slice(archive, index)->symbol_count; i++)
        size += strlen(tci_archive_symbol(archive, index, i)) + 1;
    return size;
}

static void write_section(const tc_ifunc *fn, size_t index, size_t rest_size, uint8_t *out)
{
    const tci_slice *slice = tci_archive_slice(fn->archive, index);
    const uint8_t *deps = fn->code + TCI_CODE_SECTION_BYTES + fn->archive_size;
    size_t deps_size = fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size;
    tci_inject_section_encode((uint32_t)slice->size, (uint32_t)rest_size, out);
    out += TCI_INJECT_SECTION_BYTES;
    memcpy(out, tci_archive_slice_bytes(fn->archive, index), slice->size);
    out += slice->size;
    if (deps_size > 0)
        memcpy(out, deps, deps_size);
    out += deps_size;
    *out++ = '\0';
    for (size_t i = 0; i < slice->symbol_count; i++) {
        const char *name = tci_archive_symbol(fn->archive, index, i);
        size_t size = strlen(name) + 1;
        memcpy(out, name, size);
        out += size;
    }
}

/* Injected code is not registered with the unwinder: an exception thrown in it would end the
 * target. */
static tc_status check_throws_nothing(const tci_archive *archive, size_t index, tc_error *err)
{
    const size_t count = tci_archive_slice(archive, index)->symbol_count;
    for (size_t i = 0; i < count; i++) {
        const char *name = tci_archive_symbol(archive, index, i);
        if (strcmp(name, "__gxx_personality_v0") == 0 || strcmp(name, "__cxa_throw") == 0)
            return tci_error_set(
                err, TC_E_UNSUPPORTED,
                "%s: it may throw or catch exceptions, which injected code cannot",
                tci_archive_name(archive));
    }
    return TC_OK;
}

/* Injected code serves one message, so its constructors and destructors would run for each
 * message. Its frame has no space for values of holes. */
static tc_status check_image(const tci_archive *archive, size_t index, tc_error *err)
{
    tci_image image;
    TC_TRY(tci_image_open_slice(archive, index, &image, err));
    if (image.hole_count > 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "%s: it has holes, whose values do not come with injected code; "
                             "tc_send brings them",
                             tci_archive_name(archive));
    if ((image.entries & TCI_ENTRY_LIFE) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_UNSUPPORTED,
                         "%s: it has constructors or destructors, which injected code cannot "
                         "have; tc_send runs them once",
                         tci_archive_name(archive));
}

/* The frame can state the payload's alignment, but not that the payload is read-only. */
static tc_status check_payload(const tc_ifunc *fn, tc_error *err)
{
    if (!fn->payload_readonly)
        return TC_OK;
    return tci_error_set(
        err, TC_E_UNSUPPORTED,
        "%s: it asks for read-only payloads, which injected code does not get; tc_send does",
        tci_archive_name(fn->archive));
}

static tc_status make_section(tc_ifunc *fn, unsigned target, tci_injected_code *code,
                              tc_error *err)
{
    size_t index;
    TC_TRY(check_payload(fn, err));
    TC_TRY(tci_archive_select_image(fn->archive, tci_target_triple(target), TCI_CPU_ANY, &index,
                                    err));
    TC_TRY(check_throws_nothing(fn->archive, index, err));
    TC_TRY(check_image(fn->archive, index, err));
    size_t deps_size = fn->code_bytes - TCI_CODE_SECTION_BYTES - fn->archive_size;
    size_t rest_size = deps_size + 1 + names_size(fn->archive, index);
    size_t size =
        TCI_INJECT_SECTION_BYTES + tci_archive_slice(fn->archive, index)->size + rest_size;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "injected code: out of memory");
    write_section(fn, index, rest_size, bytes);
    *code = (tci_injected_code){.bytes = bytes, .size = size};
    return TC_OK;
}

tc_status tci_inject_section(unsigned target, tci_outgoing *out, tc_error *err)
{
    tc_ifunc *fn = out->fn;
    if (target == TCI_TARGET_TEXT || target > TCI_ARCH_COUNT)
        return tci_error_set(err, TC_E_NO_SLICE,
                             "%s: no images are made for the peer's architecture",
                             tci_archive_name(fn->archive));
    tci_injected_code *code = &fn->injected[target - 1];
    if (code->bytes == NULL)
        TC_TRY(make_section(fn, target, code, err));
    const unsigned doubled = (unsigned)__builtin_ctz(fn->alignment / TCI_PAYLOAD_ALIGNMENT_MIN);
    out->injected = (tci_span){code->bytes, code->size};
    out->flags = (uint8_t)(doubled << TCI_INJECT_ALIGNMENT_SHIFT);
    return TC_OK;
}
