/* The object cache for people: include/tc/cache.h. It reads with the functions of the cache
 * itself, and so trusts no more than the cache does. */
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "engine/cache/cache_file.h"
#include "engine/cache/cache_folder.h"
#include "engine/engine_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/cache.h>
#include <unistd.h>

#define TEXT_MAX 1024 /* shown of each text */
#define LEVEL_MAX 16

_Static_assert(TC_CACHE_FOLDER_MAX >= TCI_CACHE_FOLDER_MAX, "a folder's path fits");

typedef struct cache_view {
    int folder; /* -1: no cache, or not created yet */
    tci_cache_file *files;
    size_t count;
    tc_cache_totals totals;
} cache_view;

static tc_status open_folder(const struct tc_options *opts, cache_view *view, tc_error *err)
{
    tc_error why = {.status = TC_OK};
    tc_cache_totals *totals = &view->totals;
    totals->bytes_max = opts->cache_max;
    tc_status status = tci_cache_folder_path(opts->cache_dir, totals->folder, &why);
    if (status == TC_OK)
        status =
            tci_cache_folder_open(opts->cache_dir, totals->folder, false, &view->folder, &why);
    if (status == TC_OK)
        return tci_cache_files_list(view->folder, &view->files, &view->count, err);
    if (status == TC_E_UNSUPPORTED)
        totals->folder[0] = '\0';
    else if (status != TC_E_NOT_FOUND)
        return tci_error_set(err, status, "object cache: %s", why.text);
    return TC_OK;
}

static tc_status open_view(const tc_options *opts, cache_view *view, tc_error *err)
{
    tc_options *from_environment = NULL;
    *view = (cache_view){.folder = -1};
    if (opts == NULL)
        TC_TRY(tc_options_create(&from_environment, err));
    tc_status status = open_folder(opts != NULL ? opts : from_environment, view, err);
    tc_options_destroy(from_environment);
    if (status != TC_OK && view->folder >= 0)
        (void)close(view->folder);
    return status;
}

static void close_view(cache_view *view)
{
    free(view->files);
    if (view->folder >= 0)
        (void)close(view->folder);
}

/* Another program may have written the file: its text must not harm a terminal or a parser. */
static const char *printable(const char *text, char out[TEXT_MAX])
{
    size_t at = 0;
    for (; text[at] != '\0' && at < TEXT_MAX - 1; at++)
        out[at] = text[at] >= ' ' && text[at] <= '~' ? text[at] : '?';
    out[at] = '\0';
    return out;
}

static const char *level_text(uint32_t level, char out[LEVEL_MAX])
{
    switch (level) {
    case TCI_LEVEL_BASELINE:
        return "quick";
    case TCI_LEVEL_OPTIMISED:
        return "best";
    case TCI_LEVEL_OPTIMISED_SHARED:
        return "best-over";
    default:
        (void)snprintf(out, LEVEL_MAX, "%u", level);
        return out;
    }
}

static void show_entry(const tci_cache_entry *entry, const tci_cache_file *file,
                       tc_cache_visit visit, void *user)
{
    char id[TCI_CONTENT_ID_TEXT], level[LEVEL_MAX];
    char name[TEXT_MAX], cpu[TEXT_MAX], llvm[TEXT_MAX], features[TEXT_MAX];
    tci_content_id_text(&entry->key.id, id);
    const tc_cache_entry shown = {.name = printable(entry->name, name),
                                  .id = id,
                                  .level = level_text(entry->key.level, level),
                                  .slice = entry->key.slice,
                                  .cpu = printable(entry->key.cpu, cpu),
                                  .features = printable(entry->key.features, features),
                                  .llvm = printable(entry->key.llvm, llvm),
                                  .bytes = file->bytes,
                                  .used_s = file->used.tv_sec};
    visit(user, &shown);
}

/* An entry must have the file name of its key, or the cache never finds it. */
static bool is_entry(const tci_cache_file *file, const void *bytes, size_t size,
                     tci_cache_entry *entry_out)
{
    char name[TCI_CACHE_FILE_NAME];
    if (tci_cache_entry_decode(bytes, size, NULL, entry_out, NULL) != TC_OK)
        return false;
    if (entry_out->key.seal.wanted)
        return true; /* its name depends on the code's digest, unknown here */
    tci_cache_entry_file_name(&entry_out->key, name);
    return strcmp(name, file->name) == 0;
}

/* Running out of memory is an error; everything else is a property of the file. */
static tc_status look_at(cache_view *view, const tci_cache_file *file, tc_cache_visit visit,
                         void *user, tc_error *err)
{
    void *bytes = NULL;
    size_t size;
    struct timespec used;
    tci_cache_entry entry;
    tc_status status = TC_E_NOT_FOUND;
    view->totals.bytes += file->bytes;
    if (!file->temporary)
        status = tci_cache_file_read(view->folder, file->name, &bytes, &size, &used, NULL);
    if (status == TC_E_NO_MEMORY)
        return tci_error_set(err, status, "object cache: out of memory");
    if (status == TC_OK && is_entry(file, bytes, size, &entry)) {
        view->totals.entries++;
        if (visit != NULL)
            show_entry(&entry, file, visit, user);
    } else {
        view->totals.others++;
    }
    free(bytes);
    return TC_OK;
}

tc_status tc_cache_list_sized(const tc_options *opts, tc_cache_visit visit, void *user,
                              tc_cache_totals *totals_out, size_t totals_size, tc_error *err)
{
    cache_view view;
    tc_status status = open_view(opts, &view, err);
    if (status != TC_OK)
        return status;
    for (size_t i = view.count; i-- > 0 && status == TC_OK;)
        status = look_at(&view, &view.files[i], visit, user, err);
    close_view(&view);
    if (status == TC_OK)
        tci_sized_struct_fill(totals_out, totals_size, &view.totals, sizeof view.totals);
    return status;
}

tc_status tc_cache_clear_sized(const tc_options *opts, tc_cache_totals *removed_out,
                               size_t removed_size, tc_error *err)
{
    cache_view view;
    size_t left = 0;
    tc_status status = open_view(opts, &view, err);
    if (status != TC_OK)
        return status;
    for (size_t i = 0; i < view.count; i++) {
        const tci_cache_file *file = &view.files[i];
        bool removed = tci_cache_file_remove(view.folder, file->name);
        left += !removed;
        view.totals.bytes += removed ? file->bytes : 0;
        view.totals.entries += removed && !file->temporary;
        view.totals.others += removed && file->temporary;
    }
    close_view(&view);
    if (left > 0)
        return tci_error_set(err, TC_E_IO,
                             "object cache: %zu of %zu files in %s cannot be "
                             "deleted",
                             left, view.count, view.totals.folder);
    tci_sized_struct_fill(removed_out, removed_size, &view.totals, sizeof view.totals);
    return TC_OK;
}
