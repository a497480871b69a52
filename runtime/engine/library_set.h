/* The libraries that have come to a process by messages: the library that a name means now, and
 * the holders of each library.
 *
 * There is one set per registry. The thread of its context puts libraries in force and takes
 * them out; loader threads bind to them, so there is a lock, held no longer than a search. A
 * function or library that is bound to a library holds it, and a library that is out of force
 * stays until it has no holders. */
#ifndef TCI_LIBRARY_SET_H
#define TCI_LIBRARY_SET_H

#include "archive.h"
#include "base/content_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

#define TCI_LIBRARY_PREFIX "tc:" /* of a .deps line that names one of them */
#define TCI_LIBRARIES_MAX 256u   /* in force in one set */

typedef struct tci_library tci_library;
typedef struct tci_library_set tci_library_set;

/* TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_library_set_create(tci_library_set **set_out, tc_error *err);
/* The set must be empty. NULL is allowed. */
void tci_library_set_destroy(tci_library_set *set);

/* --- for code that binds, any thread ------------------------------------------------------ */

/* Returns the library in force of that name, and holds it; NULL without one. */
tci_library *tci_library_set_hold(tci_library_set *set, const char *name);
void tci_library_set_let_go(tci_library_set *set, tci_library *library);

/* Returns the name as .deps lists and rules spell it: "tc:kv". */
const char *tci_library_title(const tci_library *library);
/* Returns the address of an export, or NULL. A name without a prototype finds an export that
 * states one, too.
 *
 *   prototype_out  receives the export's, or NULL without one; may be NULL */
void *tci_library_find(const tci_library *library, const char *symbol,
                       const char **prototype_out);

/* --- for the thread of the context -------------------------------------------------------- */

/* The name and the contents of a library. */
struct tci_library {
    tci_library *next; /* in force, or out of it; bound: TCI_LIBRARIES_MAX, functions_max */
    char title[sizeof TCI_LIBRARY_PREFIX + TCI_ARCHIVE_NAME_MAX];
    const tci_archive *archive; /* stays open as long as the library */
    void *const *addresses;     /* of its exports, in their order */
    bool in_force;
    unsigned holders; /* functions and libraries bound to it; under the set's lock */
    uint64_t order;
    uint64_t seen; /* round of the last search that reached it */
    void *owner;   /* the library's tc_ifunc */
};

/* Returns the library in force of that name, or NULL. */
tci_library *tci_library_set_find(const tci_library_set *set, const char *name);
/* Returns the first library in force, or NULL; the others follow by `next`, in order of
 * arrival. */
tci_library *tci_library_set_first(const tci_library_set *set);

/* Puts a library in force, and the previous one of its name out of force. TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_library_set_put(tci_library_set *set, tci_library *library,
                                            tc_error *err);
void tci_library_set_take_out(tci_library_set *set, tci_library *library);
/* Takes a library that is out of force and has no holders out of the list; NULL without one. */
tci_library *tci_library_set_take_unused(tci_library_set *set);
bool tci_library_set_has_old(const tci_library_set *set);
/* Takes the library that came last out of the set; NULL: it is empty. */
tci_library *tci_library_set_take_newest(tci_library_set *set);

/* Returns the number of changes to the meanings of names. */
uint64_t tci_library_set_changes(const tci_library_set *set);

#endif
