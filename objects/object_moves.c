/* The library's own function, by which the runtimes of ranks talk to each other.
 *
 * A move is a task at the rank that has the object:
 *
 *   enter       the object, alone: methods that come now wait behind the move
 *   pieces      a call for each 128 KB of state; the new rank keeps them in a record that is
 *               `is_arriving`, in which messages wait that come too early
 *   commit      a message. From here on the object is the new rank's, and this one forwards;
 *               messages to one member keep their order, so no message overtakes it
 *   fact        to the home, from this rank and from the new one, as one of them may be lost
 *   dismiss     those that wait here look for the object again, and go after it
 *
 * If a piece fails, the object stays, and the new rank gets an abort. If the new rank is lost
 * after the commit has been queued, the object is lost with it. If the old rank is lost before,
 * or the abort, the copy at the new rank is given up by the first message that waits for it: it
 * asks the old rank each second.
 *
 * Destruction is a task likewise: enter alone, notify the home, free, dismiss.
 *
 * Requests come from members of the group, are checked once, by tco_request_check, and then
 * compared with the records that they concern. This file must never have an object at two ranks
 * that both run methods, and never touch a record after a wait unless the task has entered
 * it. */
#include "object_moves.h"

#include "object_methods.h"
#include "object_turns.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

tco_request tco_moves_request(tco_request_kind kind, tc_gptr object, uint32_t rank,
                              uint64_t moves)
{
    tco_request request;
    memset(&request, 0, sizeof request);
    request.object = object;
    request.version = TCO_REQUEST_VERSION;
    request.kind = kind;
    request.rank = rank;
    request.moves = moves;
    return request;
}

void tco_moves_notify(const tc_objects *objects, uint32_t rank, const tco_request *request)
{
    const tc_status status =
        tc_group_send(objects->group, rank, objects->runtime, request, sizeof *request);
    (void)status;
}

/* Sends a request in order, in a task: queues it, or waits for credit. */
static tc_status send_request(const tc_objects *objects, uint32_t rank,
                              const tco_request *request, tc_error *err)
{
    tc_ep *ep;
    tc_status status = tc_group_ep(objects->group, rank, &ep, err);
    if (status != TC_OK)
        return status;
    status = tc_send(ep, objects->runtime, request, sizeof *request);
    if (status == TC_E_AGAIN)
        return tc_send_wait(ep, objects->runtime, request, sizeof *request, TC_SECONDS(10),
                            err);
    if (status != TC_OK)
        (void)tc_send_error(objects->context, err);
    return status;
}

/* --- the rank that an object leaves ------------------------------------------------------- */

static tc_status send_piece(const tc_objects *objects, const tco_record *record, uint32_t rank,
                            unsigned char *buffer, uint64_t offset, tc_error *err)
{
    const uint64_t left = record->bytes - offset;
    const size_t bytes = left < TCO_PIECE_BYTES ? (size_t)left : TCO_PIECE_BYTES;
    tco_request request = tco_moves_request(TCO_PIECE, record->object, rank, record->moves + 1);
    tc_ep *ep;
    tc_status status = tc_group_ep(objects->group, rank, &ep, err);
    if (status != TC_OK)
        return status;
    request.total = record->bytes;
    request.offset = offset;
    memcpy(request.class_name, record->class_name, sizeof request.class_name);
    memcpy(buffer, &request, sizeof request);
    memcpy(buffer + sizeof request, (const unsigned char *)record->state + offset, bytes);
    return tc_call(ep, objects->runtime, buffer, sizeof request + bytes, NULL, NULL, 0, err);
}

static tc_status send_pieces(const tc_objects *objects, const tco_record *record, uint32_t rank,
                             tc_error *err)
{
    uint64_t offset = 0;
    unsigned char *buffer = malloc(sizeof(tco_request) + TCO_PIECE_BYTES);
    tc_status status = TC_OK;
    if (buffer == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a piece of a state: out of memory");
    do {
        status = send_piece(objects, record, rank, buffer, offset, err);
        offset += TCO_PIECE_BYTES;
    } while (status == TC_OK && offset < record->bytes);
    free(buffer);
    return status;
}

/* The task holds the object no more. */
static void drop(tc_objects *objects, tc_object_self *self)
{
    tco_record *record = tco_record_of(self);
    assert(record->active == 1 && objects->users > 0);
    self->record = NULL;
    objects->users--;
    tco_turns_dismiss(record);
    tco_record_free(record);
}

static tc_status send_away(tc_objects *objects, tc_object_self *self, uint32_t rank,
                           tc_error *err)
{
    tco_record *record = tco_record_of(self);
    const uint64_t moves = record->moves + 1;
    tco_request request = tco_moves_request(TCO_COMMIT, record->object, rank, moves);
    tc_status status = send_pieces(objects, record, rank, err);
    if (status == TC_OK)
        status = send_request(objects, rank, &request, err);
    if (status != TC_OK) {
        request.kind = TCO_ABORT;
        tco_moves_notify(objects, rank, &request);
        return status;
    }
    tco_table_remove(&objects->table, record);
    tco_table_learn(&objects->table, record->object, rank, moves);
    if (record->object.rank != objects->node.rank && record->object.rank != rank) {
        request.kind = TCO_FACT;
        tco_moves_notify(objects, record->object.rank, &request);
    }
    drop(objects, self);
    return TC_OK;
}

static void fail(tc_status status, const tc_error *error)
{
    tc_self_fail(status, error->text);
}

static tc_object_entrance enter_alone(const tc_object_node *node, const void *payload,
                                      size_t size, tc_object_self *self_out)
{
    static const tc_object_method any = {.message_bytes = sizeof(tco_request),
                                         .kind = TC_OBJECT_EXCLUSIVE};
    return tco_methods_begin(node, &any, payload, size, 1, self_out);
}

static void run_move(void *payload, size_t size, void *target_args)
{
    const tc_object_node *node = tc_object_node_here();
    const tco_request *request = payload;
    tc_object_self self;
    tc_error error = {TC_OK, ""};
    tc_status status = TC_OK;
    (void)target_args;
    if (node == NULL || enter_alone(node, payload, size, &self) != TC_OBJECT_ENTERED)
        return;
    tc_objects *objects = tco_objects_of(node);
    if (request->rank != node->rank)
        status = send_away(objects, &self, request->rank, &error);
    if (self.record != NULL)
        tco_turns_leave(objects, self.record);
    if (status != TC_OK)
        fail(status, &error);
}

/* --- destruction -------------------------------------------------------------------------- */

void tco_moves_destroy(tc_object_self *self)
{
    tc_objects *objects = tco_objects_of(self->node);
    tco_record *record = tco_record_of(self);
    const tc_gptr object = record->object;
    /* Without a home that can be notified, no message comes by way of it either. */
    if (object.rank != objects->node.rank) {
        const tco_request gone = tco_moves_request(TCO_GONE, object, 0, record->moves);
        (void)send_request(objects, object.rank, &gone, NULL);
    }
    tco_table_remove(&objects->table, record);
    if (object.rank == objects->node.rank)
        tco_table_release(&objects->table, object);
    else /* which all facts that lead here are older than */
        tco_table_learn(&objects->table, object, object.rank, record->moves + 1);
    drop(objects, self);
}

static void run_destroy(void *payload, size_t size, void *target_args)
{
    const tc_object_node *node = tc_object_node_here();
    tc_object_self self;
    (void)target_args;
    if (node != NULL && enter_alone(node, payload, size, &self) == TC_OBJECT_ENTERED)
        tco_moves_destroy(&self);
}

/* --- the rank that an object comes to ----------------------------------------------------- */

static bool continues(const tco_record *record, const tco_request *request)
{
    return record->is_arriving && record->from == tc_self_origin() &&
           record->moves == request->moves && record->bytes == request->total &&
           record->received == request->offset;
}

static void give_up(tc_objects *objects, tco_record *record)
{
    assert(record->is_arriving && objects->arriving > 0);
    objects->arriving--;
    tco_table_remove(&objects->table, record);
    tco_turns_dismiss(record);
    tco_record_free(record);
}

/* As before the wait, the arrival may have ended meanwhile. */
static void give_up_probed(tc_objects *objects, const tco_request *probe)
{
    tco_record *record = tco_table_find(&objects->table, probe->object);
    if (record != NULL && record->is_arriving && record->moves == probe->moves)
        give_up(objects, record);
}

static tc_status begin_arrival(tc_objects *objects, const tco_request *request,
                               tco_record **record_out, tc_error *err)
{
    tco_record *record = NULL;
    tc_status status =
        tco_record_create(objects, request->class_name, request->total, &record, err);
    if (status != TC_OK)
        return status;
    record->object = request->object;
    record->moves = request->moves;
    record->from = tc_self_origin();
    record->is_arriving = true;
    status = tco_table_add(&objects->table, record, err);
    if (status != TC_OK) {
        tco_record_free(record);
        return status;
    }
    objects->arriving++;
    *record_out = record;
    return TC_OK;
}

static tc_status take_piece(tc_objects *objects, const tco_request *request, const void *piece,
                            size_t bytes, tc_error *err)
{
    tco_record *record = tco_table_find(&objects->table, request->object);
    tc_status status = TC_OK;
    /* An earlier arrival was given up, and its abort was lost. */
    if (record != NULL && record->is_arriving && request->offset == 0 &&
        request->moves >= record->moves) {
        give_up(objects, record);
        record = NULL;
    }
    if (record == NULL && request->offset == 0)
        status = begin_arrival(objects, request, &record, err);
    else if (record == NULL || !continues(record, request))
        status = tci_error_set(err, TC_E_INVALID,
                               "%zu bytes at %" PRIu64 " of object %u of rank %u, which is not "
                               "the next piece of one that arrives",
                               bytes, request->offset, tco_pointer_index(request->object),
                               request->object.rank);
    if (status != TC_OK)
        return status;
    memcpy((unsigned char *)record->state + record->received, piece, bytes);
    record->received += bytes;
    return TC_OK;
}

static tc_status settle(tc_objects *objects, const tco_request *request, tc_error *err)
{
    tco_record *record = tco_table_find(&objects->table, request->object);
    const bool arrives = record != NULL && record->is_arriving &&
                         record->from == tc_self_origin() && record->moves == request->moves;
    if (!arrives && request->kind == TCO_ABORT)
        return TC_OK; /* its first piece was refused */
    if (!arrives)
        return tci_error_set(err, TC_E_INVALID, "object %u of rank %u does not arrive",
                             tco_pointer_index(request->object), request->object.rank);
    if (request->kind == TCO_ABORT) {
        give_up(objects, record);
        return TC_OK;
    }
    if (record->received != record->bytes)
        return tci_error_set(err, TC_E_INVALID, "%" PRIu64 " of %" PRIu64 " bytes have arrived",
                             record->received, record->bytes);
    record->is_arriving = false;
    objects->arriving--;
    tco_table_forget(&objects->table, request->object); /* an earlier rank of it */
    if (request->object.rank != objects->node.rank) {
        const tco_request fact =
            tco_moves_request(TCO_FACT, request->object, objects->node.rank, record->moves);
        tco_moves_notify(objects, request->object.rank, &fact);
    }
    tco_turns_admit(objects, record);
    return TC_OK;
}

void tco_moves_probe(tc_objects *objects, tc_gptr object)
{
    tco_record *record = tco_table_find(&objects->table, object);
    tc_ep *ep;
    if (record == NULL || !record->is_arriving || record->is_probed)
        return;
    const tco_request probe = tco_moves_request(TCO_PROBE, object, 0, record->moves);
    record->is_probed = true;
    tc_status status = tc_group_ep(objects->group, record->from, &ep, NULL);
    if (status == TC_OK)
        status = tc_call(ep, objects->runtime, &probe, sizeof probe, NULL, NULL, 0, NULL);
    /* A commit that was sent before the answer has arrived before it. */
    record = tco_table_find(&objects->table, object);
    if (record == NULL || !record->is_arriving || record->moves != probe.moves)
        return;
    record->is_probed = false;
    /* The call also fails when the end of this task's own endpoint ends its waits. */
    if (status != TC_OK && tc_task_sleep(0) == TC_OK)
        give_up_probed(objects, &probe);
}

static tc_status answer_probe(const tc_objects *objects, const tco_request *request,
                              tc_error *err)
{
    const tco_record *record = tco_table_find(&objects->table, request->object);
    if (record != NULL && !record->is_arriving && record->is_exclusive &&
        record->moves + 1 == request->moves)
        return TC_OK;
    return tci_error_set(err, TC_E_NOT_FOUND, "object %u of rank %u does not move from here",
                         tco_pointer_index(request->object), request->object.rank);
}

/* Facts about an object that is here are of a time before it came. */
static tc_status take_news(tc_objects *objects, const tco_request *request)
{
    if (request->kind == TCO_FACT)
        tco_table_learn(&objects->table, request->object, request->rank, request->moves);
    else if (tco_table_find(&objects->table, request->object) == NULL)
        tco_table_release(&objects->table, request->object);
    return TC_OK;
}

/* --- every request ------------------------------------------------------------------------ */

static tc_status serve(tc_objects *objects, const void *payload, size_t size,
                       tco_request *request, tc_error *err)
{
    size_t bytes;
    tc_status status = tco_request_check(payload, size, &objects->limits, request, &bytes, err);
    if (status != TC_OK)
        return status;
    if (tc_self_group() != objects->group)
        return tci_error_set(err, TC_E_REFUSED, "a request from outside of the group");
    switch ((tco_request_kind)request->kind) {
    case TCO_PIECE:
        return take_piece(objects, request, (const unsigned char *)payload + sizeof *request,
                          bytes, err);
    case TCO_COMMIT:
    case TCO_ABORT:
        return settle(objects, request, err);
    case TCO_FACT:
    case TCO_GONE:
        return take_news(objects, request);
    case TCO_PROBE:
        return answer_probe(objects, request, err);
    case TCO_MOVE:
    case TCO_DESTROY:
        break;
    }
    return TC_OK;
}

void tco_moves_main(void *payload, size_t size, void *target_args)
{
    const tc_object_node *node = tc_object_node_here();
    tco_request request;
    tc_error error;
    if (node == NULL)
        return;
    tc_status status = serve(tco_objects_of(node), payload, size, &request, &error);
    if (status != TC_OK)
        fail(status, &error);
    else if (request.kind == TCO_MOVE)
        tc_task_run(run_move, NULL, payload, size, target_args);
    else if (request.kind == TCO_DESTROY)
        tc_task_run(run_destroy, NULL, payload, size, target_args);
}
