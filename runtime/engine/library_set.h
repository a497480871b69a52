/* The libraries that have come to a process by messages: which one a name means now, and who is
 * bound to which.
 *
 * One set per registry. The thread of its context puts libraries in force and takes them out; loader
 * threads bind to them, so there is a lock, which nobody holds for longer than a search. Who is bound
 * to a library holds it, and a library that is out of force stays until nobody does. */
#ifndef TCI_LIBRARY_SET_H
#define TCI_LIBRARY_SET_H

#include "archive.h"
#include "base/content_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

#define TCI_LIBRARY_PREFIX "tc:" /* of a line of a .deps list that names one */
#define TCI_LIBRARIES_MAX 256u   /* in force in one set */

typedef struct tci_library tci_library;
typedef struct tci_library_set tci_library_set;

/* TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_library_set_create(tci_library_set **set_out, tc_error *err);
/* When it is empty. NULL is allowed. */
void tci_library_set_destroy(tci_library_set *set);

/* --- by those that bind, any thread ---------------------------------------------------------- */

/* The library of that name that is in force, held; NULL: there is none. */
tci_library *tci_library_set_hold(tci_library_set *set, const char *name);
void tci_library_set_let_go(tci_library_set *set, tci_library *library);

/* The name as .deps lists and rules spell it: "tc:kv". */
const char *tci_library_title(const tci_library *library);
/* The address of an export, or NULL. */
void *tci_library_find(const tci_library *library, const char *symbol);

/* --- by the thread of the context ---------------------------------------------------------- */

/* How a library is known, and what it consists of. */
struct tci_library {
    tci_library *next; /* in the set's list of those in force, or of those out of it */
    char title[sizeof TCI_LIBRARY_PREFIX + TCI_ARCHIVE_NAME_MAX];
    const tci_archive *archive; /* stays open as long */
    void *const *addresses;     /* of its exports, in their order */
    bool in_force;
    unsigned holders; /* under the set's lock; functions and libraries that are bound to it */
    uint64_t order;
    uint64_t seen; /* by a search that asks for circles */
    void *owner;   /* whose code it is */
};

/* The one of that name that is in force, or NULL. */
tci_library *tci_library_set_find(const tci_library_set *set, const char *name);
/* The others by next, in order of arrival. */
tci_library *tci_library_set_first(const tci_library_set *set);

/* Puts it in force; what had the name is out of force then. TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_library_set_put(tci_library_set *set, tci_library *library,
                                            tc_error *err);
void tci_library_set_take_out(tci_library_set *set, tci_library *library);
/* One that is out of force and that nobody is bound to, taken out of the list; NULL: none. */
tci_library *tci_library_set_take_unused(tci_library_set *set);
bool tci_library_set_has_old(const tci_library_set *set);
/* The one that came last, taken out of the set; NULL: it is empty. */
tci_library *tci_library_set_take_newest(tci_library_set *set);

/* Counts changes of what names mean. */
uint64_t tci_library_set_changes(const tci_library_set *set);

#endif
