/* Libraries use one another, so a replaced library stays in memory while a library that is in
 * force uses it, directly or through others. Functions are bound again at once (follow). */
#include "libraries.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "engine/code_unit_table.h"
#include "ifunc/ifunc_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table that a library's main returns: docs/archive-format.md. */
enum { AT_INIT, AT_FINI, ENTRIES };

typedef struct arrived {
    tci_library library;
    void *const *table;
    bool is_own; /* the program put it in force: no peer owns it */
    char owner[TCI_LIBRARY_OWNER_MAX];
} arrived;

static _Thread_local const tci_library *older;

void *tci_libraries_older(const char *symbol)
{
    return older != NULL ? tci_library_find(older, symbol, NULL) : NULL;
}

tc_ifunc *tci_libraries_function(const tci_library *library)
{
    return library->owner;
}

const char *tci_libraries_owner(const tci_library *library)
{
    return ((const arrived *)(const void *)library)->owner;
}

static const char *name_of(const tc_ifunc *fn)
{
    return tci_archive_name(fn->archive);
}

static tci_library_set *set_of(const tc_ifunc *fn)
{
    return fn->registry->scope.libraries;
}

/* --- users of libraries ------------------------------------------------------------------ */

static bool uses(const tc_ifunc *fn, const tci_library *library)
{
    const tci_library *used;
    if (fn->unit == NULL)
        return false;
    const tci_symbols *symbols = tci_code_unit_symbols(fn->unit);
    for (size_t i = 0; (used = tci_symbols_library(symbols, i)) != NULL; i++) {
        if (used == library)
            return true;
    }
    return false;
}

void tci_libraries_count_users(const tci_registry *registry, const tci_library *library,
                               uint64_t *functions_out, uint64_t *libraries_out)
{
    *functions_out = 0;
    *libraries_out = 0;
    for (size_t i = 0; i < registry->capacity; i++) {
        const tc_ifunc *fn = registry->table[i];
        if (fn != NULL && uses(fn, library))
            ++*(tci_archive_is_library(fn->archive) ? libraries_out : functions_out);
    }
}

/* Returns a library that uses this one and is in force or used itself; NULL if there is no
 * such. */
static tc_ifunc *find_dependent(const tci_registry *registry, const tci_library *library)
{
    for (size_t i = 0; i < registry->capacity; i++) {
        tc_ifunc *fn = registry->table[i];
        if (fn != NULL && fn->library != NULL && uses(fn, library))
            return fn;
    }
    return NULL;
}

/* Numbers a search, so that it checks each library once: `seen` is the number of its last
 * search. */
static uint64_t next_round(void)
{
    static _Thread_local uint64_t rounds;
    return ++rounds;
}

/* Returns whether libraries use one that is out of force, and not only functions that are about
 * to be bound again. A library counts if it is in force, or kept itself. */
static bool is_kept(const tci_registry *registry, tci_library *library, uint64_t round)
{
    library->seen = round;
    for (size_t i = 0; i < registry->capacity; i++) {
        const tc_ifunc *fn = registry->table[i];
        tci_library *user = fn != NULL ? fn->library : NULL;
        if (user == NULL || user->seen == round || !uses(fn, library))
            continue;
        if (user->in_force || is_kept(registry, user, round))
            return true;
    }
    return false;
}

/* Returns whether a chain of uses leads to `title`. Skips libraries that were searched in this
 * `round`. */
static bool leads_to(tci_library *library, const char *title, uint64_t round, char *path,
                     size_t capacity)
{
    tci_library *used;
    const size_t length = strlen(path);
    (void)snprintf(path + length, capacity - length, " uses %s", library->title);
    if (strcmp(library->title, title) == 0)
        return true;
    const tc_ifunc *fn = library->owner;
    const tci_symbols *symbols = tci_code_unit_symbols(fn->unit);
    for (size_t i = 0; (used = tci_symbols_library(symbols, i)) != NULL; i++) {
        if (used->seen == round)
            continue;
        used->seen = round;
        if (leads_to(used, title, round, path, capacity))
            return true;
    }
    path[length] = '\0';
    return false;
}

static tc_status check_circle(const tc_ifunc *fn, const char *title, tc_error *err)
{
    const uint64_t round = next_round();
    tci_library *used;
    char path[700];
    const tci_symbols *symbols = tci_code_unit_symbols(fn->unit);
    (void)snprintf(path, sizeof path, "%s", title);
    for (size_t i = 0; (used = tci_symbols_library(symbols, i)) != NULL; i++) {
        if (leads_to(used, title, round, path, sizeof path))
            return tci_error_set(err, TC_E_INVALID, "%s: a circle of libraries: %s",
                                 name_of(fn), path);
    }
    return TC_OK;
}

/* --- binding again ------------------------------------------------------------------------ */

/* Binds a function again, or forgets a failure for lack of a name, so that it is loaded at the
 * next request. */
static void look_again(tc_ifunc *fn)
{
    const tc_status failure = fn->state == TCI_LOAD_FAILED ? fn->load_error->status : TC_OK;
    const bool is_old =
        fn->unit != NULL && tci_symbols_are_old(tci_code_unit_symbols(fn->unit));
    if (failure == TC_E_ABSENT || failure == TC_E_UNRESOLVED || failure == TC_E_VERSION)
        tci_ifunc_load_forgive(fn, true);
    else if (is_old && fn->library == NULL)
        tci_ifunc_load_rebind(fn);
}

static void bind_all_anew(tci_registry *registry)
{
    for (size_t i = 0; i < registry->capacity; i++) {
        if (registry->table[i] != NULL)
            look_again(registry->table[i]);
    }
}

/* --- the end ------------------------------------------------------------------------------ */

static void close_slots(tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    if (registry->events != NULL)
        registry->events->evict(registry->events_user, fn);
}

static void unload(tc_ifunc *fn)
{
    tci_registry_retain(fn);
    close_slots(fn);
    tci_ifunc_load_undo(fn);
    tci_registry_release(fn);
}

/* Closes the slots of libraries out of force. Libraries use these, or a loader's thread has
 * just bound code to them, so a caller has to check first which it is
 * (tci_libraries_is_leaving). */
static void close_those_out_of_force(const tci_registry *registry)
{
    for (size_t i = 0; i < registry->capacity; i++) {
        tc_ifunc *fn = registry->table[i];
        if (fn != NULL && fn->library != NULL && !fn->library->in_force)
            close_slots(fn);
    }
}

/* Follows a change of the libraries in force. */
static void follow(tci_registry *registry)
{
    bind_all_anew(registry);
    tci_libraries_collect(registry);
    if (tci_library_set_has_old(registry->scope.libraries))
        close_those_out_of_force(registry);
}

static void end_library(tci_library *library)
{
    arrived *a = (arrived *)(void *)library;
    tc_ifunc *fn = library->owner;
    if (a->table[AT_FINI] != NULL)
        ((void (*)(void))(uintptr_t)a->table[AT_FINI])();
    TC_LOG(TC_LOG_DEBUG, "library %s has ended", name_of(fn));
    TCI_INVARIANT(library_owner, fn->library == library);
    TCI_INVARIANT_IS(library_holders, library->holders, ==, 0);
    fn->library = NULL;
    unload(fn);
    tci_registry_release(fn);
    free(a);
}

void tci_libraries_collect(tci_registry *registry)
{
    tci_library *library;
    if (!tci_library_set_has_old(registry->scope.libraries))
        return;
    if ((library = tci_library_set_take_unused(registry->scope.libraries)) == NULL)
        return;
    do
        end_library(library);
    while ((library = tci_library_set_take_unused(registry->scope.libraries)) != NULL);
    close_those_out_of_force(registry); /* which the ended ones may have used */
}

bool tci_libraries_is_leaving(const tc_ifunc *fn)
{
    return fn->library != NULL && !fn->library->in_force &&
           !is_kept(fn->registry, fn->library, next_round());
}

void tci_libraries_end(tci_registry *registry)
{
    tci_library *library;
    registry->events = NULL;
    for (size_t i = 0; registry->table != NULL && i < registry->capacity; i++) {
        tc_ifunc *fn = registry->table[i];
        if (fn != NULL && fn->library == NULL)
            tci_ifunc_load_undo(fn);
    }
    if (registry->scope.libraries == NULL)
        return;
    while ((library = tci_library_set_take_newest(registry->scope.libraries)) != NULL)
        end_library(library);
}

/* --- coming into force -------------------------------------------------------------------- */

static tc_status check_owner(const tci_library *library, const char *owner, tc_error *err)
{
    const arrived *a = (const arrived *)(const void *)library;
    if (owner == NULL || (!a->is_own && strcmp(a->owner, owner) == 0))
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED, "library %s is that of %s", library->title,
                         a->is_own             ? "this node"
                         : a->owner[0] != '\0' ? a->owner
                                               : "a peer that has proved nothing");
}

static tc_status create(tc_ifunc *fn, const char *owner, arrived **library_out, tc_error *err)
{
    arrived *a = calloc(1, sizeof *a);
    if (a == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name_of(fn));
    a->table = tci_code_unit_table(fn->unit);
    a->is_own = owner == NULL;
    a->library.archive = fn->archive;
    a->library.addresses = a->table + ENTRIES;
    a->library.owner = fn;
    (void)snprintf(a->library.title, sizeof a->library.title, TCI_LIBRARY_PREFIX "%s",
                   name_of(fn));
    (void)snprintf(a->owner, sizeof a->owner, "%s", owner != NULL ? owner : "");
    *library_out = a;
    return TC_OK;
}

static tc_status run_init(const tc_ifunc *fn, const arrived *a, const tci_library *before,
                          tc_error *err)
{
    int result = 0;
    older = before;
    if (a->table[AT_INIT] != NULL)
        result = ((int (*)(void))(uintptr_t)a->table[AT_INIT])();
    older = NULL;
    if (result == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_REFUSED, "%s: its %s_init returned %d", name_of(fn),
                         name_of(fn), result);
}

static tc_status take_name(tc_ifunc *fn, arrived *a, tc_error *err)
{
    const tci_library *before = tci_library_set_find(set_of(fn), name_of(fn));
    tc_status status = run_init(fn, a, before, err);
    if (status == TC_OK)
        status = tci_library_set_put(set_of(fn), &a->library, err);
    if (status != TC_OK)
        unload(fn); /* NAME_init may have changed its variables */
    return status;
}

static tc_status put_new(tc_ifunc *fn, const char *owner, tc_error *err)
{
    arrived *a;
    TC_TRY(create(fn, owner, &a, err));
    tc_status status = check_circle(fn, a->library.title, err);
    if (status == TC_OK)
        status = take_name(fn, a, err);
    if (status != TC_OK) {
        free(a);
        return status;
    }
    TCI_INVARIANT(library_owner, fn->library == NULL && a->library.owner == fn);
    fn->library = &a->library;
    tci_registry_retain(fn);
    follow(fn->registry);
    return TC_OK;
}

tc_status tci_libraries_put(tc_ifunc *fn, const char *owner, tc_error *err)
{
    const tci_library *before = tci_library_set_find(set_of(fn), name_of(fn));
    if (before != NULL)
        TC_TRY(check_owner(before, owner, err));
    if (fn->library == NULL)
        return put_new(fn, owner, err);
    if (fn->library == before)
        return TC_OK;
    return tci_error_set(err, TC_E_IN_USE,
                         "library %s: this content was replaced, and libraries use it still",
                         fn->library->title);
}

/* --- withdrawing -------------------------------------------------------------------------- */

tc_status tci_libraries_withdraw(tc_ifunc *fn, const char *owner, tc_error *err)
{
    tci_library *library = fn->library;
    if (library == NULL || !library->in_force)
        return tci_error_set(err, TC_E_NOT_FOUND, "library " TCI_LIBRARY_PREFIX "%s: %s",
                             name_of(fn),
                             tci_library_set_find(set_of(fn), name_of(fn)) != NULL
                                 ? "another content has the name"
                                 : "it is not in force here");
    TC_TRY(check_owner(library, owner, err));
    const tc_ifunc *dependent = find_dependent(fn->registry, library);
    if (dependent != NULL)
        return tci_error_set(err, TC_E_IN_USE,
                             "library %s is used by library " TCI_LIBRARY_PREFIX "%s",
                             library->title, name_of(dependent));
    tci_library_set_take_out(set_of(fn), library);
    follow(fn->registry);
    return TC_OK;
}

bool tci_libraries_drop(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    tc_ifunc *dependent;
    if (fn->library == NULL)
        return true;
    for (size_t i = 0; i < registry->capacity; i++) {
        if (registry->table[i] != NULL && registry->table[i]->state == TCI_LOADING)
            tci_ifunc_load_undo(registry->table[i]); /* it may be bound to fn just now */
    }
    while (fn->library != NULL && (dependent = find_dependent(registry, fn->library)) != NULL) {
        if (!tci_libraries_drop(dependent))
            return false;
    }
    if (fn->library != NULL && fn->library->in_force)
        tci_library_set_take_out(registry->scope.libraries, fn->library);
    follow(registry);
    return fn->library == NULL;
}
