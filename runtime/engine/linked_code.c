/* An object belongs to the engine's module. For an image, this file keeps its variables and
 * names, and its bytes if it may have to be bound again. */
#include "linked_code.h"

#include "archive_layout.h"
#include "base/arch.h"
#include "base/error_text.h"
#include "image/image_loader.h"
#include "image_bundle.h"

#include <stdlib.h>
#include <string.h>

struct tci_linked_code {
    const tci_engine_shared *shared;
    tci_loaded *object; /* NULL: an image, with all of the following */
    tci_code_arena *arena;
    tci_loaded_image *image;
    uint32_t writable;
    uint32_t own_count; /* variables that replacing code may share */
    uint64_t *own;      /* their addresses */
    size_t symbol_count;
    tci_code_symbol *symbols;
    void *bytes; /* the compiled image, to be bound again; NULL: not kept */
    size_t size;
    uint64_t *given; /* addresses of variables of the replaced code */
};

/* --- images ------------------------------------------------------------------------------- */

static tc_status check_variables(const tci_link_request *request,
                                 const tci_image_bundle *bundle, tc_error *err)
{
    bool shares = bundle->level == TCI_LEVEL_OPTIMISED_SHARED;
    bool shows = bundle->level == TCI_LEVEL_BASELINE && bundle->writable != TCI_WRITABLE_FIXED;
    uint32_t base_count = request->base != NULL ? request->base->own_count : 0;
    if (bundle->own_count != (shows ? bundle->writable : 0))
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled image with %u of its %u variables to share",
                             bundle->own_count, bundle->writable);
    if (shares && (request->base == NULL || bundle->writable != base_count))
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled image for code with %u variables, that code has %u",
                             bundle->writable, base_count);
    for (uint32_t i = 0; i < bundle->given_count; i++) {
        if (!shares || bundle->given[i] >= base_count)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "compiled image that uses variable %u of other code, which "
                                 "has %u",
                                 bundle->given[i], shares ? base_count : 0);
    }
    return TC_OK;
}

/* Checks that the image is the requested one. */
static tc_status check_image(const tci_link_request *request, const tci_image_bundle *bundle,
                             const tci_image *image, tc_error *err)
{
    const tci_engine_code *code = request->code;
    if (bundle->level != (uint32_t)code->level)
        return tci_error_set(err, TC_E_CORRUPT, "compiled image of level %u, expected %u",
                             bundle->level, (unsigned)code->level);
    if ((unsigned)image->machine != TCI_ARCH_NUMBER ||
        (image->entries & TCI_ENTRY_PLACES) != (code->entries & TCI_ENTRY_PLACES) ||
        (image->entries & ~(code->entries | TCI_ENTRY_PLACES)) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "compiled image for machine %u with entry bits %u, expected %u "
                             "and %u",
                             (unsigned)image->machine, image->entries,
                             (unsigned)TCI_ARCH_NUMBER, code->entries & TCI_ENTRY_PLACES);
    return check_variables(request, bundle, err);
}

/* Returns the next name; called in ascending order. */
static const char *next_name(void *user, uint32_t index)
{
    const char **next = user;
    const char *name = *next;
    (void)index;
    *next += strlen(name) + 1;
    return name;
}

static tc_status load_bundle(const tci_link_request *request, const tci_image_bundle *bundle,
                             const tci_image *image, tci_linked_code *linked,
                             tci_entries *entries_out, tc_error *err)
{
    const char *names = bundle->names;
    /* bound: TCI_BUNDLE_VARIABLES_MAX */
    linked->given = calloc(bundle->given_count + 1u, sizeof *linked->given);
    if (linked->given == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiled image: out of memory");
    const tci_import_source source = {.given = linked->given,
                                      .given_count = bundle->given_count,
                                      .name = next_name,
                                      .user = &names};
    for (uint32_t i = 0; i < bundle->given_count; i++)
        linked->given[i] = request->base->own[bundle->given[i]];
    TC_TRY(tci_image_loader_place(request->arena, image, &source, request->symbols,
                                  request->code->memory_max, &linked->image, entries_out, err));
    linked->arena = request->arena;
    return TC_OK;
}

static tc_status keep_variables(tci_linked_code *linked, const tci_image_bundle *bundle,
                                tc_error *err)
{
    linked->writable = bundle->writable;
    /* bound: TCI_BUNDLE_VARIABLES_MAX */
    linked->own = calloc(bundle->own_count + 1u, sizeof *linked->own);
    if (linked->own == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiled image: out of memory");
    linked->own_count = bundle->own_count;
    for (uint32_t i = 0; i < bundle->own_count; i++)
        linked->own[i] = tci_image_loader_address(linked->image, bundle->own_places[i]);
    return TC_OK;
}

/* Without memory for names, the code runs unnamed. */
static void keep_names(tci_linked_code *linked, const tci_image_bundle *bundle)
{
    tci_image_piece piece;
    size_t bytes = 0;
    for (size_t at = 0; tci_image_bundle_piece(bundle, &at, &piece);)
        bytes += sizeof *linked->symbols + strlen(piece.name) + 1;
    linked->symbols = malloc(bytes + 1);
    if (linked->symbols == NULL)
        return;
    char *text = (char *)(linked->symbols + bundle->piece_count);
    for (size_t at = 0; tci_image_bundle_piece(bundle, &at, &piece);) {
        size_t size = strlen(piece.name) + 1;
        linked->symbols[linked->symbol_count++] =
            (tci_code_symbol){.name = memcpy(text, piece.name, size),
                              .address = tci_image_loader_address(linked->image, piece.offset),
                              .size = piece.size};
        text += size;
    }
}

static tc_status keep_bytes(tci_linked_code *linked, const void *bytes, size_t size,
                            tc_error *err)
{
    linked->bytes = malloc(size);
    if (linked->bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "compiled image: out of memory");
    memcpy(linked->bytes, bytes, size);
    linked->size = size;
    return TC_OK;
}

static tc_status load_image(const tci_link_request *request, const void *bytes, size_t size,
                            tci_linked_code *linked, tci_entries *entries_out, tc_error *err)
{
    tci_image_bundle bundle;
    tci_image image;
    TC_TRY(tci_image_bundle_open(bytes, size, &bundle, &image, err));
    TC_TRY(check_image(request, &bundle, &image, err));
    TC_TRY(load_bundle(request, &bundle, &image, linked, entries_out, err));
    TC_TRY(keep_variables(linked, &bundle, err));
    keep_names(linked, &bundle);
    return tci_symbols_library(request->symbols, 0) != NULL
               ? keep_bytes(linked, bytes, size, err)
               : TC_OK;
}

tc_status tci_linked_code_rebind(tci_linked_code *linked, tci_symbols *before,
                                 tci_symbols *symbols, tc_error *err)
{
    tci_image_bundle bundle;
    tci_image image;
    if (linked->bytes == NULL)
        return TC_E_AGAIN;
    TC_TRY(tci_image_bundle_open(linked->bytes, linked->size, &bundle, &image, err));
    const char *names[] = {bundle.names, bundle.names};
    const tci_import_source sources[] = {
        {linked->given, bundle.given_count, next_name, &names[0]},
        {linked->given, bundle.given_count, next_name, &names[1]},
    };
    return tci_image_loader_rebind(linked->image, &image, sources, before, symbols, err);
}

static bool is_image(const tci_engine_code *code, const void *bytes, size_t size)
{
    return code->output == TCI_OUTPUT_IMAGE ||
           (code->output == TCI_OUTPUT_EITHER && tci_image_bundle_has_magic(bytes, size));
}

/* --- interface ---------------------------------------------------------------------------- */

tc_status tci_linked_code_make(const tci_link_request *request, const void *bytes, size_t size,
                               tci_linked_code **linked_out, tci_entries *entries_out,
                               tc_error *err)
{
    const tci_engine_shared *shared = request->shared;
    tci_linked_code *linked = calloc(1, sizeof *linked);
    if (linked == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linking: out of memory");
    linked->shared = shared;
    tc_status status;
    if (is_image(request->code, bytes, size))
        status = load_image(request, bytes, size, linked, entries_out, err);
    else
        status = shared->ops->link(shared->engine, request->code, bytes, size,
                                   request->base != NULL ? request->base->object : NULL,
                                   &linked->object, entries_out, err);
    if (status == TC_OK)
        *linked_out = linked;
    else
        tci_linked_code_free(linked);
    return status;
}

tci_code_output tci_linked_code_output(const tci_linked_code *linked)
{
    return linked->object != NULL ? TCI_OUTPUT_OBJECT : TCI_OUTPUT_IMAGE;
}

uint32_t tci_linked_code_writable(const tci_linked_code *linked)
{
    return linked->object != NULL ? linked->shared->ops->writable(linked->object)
                                  : linked->writable;
}

size_t tci_linked_code_memory(const tci_linked_code *linked)
{
    return linked->object != NULL ? linked->shared->ops->memory(linked->object)
                                  : tci_image_loader_memory(linked->image);
}

size_t tci_linked_code_symbols(const tci_linked_code *linked,
                               const tci_code_symbol **symbols_out)
{
    if (linked->object != NULL)
        return linked->shared->ops->symbols(linked->object, symbols_out);
    *symbols_out = linked->symbols;
    return linked->symbol_count;
}

void tci_linked_code_free(tci_linked_code *linked)
{
    if (linked == NULL)
        return;
    if (linked->object != NULL)
        linked->shared->ops->unload(linked->shared->engine, linked->object);
    if (linked->image != NULL)
        tci_image_loader_unload(linked->arena, linked->image);
    free(linked->own);
    free(linked->given);
    free(linked->bytes);
    free(linked->symbols);
    free(linked);
}
