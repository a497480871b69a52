/* The functions of programs: open and close, construct, call, move and destroy. */
#include "object_methods.h"
#include "object_moves.h"

#include "base/sized_struct.h"

#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>

#define OBJECTS_DEFAULT 65536u
#define STATE_DEFAULT (1ull << 30)

/* An archive as docs/archive-format.md has it: the function tc_object with one slice, of a form
 * and a target that no process selects. Its content id is that of the protocol between ranks,
 * so a byte changes only together with the meaning of requests. */
static const uint8_t archive[] = {0x54, 0x43, 0x41, 0x01, 0x00, 0x00, 0x22, 0x74, 0x63, 0x5f,
                                  0x6f, 0x62, 0x6a, 0x65, 0x63, 0x74, 0x00, 0x01, 0x01, 0x00,
                                  0x6f, 0x62, 0x6a, 0x65, 0x63, 0x74, 0x73, 0x2d, 0x6e, 0x6f,
                                  0x6e, 0x65, 0x00, 0xff, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
                                  0x00, 0x0e, 0x85, 0xd8, 0xa7, 0xee, 0xb8, 0xf4, 0x8b};

/* --- open and close ----------------------------------------------------------------------- */

static tc_status read_params(const tc_objects_params *given, size_t given_size,
                             tc_objects_params *params_out, tc_error *err)
{
    TC_TRY(tci_sized_struct_read(params_out, sizeof *params_out, given, given_size, err));
    if (params_out->objects_max == 0)
        params_out->objects_max = OBJECTS_DEFAULT;
    if (params_out->state_max == 0)
        params_out->state_max = STATE_DEFAULT;
    return TC_OK;
}

static tc_status check_params(tc_context *ctx, const tc_objects_params *params, tc_error *err)
{
    if (params->group == NULL || tc_group_context(params->group) != ctx)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_objects_params: no group, or a group of another context");
    if (params->objects_max > TC_OBJECTS_MAX || params->state_max > TC_OBJECT_STATE_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_objects_params: %u objects of %llu bytes, expected %u of %llu "
                             "at most",
                             params->objects_max, (unsigned long long)params->state_max,
                             TC_OBJECTS_MAX, TC_OBJECT_STATE_MAX);
    return TC_OK;
}

static tc_status attach(tc_objects *objects, tc_error *err)
{
    const tc_code code = {.bytes = archive, .size = sizeof archive};
    tc_status status = tc_ifunc_open_code(objects->context, &code, &objects->runtime, err);
    if (status != TC_OK)
        return status;
    status = tc_ifunc_use_local(objects->runtime, tco_moves_main, err);
    if (status == TC_OK)
        status = tc_context_publish(objects->context, TC_OBJECT_NODE, &objects->node,
                                    sizeof objects->node, err);
    if (status != TC_OK)
        tc_ifunc_close(objects->runtime);
    return status;
}

tc_status tc_objects_open_sized(tc_context *ctx, const tc_objects_params *given,
                                size_t given_size, tc_objects **objects_out, tc_error *err)
{
    tc_objects_params params;
    tc_status status = read_params(given, given_size, &params, err);
    if (status == TC_OK)
        status = check_params(ctx, &params, err);
    if (status != TC_OK)
        return status;
    tc_objects *objects = calloc(1, sizeof *objects);
    const uint32_t rank = tc_group_rank(params.group);
    if (objects == NULL || tco_table_init(&objects->table, rank, params.objects_max) != TC_OK) {
        free(objects);
        return tci_error_set(err, TC_E_NO_MEMORY, "objects of a rank: out of memory");
    }
    objects->context = ctx;
    objects->group = params.group;
    objects->limits = (tco_request_limits){.ranks = tc_group_size(params.group),
                                           .state_max = params.state_max};
    objects->node.abi = TC_OBJECT_ABI;
    objects->node.rank = rank;
    tco_methods_fill(&objects->node);
    status = attach(objects, err);
    if (status != TC_OK) {
        tco_table_fini(&objects->table, tco_record_free);
        free(objects);
        return status;
    }
    *objects_out = objects;
    return TC_OK;
}

tc_status tc_objects_close(tc_objects *objects)
{
    if (objects == NULL)
        return TC_OK;
    if (objects->users > 0)
        return TC_E_BUSY;
    tc_status status = tc_context_publish(objects->context, TC_OBJECT_NODE, NULL, 0, NULL);
    if (status != TC_OK)
        return status;
    tc_ifunc_close(objects->runtime);
    tco_table_fini(&objects->table, tco_record_free);
    free(objects);
    return TC_OK;
}

size_t tc_objects_count(const tc_objects *objects)
{
    return objects->table.record_count - objects->arriving;
}

/* --- the way to an object ----------------------------------------------------------------- */

tc_status tc_object_ep(tc_objects *objects, const tc_gptr *object, tc_ep **ep_out,
                       tc_error *err)
{
    tc_gptr pointer;
    tco_fact fact;
    memcpy(&pointer, object, sizeof pointer);
    tc_status status = tco_pointer_check(pointer, objects->limits.ranks, err);
    if (status != TC_OK)
        return status;
    if (tco_table_find(&objects->table, pointer) != NULL ||
        tco_table_where(&objects->table, pointer, &fact, NULL) != TC_OK)
        fact.rank = objects->node.rank; /* which has it, or answers why it has not */
    status = tc_group_ep(objects->group, fact.rank, ep_out, err);
    if (status == TC_OK || fact.rank == pointer.rank)
        return status;
    tco_table_forget(&objects->table, pointer);
    return tc_group_ep(objects->group, pointer.rank, ep_out, err);
}

void tc_object_forget(tc_objects *objects, const tc_gptr *object)
{
    tc_gptr pointer;
    memcpy(&pointer, object, sizeof pointer);
    tco_table_forget(&objects->table, pointer);
}

/* --- calls that block --------------------------------------------------------------------- */

tc_status tc_object_call(tc_objects *objects, tc_ifunc *method, const void *message,
                         size_t size, void *result, size_t *result_size, uint64_t timeout_ns,
                         tc_error *err)
{
    tc_ep *ep;
    if (size < sizeof(tc_gptr))
        return tci_error_set(err, TC_E_INVALID,
                             "a message of %zu bytes, expected a tc_gptr in front", size);
    tc_status status = tc_object_ep(objects, message, &ep, err);
    if (status != TC_OK)
        return status;
    status = tc_call(ep, method, message, size, result, result_size, timeout_ns, err);
    if (status == TC_E_PEER_LOST || status == TC_E_UNREACHABLE || status == TC_E_CLOSED ||
        status == TC_E_TIMEOUT)
        tc_object_forget(objects, message);
    return status;
}

tc_status tc_object_create(tc_objects *objects, uint32_t rank, tc_ifunc *constructor,
                           const void *arguments, size_t size, uint64_t timeout_ns,
                           tc_gptr *object_out, tc_error *err)
{
    tc_gptr object = {0, 0, 0, 0};
    size_t answered = sizeof object;
    tc_ep *ep;
    tc_status status = tc_group_ep(objects->group, rank, &ep, err);
    if (status == TC_OK)
        status = tc_call(ep, constructor, arguments, size, &object, &answered, timeout_ns, err);
    if (status == TC_E_TOO_LARGE && answered > sizeof object)
        return tci_error_set(err, TC_E_CORRUPT,
                             "the constructor answered with %zu bytes, expected a tc_gptr",
                             answered);
    if (status != TC_OK)
        return status;
    if (answered != sizeof object || object.rank != rank ||
        !tco_pointer_is_valid(object, objects->limits.ranks))
        return tci_error_set(err, TC_E_CORRUPT,
                             "the constructor answered with %zu bytes, expected the pointer of "
                             "an object of rank %u",
                             answered, rank);
    *object_out = object;
    return TC_OK;
}

tc_status tc_object_move(tc_objects *objects, tc_gptr object, uint32_t rank,
                         uint64_t timeout_ns, tc_error *err)
{
    const tco_request request = tco_moves_request(TCO_MOVE, object, rank, 0);
    if (rank >= objects->limits.ranks)
        return tci_error_set(err, TC_E_NOT_FOUND, "rank %u of a group of %u", rank,
                             objects->limits.ranks);
    return tc_object_call(objects, objects->runtime, &request, sizeof request, NULL, NULL,
                          timeout_ns, err);
}

tc_status tc_object_destroy(tc_objects *objects, tc_gptr object, tc_ifunc *destructor,
                            uint64_t timeout_ns, tc_error *err)
{
    const tco_request request = tco_moves_request(TCO_DESTROY, object, 0, 0);
    if (destructor != NULL)
        return tc_object_call(objects, destructor, &object, sizeof object, NULL, NULL,
                              timeout_ns, err);
    return tc_object_call(objects, objects->runtime, &request, sizeof request, NULL, NULL,
                          timeout_ns, err);
}
