/* Code that comes with each of its messages. `last` is the code of the last message, bound and
 * with its relocations decoded: a message with equal bytes needs no check and no lookup, and
 * its image is copied to the next of PLACES slots in turn. Of a small image some slots are
 * written before their messages come, while the caller has nothing else to do. */
#include "engine/injector.h"

#include "base/arch.h"
#include "base/assertion.h"
#include "base/error_text.h"
#include "code_arena.h"
#include "image_loader.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 16u            /* as many as the arena makes at once */
#define AHEAD 4u              /* slots that are written before their messages come */
#define MEMORY_MAX (1u << 20) /* of an image, since it is loaded PLACES times */
#define EXPECTED_MAX 4096u    /* bytes of an image that is written ahead */

struct tci_injector {
    tci_code_arena *arena;
    bool takes_images;
    tci_symbol_scope scope;

    uint8_t *last; /* bytes of the last message's code, or NULL */
    size_t image_size;
    size_t rest_size;
    tci_image image;       /* of `last` */
    tci_symbols *symbols;  /* of `last` */
    uint64_t *imports;     /* addresses of the imports: weak names, then symbols */
    tci_image_link *links; /* its relocations, decoded */
    bool is_shared;        /* some symbols are of libraries that came by messages */
    uint64_t changes;      /* count of changes of those libraries then */

    tci_code_place places[PLACES];
    tci_image shape; /* the image that they were taken for: its bytes may be gone */
    unsigned place_count;
    unsigned next;
    bool is_small;  /* `last` is small enough to be written ahead */
    unsigned ahead; /* number of the next slots that `last` is written to */
};

tc_status tci_injector_create(tci_code_arena *arena, bool takes_images,
                              const tci_symbol_scope *scope, tci_injector **injector_out,
                              tc_error *err)
{
    tci_injector *injector = calloc(1, sizeof *injector);
    if (injector == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "injector: out of memory");
    injector->arena = arena;
    injector->takes_images = takes_images;
    injector->scope = *scope;
    *injector_out = injector;
    return TC_OK;
}

static void forget_last(tci_injector *injector)
{
    injector->ahead = 0;
    tci_symbols_destroy(injector->symbols);
    free(injector->imports);
    free(injector->links);
    free(injector->last);
    injector->symbols = NULL;
    injector->imports = NULL;
    injector->links = NULL;
    injector->last = NULL;
}

static void give_places_back(tci_injector *injector)
{
    while (injector->place_count > 0)
        tci_code_arena_give_back(injector->arena, &injector->places[--injector->place_count],
                                 &injector->shape);
}

void tci_injector_destroy(tci_injector *injector)
{
    if (injector == NULL)
        return;
    give_places_back(injector);
    forget_last(injector);
    free(injector);
}

/* --- a message with new code --------------------------------------------------------- */

typedef struct text_iterator {
    const char *at;
    const char *end;
} text_iterator;

/* Returns the next zero-terminated text, or NULL at the end. */
static const char *next_text(text_iterator *it)
{
    const char *text = it->at;
    const char *zero = text < it->end ? memchr(text, '\0', (size_t)(it->end - text)) : NULL;
    if (zero == NULL)
        return NULL;
    it->at = zero + 1;
    return text;
}

static const char *next_name(void *user, uint32_t index)
{
    (void)index;
    return next_text(user);
}

static tc_status bind(tci_injector *injector, text_iterator *names, tc_error *err)
{
    const tci_image *image = &injector->image;
    injector->imports =
        /* bound: TCI_IMAGE_IMPORTS_MAX */
        calloc((size_t)image->weak_count + image->symbol_count + 1, sizeof(uint64_t));
    /* bound: TCI_IMAGE_RELOCATIONS_MAX */
    injector->links = calloc((size_t)image->relocation_count + 1, sizeof *injector->links);
    if (injector->imports == NULL || injector->links == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "injected code: out of memory");
    const tci_import_source source = {.name = next_name, .user = names};
    tc_status status =
        tci_image_loader_bind(image, &source, injector->symbols, injector->imports, err);
    if (status != TC_OK)
        tci_error_prefix(err, "injected code");
    else
        tci_image_relocate_decode(image, injector->imports, injector->links);
    return status;
}

/* Releases the libraries: no other code runs while a message does, so no library has to stay
 * for it. For the next message of the same code, names may refer to other libraries. */
static void keep_nothing(tci_injector *injector)
{
    injector->is_shared = tci_symbols_library(injector->symbols, 0) != NULL;
    if (!injector->is_shared)
        return;
    injector->changes = tci_library_set_changes(injector->scope.libraries);
    tci_symbols_let_go(injector->symbols);
}

static bool is_bound(const tci_injector *injector)
{
    return !injector->is_shared ||
           injector->changes == tci_library_set_changes(injector->scope.libraries);
}

static tc_status validate(tci_injector *injector, tc_error *err)
{
    const tci_image_machine own = (tci_image_machine)TCI_ARCH_NUMBER;
    const char *rest = (const char *)injector->last + injector->image_size;
    text_iterator texts = {.at = rest, .end = rest + injector->rest_size};
    TC_TRY(tci_image_open(injector->last, injector->image_size, &injector->image, err));
    if (injector->image.machine != own)
        return tci_error_set(err, TC_E_NO_SLICE,
                             "injected code: for machine %u, this one is %u",
                             (unsigned)injector->image.machine, (unsigned)own);
    if (injector->image.memory_bytes > MEMORY_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "injected code: %u bytes of memory, at most %u",
                             injector->image.memory_bytes, MEMORY_MAX);
    if ((injector->image.entries & TCI_ENTRY_LIFE) != 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "injected code: it has constructors or destructors, which are for "
                             "code that stays; send it by tc_send");
    if (injector->image.hole_count > 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "injected code: it has holes, whose values do not come with it; "
                             "send it by tc_send");
    const char *deps = next_text(&texts);
    if (deps == NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "injected code: no list of libraries in %zu bytes",
                             injector->rest_size);
    TC_TRY(tci_symbols_create(deps, strlen(deps), &injector->scope, &injector->symbols, err));
    TC_TRY(bind(injector, &texts, err));
    keep_nothing(injector);
    return TC_OK;
}

/* Returns whether both have the same segments in the same pages, so that slots stay usable. */
static bool same_shape(const tci_image *a, const tci_image *b)
{
    if (a->segment_count != b->segment_count || a->memory_bytes != b->memory_bytes)
        return false;
    for (uint32_t i = 0; i < a->segment_count; i++) {
        const tci_image_segment *s = &a->segments[i], *t = &b->segments[i];
        if (s->offset != t->offset || s->memory_bytes != t->memory_bytes || s->kind != t->kind)
            return false;
    }
    return true;
}

/* Takes all slots, or fails and keeps no slot. */
static tc_status take_places(tci_injector *injector, tc_error *err)
{
    tc_status status = TC_OK;
    if (injector->place_count == PLACES && same_shape(&injector->shape, &injector->image))
        return TC_OK;
    give_places_back(injector);
    injector->shape = injector->image;
    injector->next = 0;
    while (status == TC_OK && injector->place_count < PLACES) {
        status = tci_code_arena_take(injector->arena, &injector->image,
                                     &injector->places[injector->place_count], err);
        injector->place_count += status == TC_OK;
    }
    TCI_INVARIANT(inject_places, status != TC_OK || injector->place_count == PLACES);
    if (status != TC_OK)
        give_places_back(injector);
    return status;
}

static bool is_small(const tci_image *image)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < image->segment_count; i++)
        bytes += image->segments[i].memory_bytes;
    return bytes <= EXPECTED_MAX;
}

static tc_status learn(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                       size_t rest_size, tc_error *err)
{
    forget_last(injector);
    injector->last = malloc(image_size + rest_size + 1);
    if (injector->last == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "injected code: out of memory");
    memcpy(injector->last, bytes, image_size + rest_size);
    injector->image_size = image_size;
    injector->rest_size = rest_size;
    tc_status status = validate(injector, err);
    if (status == TC_OK)
        status = take_places(injector, err);
    if (status != TC_OK)
        forget_last(injector);
    else
        injector->is_small = is_small(&injector->image);
    return status;
}

/* --- every message ------------------------------------------------------------------- */

static void clear_data(const tci_image *image, uint8_t *run)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        if (s->kind == TCI_IMAGE_DATA)
            memset(run + s->offset, 0, s->memory_bytes);
    }
}

static void write_place(const tci_injector *injector, const tci_code_place *area)
{
    const tci_image *image = &injector->image;
    const tci_image_views views = {.fixed = area->write, .data = area->run};
    clear_data(image, area->run);
    tci_image_relocate_copy(image, &views);
    tci_image_relocate_links(injector->links, image->relocation_count,
                             (uint64_t)(uintptr_t)area->run, &views);
    tci_code_arena_written(area, image);
}

static const tci_code_place *place_at(const tci_injector *injector, unsigned ahead)
{
    return &injector->places[(injector->next + ahead) % PLACES];
}

void tci_injector_get_ahead(tci_injector *injector)
{
    while (injector->last != NULL && injector->is_small && injector->ahead < AHEAD)
        write_place(injector, place_at(injector, injector->ahead++));
    TCI_INVARIANT_IS(inject_ahead, injector->ahead, <=, AHEAD);
}

void tci_injector_expect(tci_injector *injector)
{
    if (injector->ahead == 0)
        tci_injector_get_ahead(injector);
}

tc_status tci_injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                             size_t rest_size, void (**main_out)(void *, size_t, void *),
                             tc_error *err)
{
    if (!injector->takes_images)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "injected code: this process takes bitcode only (option form)");
    bool known = injector->last != NULL && injector->image_size == image_size &&
                 injector->rest_size == rest_size &&
                 memcmp(injector->last, bytes, image_size + rest_size) == 0 &&
                 is_bound(injector);
    if (!known)
        TC_TRY(learn(injector, bytes, image_size, rest_size, err));
    TCI_INVARIANT(inject_places, injector->last != NULL && injector->place_count == PLACES);
    TCI_INVARIANT_IS(inject_ahead, injector->ahead, <=, AHEAD);
    const tci_code_place *area = place_at(injector, 0);
    injector->next++;
    if (injector->ahead == 0)
        write_place(injector, area);
    else
        injector->ahead--;
    *main_out =
        (void (*)(void *, size_t, void *))(uintptr_t)(area->run + injector->image.main_place);
    return TC_OK;
}
