/* From a message to the method's object.
 *
 * begin   checks the message, finds the object, compares it with the method's requirements, and
 *         enters it. If the object is elsewhere it forwards the message. If others have to
 *         leave first, it waits in a task, and without a task it reports that one is needed. An
 *         object that has gone when the wait ends is looked for again.
 * end     leaves the object. It frees the object if a constructor has failed, or a destructor
 *         has ended.
 *
 * A message is forwarded to the rank of the newest fact, and its first sender gets that fact,
 * so that its next message takes the direct way.
 *
 * Everything here runs in a function of a peer's, so failures go to its caller, by
 * tc_self_fail. This file must never run a body for an object of another class or a smaller
 * state, and never keep a record across a wait that did not enter it. */
#include "object_methods.h"

#include "object_moves.h"
#include "object_turns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A message that was forwarded as often takes no way but that by the home. A rank may have lost
 * its newest fact and learnt an older one since: such facts lead in circles, but the home's
 * never do, as a rank that the object leaves notifies the home before it forwards. */
#define FACT_HOPS_MAX 16u

/* --- records ------------------------------------------------------------------------------ */

tc_status tco_record_create(const tc_objects *objects, const char *class_name, uint64_t bytes,
                            tco_record **record_out, tc_error *err)
{
    if (bytes > objects->limits.state_max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a state of %" PRIu64 " bytes, state_max of rank %u is %" PRIu64,
                             bytes, objects->node.rank, objects->limits.state_max);
    tco_record *record = calloc(1, sizeof *record);
    void *state = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    if (record == NULL || state == NULL) {
        free(record);
        free(state);
        return tci_error_set(err, TC_E_NO_MEMORY, "a state of %" PRIu64 " bytes: out of memory",
                             bytes);
    }
    record->state = state;
    record->bytes = bytes;
    record->last = &record->first;
    /* The rest is zeroed: names are compared as strings. */
    memcpy(record->class_name, class_name, strnlen(class_name, TC_OBJECT_CLASS_MAX - 1));
    *record_out = record;
    return TC_OK;
}

void tco_record_free(tco_record *record)
{
    assert(record->first == NULL);
    free(record->state);
    free(record);
}

/* --- messages that do not begin here ------------------------------------------------------ */

static tc_object_entrance fail(tc_status status, const tc_error *error)
{
    tc_self_fail(status, error->text);
    return TC_OBJECT_ELSEWHERE;
}

/* A sender outside of the group has no rank, and gets no fact. */
static void send_fact(const tc_objects *objects, const tco_fact *fact)
{
    const uint32_t origin = tc_self_origin();
    if (fact->moves == 0 || origin == objects->node.rank || origin == TC_RANK_NONE)
        return;
    const tco_request request =
        tco_moves_request(TCO_FACT, fact->object, fact->rank, fact->moves);
    tco_moves_notify(objects, origin, &request);
}

static tc_object_entrance follow(const tc_objects *objects, tc_gptr object, const void *payload,
                                 size_t size)
{
    tc_error error;
    tco_fact fact;
    tc_status status = tco_table_where(&objects->table, object, &fact, &error);
    if (status != TC_OK)
        return fail(status, &error);
    if (tc_self_hops() >= FACT_HOPS_MAX && object.rank != objects->node.rank)
        fact = (tco_fact){object, 0, object.rank};
    if (tc_self_hops() >= TC_OBJECT_HOPS_MAX)
        return fail(tci_error_set(&error, TC_E_HOPS,
                                  "%u ranks have forwarded a message to object %u of rank %u",
                                  tc_self_hops(), tco_pointer_index(object), object.rank),
                    &error);
    if (tc_self_group() != objects->group)
        return fail(tci_error_set(&error, TC_E_UNREACHABLE,
                                  "the object is at rank %u, and the message is of no member "
                                  "of the group",
                                  fact.rank),
                    &error);
    status = tc_forward(fact.rank, payload, size);
    if (status != TC_OK)
        return fail(tci_error_set(&error, status, "object %u of rank %u, last at rank %u: %s",
                                  tco_pointer_index(object), object.rank, fact.rank,
                                  tc_status_text(status)),
                    &error);
    send_fact(objects, &fact);
    return TC_OBJECT_ELSEWHERE;
}

/* --- begin and end ------------------------------------------------------------------------ */

static tc_status check_message(const tc_objects *objects, const tc_object_method *method,
                               const void *payload, size_t size, tc_gptr *object_out,
                               tc_error *err)
{
    if (size < method->message_bytes || size < sizeof *object_out)
        return tci_error_set(err, TC_E_INVALID,
                             "a message of %zu bytes, the method expects %" PRIu64 " at least",
                             size, method->message_bytes);
    memcpy(object_out, payload, sizeof *object_out);
    if (tco_pointer_is_valid(*object_out, objects->limits.ranks))
        return TC_OK;
    return tco_pointer_check(*object_out, objects->limits.ranks, err);
}

static tc_status check_object(const tco_record *record, const tc_object_method *method,
                              tc_error *err)
{
    if (method->class_name == NULL)
        return TC_OK;
    if (strcmp(record->class_name, method->class_name) != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "an object of class '%s', the method expects '%.31s'",
                             record->class_name, method->class_name);
    if (record->bytes < method->state_bytes)
        return tci_error_set(err, TC_E_INVALID,
                             "an object of %" PRIu64 " bytes, the method expects %" PRIu64
                             " at least",
                             record->bytes, method->state_bytes);
    return TC_OK;
}

static void fill_self(const tc_object_node *node, tco_record *record, tc_object_self *self)
{
    self->node = node;
    self->record = record;
    self->state = record->state;
    self->state_bytes = record->bytes;
    self->object = record->object;
    self->flags = 0;
}

/* Enters an object that is occupied, in a task. The state may have shrunk meanwhile. */
static tc_status enter_later(const tc_object_node *node, tco_record *record,
                             const tc_object_method *method, tc_object_self *self,
                             tc_error *err)
{
    tc_objects *objects = tco_objects_of(node);
    tc_status status = tco_turns_wait(objects, record, method->kind == TC_OBJECT_EXCLUSIVE);
    if (status != TC_OK)
        return tci_error_set(err, status, "the wait for the object has ended: %s",
                             tc_status_text(status));
    status = check_object(record, method, err);
    if (status != TC_OK) {
        tco_turns_leave(objects, record);
        return status;
    }
    fill_self(node, record, self);
    return TC_OK;
}

tc_object_entrance tco_methods_begin(const tc_object_node *node, const tc_object_method *method,
                                     const void *payload, size_t size, int may_wait,
                                     tc_object_self *self_out)
{
    tc_objects *objects = tco_objects_of(node);
    tc_gptr object = {0, 0, 0, 0};
    tc_error error;
    tc_status status = check_message(objects, method, payload, size, &object, &error);
    if (status != TC_OK)
        return fail(status, &error);
    self_out->message = payload;
    self_out->message_bytes = size;
    self_out->kind = method->kind;
    for (;;) {
        tco_record *record = tco_table_find(&objects->table, object);
        if (record == NULL)
            return follow(objects, object, payload, size);
        status = check_object(record, method, &error);
        if (status != TC_OK)
            return fail(status, &error);
        if (tco_turns_try(objects, record, method->kind == TC_OBJECT_EXCLUSIVE)) {
            fill_self(node, record, self_out);
            return TC_OBJECT_ENTERED;
        }
        if (!may_wait)
            return TC_OBJECT_OCCUPIED;
        status = enter_later(node, record, method, self_out, &error);
        if (status == TC_OK)
            return TC_OBJECT_ENTERED;
        if (status != TC_E_NOT_FOUND)
            return fail(status, &error);
    }
}

/* The object of a constructor that has failed: no peer has had its pointer, but one may have
 * guessed it. */
static void unmake(tc_objects *objects, tco_record *record)
{
    tco_table_remove(&objects->table, record);
    tco_table_release(&objects->table, record->object);
    objects->users--;
    tco_turns_dismiss(record);
    tco_record_free(record);
}

static void end(tc_object_self *self)
{
    tc_objects *objects = tco_objects_of(self->node);
    tco_record *record = tco_record_of(self);
    if ((self->flags & TC_OBJECT_TO_DESTROY) != 0) {
        tco_moves_destroy(self);
        return;
    }
    self->record = NULL;
    if ((self->flags & TC_OBJECT_NEW) != 0)
        unmake(objects, record);
    else
        tco_turns_leave(objects, record);
}

/* --- constructors and other calls --------------------------------------------------------- */

static tc_status make_record(tc_objects *objects, const char *class_name, uint64_t bytes,
                             tco_record **record_out, tc_error *err)
{
    tco_record *record = NULL;
    tc_status status = tco_record_create(objects, class_name, bytes, &record, err);
    if (status != TC_OK)
        return status;
    status = tco_table_claim(&objects->table, &record->object, err);
    if (status == TC_OK) {
        status = tco_table_add(&objects->table, record, err);
        if (status != TC_OK)
            tco_table_release(&objects->table, record->object);
    }
    if (status == TC_OK)
        *record_out = record;
    else
        tco_record_free(record);
    return status;
}

static tc_status make(const tc_object_node *node, const char *class_name, uint64_t bytes,
                      tc_object_self *self_out)
{
    tc_objects *objects = tco_objects_of(node);
    tco_record *record = NULL;
    tc_error error;
    tc_status status = make_record(objects, class_name, bytes, &record, &error);
    if (status != TC_OK) {
        tc_self_fail(status, error.text);
        return status;
    }
    const bool is_entered = tco_turns_try(objects, record, true);
    assert(is_entered);
    (void)is_entered;
    fill_self(node, record, self_out);
    self_out->kind = TC_OBJECT_EXCLUSIVE;
    self_out->flags = TC_OBJECT_NEW;
    return TC_OK;
}

static void *resize(tc_object_self *self, uint64_t bytes)
{
    tco_record *record = tco_record_of(self);
    if (record->active > 1 || bytes > tco_objects_of(self->node)->limits.state_max)
        return NULL;
    unsigned char *state = realloc(record->state, bytes > 0 ? (size_t)bytes : 1);
    if (state == NULL)
        return NULL;
    if (bytes > record->bytes)
        memset(state + record->bytes, 0, (size_t)(bytes - record->bytes));
    record->state = self->state = state;
    record->bytes = self->state_bytes = bytes;
    return state;
}

/* As a message of this rank to itself, so that it depends on no other endpoint. */
static tc_status request_after(const tc_object_self *self, uint32_t rank)
{
    const tc_objects *objects = tco_objects_of(self->node);
    const bool is_move = rank != TC_RANK_NONE;
    if (rank == self->node->rank)
        return TC_OK;
    if (is_move && rank >= objects->limits.ranks)
        return TC_E_NOT_FOUND;
    const tco_request request = tco_moves_request(is_move ? TCO_MOVE : TCO_DESTROY,
                                                  self->object, is_move ? rank : 0, 0);
    return tc_group_send(objects->group, self->node->rank, objects->runtime, &request,
                         sizeof request);
}

static tc_status find_ep(const tc_object_node *node, const tc_gptr *object, tc_ep **ep_out)
{
    return tc_object_ep(tco_objects_of(node), object, ep_out, NULL);
}

void tco_methods_fill(tc_object_node *node)
{
    node->begin = tco_methods_begin;
    node->end = end;
    node->make = make;
    node->resize = resize;
    node->request = request_after;
    node->find = find_ep;
}
