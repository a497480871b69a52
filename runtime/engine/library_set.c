/* Only the context's thread changes the lists, so it reads them without the lock; loader
 * threads read them, and all threads count holders, under it. */
#include "library_set.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "prototype.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tci_library_set {
    pthread_mutex_t lock;
    tci_library *first; /* in force, in order of arrival */
    tci_library *old;   /* out of force, with holders or about to go */
    size_t count;
    uint64_t changes;
};

tc_status tci_library_set_create(tci_library_set **set_out, tc_error *err)
{
    tci_library_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "libraries: out of memory");
    (void)pthread_mutex_init(&set->lock, NULL);
    *set_out = set;
    return TC_OK;
}

void tci_library_set_destroy(tci_library_set *set)
{
    if (set == NULL)
        return;
    TCI_INVARIANT(library_list, set->first == NULL && set->old == NULL);
    (void)pthread_mutex_destroy(&set->lock);
    free(set);
}

/* --- binding -------------------------------------------------------------------------- */

const char *tci_library_title(const tci_library *library)
{
    return library->title;
}

tci_library *tci_library_set_find(const tci_library_set *set, const char *name)
{
    const size_t skipped = strlen(TCI_LIBRARY_PREFIX);
    tci_library *library = set->first;
    while (library != NULL && strcmp(library->title + skipped, name) != 0)
        library = library->next;
    return library;
}

tci_library *tci_library_set_hold(tci_library_set *set, const char *name)
{
    pthread_mutex_lock(&set->lock);
    tci_library *library = tci_library_set_find(set, name);
    TCI_INVARIANT(library_force, library == NULL || library->in_force);
    if (library != NULL)
        library->holders++;
    pthread_mutex_unlock(&set->lock);
    return library;
}

void tci_library_set_let_go(tci_library_set *set, tci_library *library)
{
    pthread_mutex_lock(&set->lock);
    TCI_INVARIANT_IS(library_holders, library->holders, >, 0);
    library->holders--;
    pthread_mutex_unlock(&set->lock);
}

/* Compares names up to their ends, or, in front of a prototype, of the first one. */
static int compare_start(const char *symbol, bool before_prototype, const char *name)
{
    const size_t length = strlen(symbol);
    const int order = before_prototype ? strncmp(symbol, name, length) : strcmp(symbol, name);
    return order == 0 && before_prototype ? '(' - (unsigned char)name[length] : order;
}

/* Returns the first export in byte order that is not in front of the symbol. */
static size_t lower_bound(const tci_archive *archive, const char *symbol, bool before_prototype)
{
    size_t from = 0, to = tci_archive_export_count(archive);
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare_start(symbol, before_prototype, tci_archive_export(archive, middle).name) <=
            0)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

void *tci_library_find(const tci_library *library, const char *symbol,
                       const char **prototype_out)
{
    const tci_archive *archive = library->archive;
    const size_t count = tci_archive_export_count(archive);
    for (int before = 0; before <= 1; before++) {
        for (size_t at = lower_bound(archive, symbol, before != 0); at < count; at++) {
            const char *name = tci_archive_export(archive, at).name;
            const char *prototype = tci_prototype_of_symbol(name);
            if (compare_start(symbol, before != 0, name) != 0)
                break;
            if (before && prototype != name + strlen(symbol))
                continue; /* another text */
            if (prototype_out != NULL)
                *prototype_out = prototype;
            return library->addresses[at];
        }
    }
    return NULL;
}

/* --- libraries in force ------------------------------------------------------------------- */

tci_library *tci_library_set_first(const tci_library_set *set)
{
    return set->first;
}

static void unlink_from(tci_library **list, tci_library *library)
{
    while (*list != library) {
        TCI_INVARIANT(library_list, *list != NULL);
        list = &(*list)->next;
    }
    *list = library->next;
}

static void take_out_locked(tci_library_set *set, tci_library *library)
{
    TCI_INVARIANT(library_force, library->in_force && set->count > 0);
    unlink_from(&set->first, library);
    library->in_force = false;
    library->next = set->old;
    set->old = library;
    set->count--;
}

tc_status tci_library_set_put(tci_library_set *set, tci_library *library, tc_error *err)
{
    tci_library *before =
        tci_library_set_find(set, library->title + strlen(TCI_LIBRARY_PREFIX));
    if (before == NULL && set->count == TCI_LIBRARIES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%u libraries are there, which is the limit",
                             TCI_LIBRARIES_MAX);
    pthread_mutex_lock(&set->lock);
    if (before != NULL)
        take_out_locked(set, before);
    tci_library **end = &set->first;
    while (*end != NULL)
        end = &(*end)->next;
    *end = library;
    library->next = NULL;
    TCI_INVARIANT(library_force, !library->in_force && set->count < TCI_LIBRARIES_MAX);
    library->in_force = true;
    set->count++;
    library->order = ++set->changes;
    pthread_mutex_unlock(&set->lock);
    return TC_OK;
}

void tci_library_set_take_out(tci_library_set *set, tci_library *library)
{
    pthread_mutex_lock(&set->lock);
    take_out_locked(set, library);
    set->changes++;
    pthread_mutex_unlock(&set->lock);
}

tci_library *tci_library_set_take_unused(tci_library_set *set)
{
    pthread_mutex_lock(&set->lock);
    tci_library *library = set->old;
    while (library != NULL && library->holders > 0)
        library = library->next;
    if (library != NULL)
        unlink_from(&set->old, library);
    pthread_mutex_unlock(&set->lock);
    return library;
}

static tci_library *newer(tci_library *list, tci_library *newest)
{
    for (; list != NULL; list = list->next) {
        if (newest == NULL || list->order > newest->order)
            newest = list;
    }
    return newest;
}

tci_library *tci_library_set_take_newest(tci_library_set *set)
{
    tci_library *newest = newer(set->old, newer(set->first, NULL));
    if (newest != NULL)
        unlink_from(newest->in_force ? &set->first : &set->old, newest);
    return newest;
}

bool tci_library_set_has_old(const tci_library_set *set)
{
    return set->old != NULL;
}

uint64_t tci_library_set_changes(const tci_library_set *set)
{
    return set->changes;
}
