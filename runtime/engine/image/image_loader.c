/* Loading takes four steps: names of imports become addresses, the arena gives a slot, the
 * segments are copied there through its writable view, relocated and filled, and the code's
 * frames are registered with the unwinder. Binding again repeats only the words of imports. */
#include "image_loader.h"

#include "base/arch.h"
#include "base/error_text.h"
#include "engine/name_list.h"
#include "image_holes.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FEW_IMPORTS 64u

#if defined(TCI_ARCH_X86_64)

uint8_t tci_image_cpu_level(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return TCI_CPU_X86_64_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return TCI_CPU_X86_64_V3;
    return __builtin_cpu_supports("x86-64-v2") ? TCI_CPU_X86_64_V2 : TCI_CPU_ANY;
}

#elif defined(TCI_ARCH_AARCH64)

#include <sys/auxv.h>

uint8_t tci_image_cpu_level(void)
{
    unsigned long hwcap = getauxval(AT_HWCAP);
    const unsigned long sve = HWCAP_SVE | HWCAP_FPHP | HWCAP_ASIMDHP;
    if ((hwcap & HWCAP_ATOMICS) == 0)
        return TCI_CPU_ANY;
    return (hwcap & sve) == sve ? TCI_CPU_AARCH64_SVE : TCI_CPU_AARCH64_LSE;
}

#endif

struct tci_loaded_image {
    tci_code_place area;
    tci_image image; /* its bytes are the archive's: only the geometry is used later */
    size_t slice;    /* its index in the archive; SIZE_MAX: not of an archive */
};

static uint8_t *view_of(const tci_image_segment *segment, const tci_image_views *views)
{
    return segment->kind == TCI_IMAGE_DATA ? views->data : views->fixed;
}

void tci_image_relocate_copy(const tci_image *image, const tci_image_views *views)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        uint8_t *memory = view_of(s, views) + s->offset;
        if (s->file_bytes > 0)
            memcpy(memory, s->bytes, s->file_bytes);
        if (s->kind != TCI_IMAGE_DATA && s->memory_bytes > s->file_bytes)
            memset(memory + s->file_bytes, 0, s->memory_bytes - s->file_bytes);
    }
}

static uint64_t value_of(const tci_relocation *relocation, const tci_image *image,
                         uint64_t base, const uint64_t *imports)
{
    uint64_t addend = (uint64_t)(int64_t)relocation->addend;
    switch (relocation->kind) {
    case TCI_RELOCATION_RELATIVE:
        return base + addend;
    case TCI_RELOCATION_WEAK:
        return imports[relocation->import] + addend;
    default:
        return imports[image->weak_count + relocation->import] + addend;
    }
}

/* Offsets ascend, so the segments are walked along with them. */
void tci_image_relocate(const tci_image *image, uint64_t base, const uint64_t *imports,
                        const tci_image_views *views)
{
    const tci_image_segment *s = image->segments;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        while (r.offset >= s->offset + s->memory_bytes)
            s++;
        uint64_t value = value_of(&r, image, base, imports);
        memcpy(view_of(s, views) + r.offset, &value, sizeof value); /* both are little-endian */
    }
}

/* Offsets ascend, so the segments are walked along with them. */
void tci_image_relocate_decode(const tci_image *image, const uint64_t *imports,
                               tci_image_link *out)
{
    const tci_image_segment *s = image->segments;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r); out++) {
        while (r.offset >= s->offset + s->memory_bytes)
            s++;
        *out = (tci_image_link){.value = value_of(&r, image, 0, imports),
                                .offset = r.offset,
                                .is_relative = r.kind == TCI_RELOCATION_RELATIVE,
                                .is_data = s->kind == TCI_IMAGE_DATA};
    }
}

/* --- unwinding ----------------------------------------------------------------------- */

/* The unwinder (libgcc_s), if the system has one. Without it nothing can be thrown through the
 * function, which has no other effect. */
static struct {
    pthread_once_t once;
    void (*add)(void *eh_frame);
    void (*remove)(void *eh_frame);
} unwinder = {.once = PTHREAD_ONCE_INIT};

static void find_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    void *add = dlsym(library, "__register_frame");
    void *remove = dlsym(library, "__deregister_frame");
    if (add == NULL || remove == NULL)
        return;
    unwinder.add = (void (*)(void *))(uintptr_t)add;
    unwinder.remove = (void (*)(void *))(uintptr_t)remove;
}

void tci_image_loader_prepare(void)
{
    pthread_once(&unwinder.once, find_unwinder);
}

static void register_frames(const tci_loaded_image *loaded)
{
    if (loaded->image.eh_frame_bytes == 0)
        return;
    tci_image_loader_prepare();
    if (unwinder.add != NULL)
        unwinder.add(loaded->area.run + loaded->image.eh_frame_place);
}

static void forget_frames(const tci_loaded_image *loaded)
{
    if (loaded->image.eh_frame_bytes > 0 && unwinder.remove != NULL)
        unwinder.remove(loaded->area.run + loaded->image.eh_frame_place);
}

/* --- imports ------------------------------------------------------------------------- */

tc_status tci_image_loader_bind(const tci_image *image, const tci_import_source *source,
                                tci_symbols *symbols, uint64_t *addresses, tc_error *err)
{
    tci_name_list missing = {0};
    uint64_t *strong = addresses + image->weak_count;
    const char *weak = image->weak_names;
    for (uint32_t i = 0; i < image->weak_count; i++) {
        addresses[i] = (uint64_t)(uintptr_t)tci_symbols_resolve_weak(symbols, weak);
        weak += strlen(weak) + 1;
    }
    for (uint32_t i = 0; i < image->symbol_count; i++) {
        if (i < source->given_count) {
            strong[i] = source->given[i];
            continue;
        }
        const char *symbol = source->name(source->user, i - source->given_count);
        if (symbol == NULL)
            return tci_error_set(err, TC_E_CORRUPT, "%u names, its image uses %u", i,
                                 image->symbol_count);
        strong[i] = (uint64_t)(uintptr_t)tci_symbols_resolve(symbols, symbol);
        if (strong[i] == 0)
            tci_name_list_add(&missing, symbol);
    }
    if (missing.count == 0)
        return TC_OK;
    tci_error_fill(err, TC_E_UNRESOLVED, "no library here defines: %s",
                   tci_name_list_finish(&missing));
    return tci_symbols_explain(symbols, TC_E_UNRESOLVED, err);
}

typedef struct slice_names {
    const tci_archive *archive;
    size_t index;
} slice_names;

/* Opening the slice has checked that the name exists. */
static const char *slice_name(void *user, uint32_t index)
{
    const slice_names *names = user;
    return tci_archive_symbol(names->archive, names->index, index);
}

/* --- loading ------------------------------------------------------------------------- */

static tci_entries entries_at(const tci_image *image, uint8_t *run)
{
    tci_entries entries = {
        .main = (void (*)(void *, size_t, void *))(uintptr_t)(run + image->main_place)};
    if (image->entries & TCI_ENTRY_MAX_SIZE)
        entries.max_size = (size_t(*)(void *, size_t))(uintptr_t)(run + image->max_size_place);
    if (image->entries & TCI_ENTRY_INIT)
        entries.init =
            (int (*)(void *, size_t, void *, size_t))(uintptr_t)(run + image->init_place);
    if (image->entries & TCI_ENTRY_LIFE)
        entries.life = (int (*)(char *, size_t))(uintptr_t)(run + image->life_place);
    return entries;
}

/* Sorts the entries by their offsets. Returns their number. */
static size_t sort_entries(const tci_image *image, const char *name, tci_image_names *names,
                           tci_code_symbol out[TCI_IMAGE_ENTRIES])
{
    static const unsigned bits[] = {TCI_ENTRY_MAIN, TCI_ENTRY_MAX_SIZE, TCI_ENTRY_INIT,
                                    TCI_ENTRY_LIFE};
    const char *const suffixes[] = {
        "_main",
        image->entries & TCI_ENTRY_ORIGINAL ? "_payload_bound" : "_payload_get_max_size",
        "_payload_init", TCI_LIFE_SUFFIX};
    const uint32_t places[] = {image->main_place, image->max_size_place, image->init_place,
                               image->life_place};
    size_t count = 0;
    for (unsigned i = 0; i < TCI_IMAGE_ENTRIES; i++) {
        size_t at = count;
        if ((image->entries & bits[i]) == 0)
            continue;
        (void)snprintf(names->entries[i], sizeof names->entries[i], "%s%s", name, suffixes[i]);
        for (; at > 0 && out[at - 1].address > places[i]; at--)
            out[at] = out[at - 1];
        out[at] = (tci_code_symbol){.name = names->entries[i], .address = places[i]};
        count++;
    }
    return count;
}

static void add_piece(tci_image_names *names, const char *name, const uint8_t *run,
                      uintptr_t begin, uintptr_t end)
{
    if (begin < end)
        names->symbols[names->count++] = (tci_code_symbol){
            .name = name, .address = (uintptr_t)run + begin, .size = end - begin};
}

void tci_image_loader_names(const tci_loaded_image *loaded, const char *name,
                            tci_image_names *names_out)
{
    const tci_image *image = &loaded->image;
    tci_code_symbol entries[TCI_IMAGE_ENTRIES];
    size_t entry_count = sort_entries(image, name, names_out, entries), next = 0;
    names_out->count = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const tci_image_segment *s = &image->segments[i];
        const char *piece = name;
        uintptr_t begin = s->offset, end = begin + s->memory_bytes;
        if (s->kind != TCI_IMAGE_CODE)
            continue;
        for (; next < entry_count && entries[next].address < end; next++) {
            add_piece(names_out, piece, loaded->area.run, begin, entries[next].address);
            piece = entries[next].name;
            begin = entries[next].address;
        }
        add_piece(names_out, piece, loaded->area.run, begin, end);
    }
}

static size_t memory_of(const tci_image *image)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 0;
    for (uint32_t i = 0; i < image->segment_count; i++)
        bytes += (image->segments[i].memory_bytes + page - 1) / page * page;
    return bytes;
}

/* Holes lie in segments that nothing writes to once they are protected. */
static void write_values(const tci_image *image, const tci_image_views *views)
{
    for (uint32_t i = 0; i < image->hole_count; i++)
        memcpy(views->fixed + image->holes[i].place, image->values->items[i].bytes,
               image->holes[i].bytes);
}

static tc_status place_bound(tci_code_arena *arena, const tci_image *image,
                             const uint64_t *imports, tci_loaded_image **loaded_out,
                             tc_error *err)
{
    tci_loaded_image *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    loaded->image = *image;
    loaded->slice = SIZE_MAX;
    tc_status status = tci_code_arena_take(arena, image, &loaded->area, err);
    if (status != TC_OK) {
        free(loaded);
        return status;
    }
    const tci_image_views views = {.fixed = loaded->area.write, .data = loaded->area.run};
    tci_image_relocate_copy(image, &views);
    tci_image_relocate(image, (uint64_t)(uintptr_t)loaded->area.run, imports, &views);
    write_values(image, &views);
    loaded->image.values = NULL; /* they may leave before the code does */
    tci_code_arena_written(&loaded->area, image);
    register_frames(loaded);
    *loaded_out = loaded;
    return TC_OK;
}

tc_status tci_image_loader_place(tci_code_arena *arena, const tci_image *image,
                                 const tci_import_source *source, tci_symbols *symbols,
                                 uint64_t memory_max, tci_loaded_image **loaded_out,
                                 tci_entries *entries_out, tc_error *err)
{
    uint64_t few[FEW_IMPORTS];
    uint64_t *imports = few;
    size_t count = (size_t)image->weak_count + image->symbol_count;
    TC_TRY(tci_image_holes_check_filled(image, err));
    if (memory_max > 0 && memory_of(image) > memory_max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "code and data take %zu bytes, option code_memory_max is %llu",
                             memory_of(image), (unsigned long long)memory_max);
    /* bound: TCI_IMAGE_IMPORTS_MAX */
    if (count > FEW_IMPORTS && (imports = calloc(count, sizeof *imports)) == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    tc_status status = tci_image_loader_bind(image, source, symbols, imports, err);
    if (status == TC_OK)
        status = place_bound(arena, image, imports, loaded_out, err);
    if (status == TC_OK)
        *entries_out = entries_at(image, (*loaded_out)->area.run);
    if (imports != few)
        free(imports);
    return status;
}

tc_status tci_image_loader_load(tci_code_arena *arena, const tci_archive *archive, size_t index,
                                tci_symbols *symbols, uint64_t memory_max,
                                tci_loaded_image **loaded_out, tci_entries *entries_out,
                                tc_error *err)
{
    tci_image image;
    slice_names names = {.archive = archive, .index = index};
    const tci_import_source source = {.name = slice_name, .user = &names};
    TC_TRY(tci_image_open_slice(archive, index, &image, err));
    TC_TRY(tci_image_loader_place(arena, &image, &source, symbols, memory_max, loaded_out,
                                  entries_out, err));
    (*loaded_out)->slice = index;
    return TC_OK;
}

/* --- binding again ----------------------------------------------------------------------- */

static uint64_t *word_of(const tci_image_segment *s, uint32_t offset,
                         const tci_image_views *views)
{
    return (uint64_t *)(void *)(view_of(s, views) + offset);
}

/* Fills in the imports again. A variable that the function has given another value keeps it. */
static void refill(const tci_image *image, const uint64_t *before, const uint64_t *imports,
                   const tci_image_views *views)
{
    const tci_image_segment *s = image->segments;
    tci_image_iterator it = tci_image_iterator_begin(image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);) {
        while (r.offset >= s->offset + s->memory_bytes)
            s++;
        if (r.kind == TCI_RELOCATION_RELATIVE)
            continue;
        const uint64_t old = value_of(&r, image, 0, before);
        uint64_t *word = word_of(s, r.offset, views);
        if (s->kind != TCI_IMAGE_DATA || *word == old)
            *word = value_of(&r, image, 0, imports);
    }
}

tc_status tci_image_loader_rebind(tci_loaded_image *loaded, const tci_image *image,
                                  const tci_import_source sources[2], tci_symbols *before,
                                  tci_symbols *symbols, tc_error *err)
{
    const size_t count = (size_t)image->weak_count + image->symbol_count;
    const tci_image_views views = {.fixed = loaded->area.write, .data = loaded->area.run};
    /* bound: TCI_IMAGE_IMPORTS_MAX */
    uint64_t *imports = calloc(2 * count + 1, sizeof *imports);
    if (imports == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "image: out of memory");
    tc_status status = tci_image_loader_bind(image, &sources[0], before, imports, err);
    if (status == TC_OK)
        status = tci_image_loader_bind(image, &sources[1], symbols, imports + count, err);
    if (status == TC_OK)
        refill(image, imports, imports + count, &views);
    free(imports);
    return status;
}

tc_status tci_image_loader_rebind_slice(tci_loaded_image *loaded, const tci_archive *archive,
                                        tci_symbols *before, tci_symbols *symbols,
                                        tc_error *err)
{
    tci_image image;
    slice_names names[] = {{archive, loaded->slice}, {archive, loaded->slice}};
    const tci_import_source sources[] = {{.name = slice_name, .user = &names[0]},
                                         {.name = slice_name, .user = &names[1]}};
    TC_TRY(tci_image_open_slice(archive, loaded->slice, &image, err));
    return tci_image_loader_rebind(loaded, &image, sources, before, symbols, err);
}

void tci_image_loader_unload(tci_code_arena *arena, tci_loaded_image *loaded)
{
    forget_frames(loaded);
    tci_code_arena_give_back(arena, &loaded->area, &loaded->image);
    free(loaded);
}

uintptr_t tci_image_loader_address(const tci_loaded_image *loaded, uint32_t offset)
{
    return (uintptr_t)loaded->area.run + offset;
}

size_t tci_image_loader_memory(const tci_loaded_image *loaded)
{
    return memory_of(&loaded->image);
}

bool tci_image_loader_has_data(const tci_loaded_image *loaded)
{
    for (uint32_t i = 0; i < loaded->image.segment_count; i++) {
        if (loaded->image.segments[i].kind == TCI_IMAGE_DATA)
            return true;
    }
    return false;
}
