/* The objects of a rank, those of its home wherever they are, and facts about others. A data
 * structure alone: it calls nothing of the library and frees no state. */
#ifndef TCO_OBJECT_TABLE_H
#define TCO_OBJECT_TABLE_H

#include "object_pointer.h"

#include <tc/object.h>

#define TCO_FACTS 4096u /* a power of two; a new one overwrites an old one */

struct tco_waiter;

/* An object that is at this rank, or arrives. */
typedef struct tco_record {
    struct tco_record *next; /* in its bucket; only if the home is another rank */
    tc_gptr object;
    uint64_t moves; /* how often it has moved, the arrival included */
    void *state;    /* from malloc */
    uint64_t bytes;
    char class_name[TC_OBJECT_CLASS_MAX];
    /* arrival */
    bool is_arriving;  /* until the commit */
    uint32_t from;     /* the rank that it comes from */
    uint64_t received; /* bytes of the state */
    bool is_probed;    /* a task asks the rank whether it still moves it */
    /* methods that run or wait inside, and those that wait for the object */
    uint32_t active;
    bool is_exclusive; /* the one that is active is atomic */
    struct tco_waiter *first, **last;
} tco_record;

/* An index of this home. */
typedef struct tco_slot {
    tco_record *record; /* NULL: it is elsewhere, or the slot is free */
    uint64_t moves;     /* how often it has moved */
    uint32_t rank;      /* where it was then; TC_RANK_NONE: the slot is free */
    uint32_t use;       /* of the object, or of the next one; 0: never again */
    uint32_t next_free; /* index + 1; 0: the last one */
} tco_slot;

typedef struct tco_fact {
    tc_gptr object; /* zeroed: an empty entry */
    uint64_t moves;
    uint32_t rank;
} tco_fact;

typedef struct tco_table {
    uint32_t rank, objects_max;
    tco_slot *slots;
    uint32_t slot_count, slot_capacity; /* bound: objects_max */
    uint32_t free_slots, used_slots;    /* index + 1 of the first free one; objects */
    tco_record **buckets;               /* of objects of other homes */
    uint32_t bucket_count;              /* a power of two */
    uint32_t guest_count;               /* in the buckets */
    uint32_t record_count;              /* all; bound: objects_max */
    tco_fact *facts;
} tco_table;

/* Makes an empty table.
 *
 *   TC_E_NO_MEMORY  an allocation failed: nothing is allocated */
TC_MUST_CHECK tc_status tco_table_init(tco_table *table, uint32_t rank, uint32_t objects_max);

/* Calls `drop` for each record, then frees the table. */
void tco_table_fini(tco_table *table, void (*drop)(tco_record *record));

/* Chooses an index of this home and returns its pointer. tco_table_add, or tco_table_release,
 * follows at once.
 *
 *   TC_E_TOO_LARGE  objects_max objects have this home
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK tc_status tco_table_claim(tco_table *table, tc_gptr *object_out, tc_error *err);

/* Ends the use of an index of this home. Without effect for a pointer that is not in use. */
void tco_table_release(tco_table *table, tc_gptr object);

/* Adds a record for an object that is not in the table.
 *
 *   TC_E_NOT_FOUND  this is its home, and the pointer is not in use
 *   TC_E_TOO_LARGE  objects_max objects are at this rank
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK tc_status tco_table_add(tco_table *table, tco_record *record, tc_error *err);

/* Takes a record out; the caller frees it. */
void tco_table_remove(tco_table *table, tco_record *record);

/* Finds the record of a valid pointer; NULL: the object is not here. */
tco_record *tco_table_find(const tco_table *table, tc_gptr object);

/* Notes that an object was at a rank after that many moves. Older facts, those about this rank,
 * and at the home those about objects that are here, are ignored. */
void tco_table_learn(tco_table *table, tc_gptr object, uint32_t rank, uint64_t moves);

/* Drops the fact about an object of another home. */
void tco_table_forget(tco_table *table, tc_gptr object);

/* The next rank on the way to an object that is not here.
 *
 *   fact_out        rank and moves; without a fact the home's rank, and 0 moves
 *
 *   TC_E_NOT_FOUND  this is its home, and the object does not exist, or no rank has it */
TC_MUST_CHECK tc_status tco_table_where(const tco_table *table, tc_gptr object,
                                        tco_fact *fact_out, tc_error *err);

#endif
