/* Objects by their pointers.
 *
 * Objects of this home are found by index: slots[index] has the use of the index, and the
 * record if the object is here. Objects of other homes that are here are in a hash table. All
 * other knowledge is facts: at the home in the slot, elsewhere in a table of fixed size in
 * which a new fact overwrites an older one of the same entry.
 *
 * A slot that is free is in the list of free ones, with the use that its next object gets. When
 * all uses are over the slot stays out of the list.
 *
 * This file must never take a fact over a later one, as messages would go round in circles, and
 * never give two objects the same index and use. */
#include "object_table.h"

#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64u
#define BUCKETS_FIRST 64u

static uint32_t hash_of(tc_gptr object)
{
    uint64_t z = (object.offset ^ (uint64_t)object.rank << 17) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(z >> 32);
}

tc_status tco_table_init(tco_table *table, uint32_t rank, uint32_t objects_max)
{
    memset(table, 0, sizeof *table);
    table->rank = rank;
    table->objects_max = objects_max;
    table->bucket_count = BUCKETS_FIRST;
    table->buckets = calloc(BUCKETS_FIRST, sizeof(tco_record *));
    table->facts = calloc(TCO_FACTS, sizeof *table->facts);
    if (table->buckets != NULL && table->facts != NULL)
        return TC_OK;
    free(table->buckets);
    free(table->facts);
    return TC_E_NO_MEMORY;
}

void tco_table_fini(tco_table *table, void (*drop)(tco_record *record))
{
    for (uint32_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].record != NULL)
            drop(table->slots[i].record);
    }
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (tco_record *record = table->buckets[i], *next; record != NULL; record = next) {
            next = record->next;
            drop(record);
        }
    }
    free(table->slots);
    free(table->buckets);
    free(table->facts);
}

/* --- indices of this home ----------------------------------------------------------------- */

static tco_slot *slot_of(const tco_table *table, tc_gptr object)
{
    const uint32_t index = tco_pointer_index(object);
    if (object.rank != table->rank || index >= table->slot_count)
        return NULL;
    tco_slot *slot = &table->slots[index];
    return slot->use == tco_pointer_use(object) && slot->rank != TC_RANK_NONE ? slot : NULL;
}

static tc_status grow_slots(tco_table *table, tc_error *err)
{
    uint32_t capacity = table->slot_capacity == 0 ? SLOTS_FIRST : 2 * table->slot_capacity;
    if (capacity > table->objects_max)
        capacity = table->objects_max;
    if (table->slot_count < table->slot_capacity)
        return TC_OK;
    if (capacity == table->slot_capacity)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "%u objects have the home rank %u, or their indices are used up: "
                             "objects_max is %u",
                             table->used_slots, table->rank, table->objects_max);
    tco_slot *slots = realloc(table->slots, capacity * sizeof *slots);
    if (slots == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%u objects: out of memory", capacity);
    table->slots = slots;
    table->slot_capacity = capacity;
    return TC_OK;
}

tc_status tco_table_claim(tco_table *table, tc_gptr *object_out, tc_error *err)
{
    uint32_t index = table->free_slots - 1;
    if (table->free_slots > 0) {
        table->free_slots = table->slots[index].next_free;
    } else {
        tc_status status = grow_slots(table, err);
        if (status != TC_OK)
            return status;
        index = table->slot_count++;
        table->slots[index].use = 1;
    }
    tco_slot *slot = &table->slots[index];
    assert(slot->use > 0);
    slot->record = NULL;
    slot->rank = table->rank;
    slot->moves = 0;
    table->used_slots++;
    *object_out = tco_pointer_make(table->rank, index, slot->use);
    return TC_OK;
}

void tco_table_release(tco_table *table, tc_gptr object)
{
    tco_slot *slot = slot_of(table, object);
    if (slot == NULL)
        return;
    assert(slot->record == NULL && table->used_slots > 0);
    slot->rank = TC_RANK_NONE;
    table->used_slots--;
    if (++slot->use == 0)
        return;
    slot->next_free = table->free_slots;
    table->free_slots = tco_pointer_index(object) + 1;
}

/* --- records ------------------------------------------------------------------------------ */

/* Longer chains are slower, and no failure. */
static void grow_buckets(tco_table *table)
{
    const uint32_t count = 2 * table->bucket_count;
    tco_record **buckets = calloc(count, sizeof(tco_record *));
    if (buckets == NULL)
        return;
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (tco_record *record = table->buckets[i], *next; record != NULL; record = next) {
            next = record->next;
            tco_record **bucket = &buckets[hash_of(record->object) & (count - 1)];
            record->next = *bucket;
            *bucket = record;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->bucket_count = count;
}

static tco_record **bucket_of(const tco_table *table, tc_gptr object)
{
    return &table->buckets[hash_of(object) & (table->bucket_count - 1)];
}

tc_status tco_table_add(tco_table *table, tco_record *record, tc_error *err)
{
    if (table->record_count >= table->objects_max)
        return tci_error_set(err, TC_E_TOO_LARGE, "rank %u has %u objects: objects_max is %u",
                             table->rank, table->record_count, table->objects_max);
    if (record->object.rank == table->rank) {
        tco_slot *slot = slot_of(table, record->object);
        if (slot == NULL)
            return tci_error_set(err, TC_E_NOT_FOUND, "the home knows no such object");
        assert(slot->record == NULL);
        slot->record = record;
    } else {
        if (table->guest_count >= table->bucket_count)
            grow_buckets(table);
        tco_record **bucket = bucket_of(table, record->object);
        record->next = *bucket;
        *bucket = record;
        table->guest_count++;
    }
    table->record_count++;
    return TC_OK;
}

void tco_table_remove(tco_table *table, tco_record *record)
{
    assert(table->record_count > 0);
    table->record_count--;
    if (record->object.rank == table->rank) {
        tco_slot *slot = slot_of(table, record->object);
        assert(slot != NULL && slot->record == record);
        slot->record = NULL;
        return;
    }
    tco_record **link = bucket_of(table, record->object);
    while (*link != record)
        link = &(*link)->next;
    *link = record->next;
    table->guest_count--;
}

tco_record *tco_table_find(const tco_table *table, tc_gptr object)
{
    if (object.rank == table->rank) {
        const tco_slot *slot = slot_of(table, object);
        return slot != NULL ? slot->record : NULL;
    }
    tco_record *record = *bucket_of(table, object);
    while (record != NULL && !tco_pointer_equal(record->object, object))
        record = record->next;
    return record;
}

/* --- facts -------------------------------------------------------------------------------- */

void tco_table_learn(tco_table *table, tc_gptr object, uint32_t rank, uint64_t moves)
{
    if (object.rank == table->rank) {
        tco_slot *slot = slot_of(table, object);
        if (slot == NULL || slot->record != NULL || moves <= slot->moves)
            return;
        slot->moves = moves;
        slot->rank = rank;
        return;
    }
    if (rank == table->rank)
        return;
    tco_fact *fact = &table->facts[hash_of(object) & (TCO_FACTS - 1)];
    if (!tco_pointer_equal(fact->object, object) || moves > fact->moves)
        *fact = (tco_fact){object, moves, rank};
}

void tco_table_forget(tco_table *table, tc_gptr object)
{
    tco_fact *fact = &table->facts[hash_of(object) & (TCO_FACTS - 1)];
    if (object.rank != table->rank && tco_pointer_equal(fact->object, object))
        memset(fact, 0, sizeof *fact);
}

tc_status tco_table_where(const tco_table *table, tc_gptr object, tco_fact *fact_out,
                          tc_error *err)
{
    if (object.rank != table->rank) {
        const tco_fact *fact = &table->facts[hash_of(object) & (TCO_FACTS - 1)];
        *fact_out = fact->moves > 0 && tco_pointer_equal(fact->object, object)
                        ? *fact
                        : (tco_fact){object, 0, object.rank};
        return TC_OK;
    }
    const tco_slot *slot = slot_of(table, object);
    if (slot == NULL)
        return tci_error_set(err, TC_E_NOT_FOUND,
                             "object %u, use %u, of rank %u does not exist, or was destroyed",
                             tco_pointer_index(object), tco_pointer_use(object), object.rank);
    if (slot->record == NULL && slot->rank == table->rank)
        return tci_error_set(err, TC_E_NOT_FOUND, "object %u of rank %u is lost",
                             tco_pointer_index(object), object.rank);
    *fact_out = (tco_fact){object, slot->moves, slot->rank};
    return TC_OK;
}
