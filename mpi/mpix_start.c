/* MPIX_Am: from the arguments of a program to an active message of <tc/am.h>.
 *
 * One buffer after the other is prepared: its types are looked up, its counts and signatures
 * compared, its layout at both sides made, and its use at the target described. Then the epoch
 * is looked at, and the message is started under the lock of the context. Everything that can
 * be refused is refused before that, so the target only meets ranges and layouts that fit. */
#include "mpix_ops.h"
#include "mpix_types.h"

#include <stdio.h>
#include <string.h>

/* One side of a transfer, input or output, of a segment. */
typedef struct transfer {
    const void *memory; /* at the origin */
    int count;          /* of elements there */
    MPI_Datatype origin;
    MPI_Datatype target;
    const char *name;
    tcm_segment here;
    tcm_segment there;
} transfer;

/* An active message that is prepared. */
typedef struct message {
    tcm_window *window;
    int segments;
    transfer input;
    transfer output;
    uint64_t at; /* the range in the target's window */
    uint64_t bytes;
    tcm_wire_message wire;
    uint32_t runs; /* in wire */
    int class;     /* of the error in text */
    char text[320];
} message;

static int fail(message *m, int class, const char *name, const char *text)
{
    m->class = class;
    (void)snprintf(m->text, sizeof m->text, "%s: %.200s", name, text);
    return 0;
}

/* --- the target's types ------------------------------------------------------------------- */

/* Describes a type for the handler. */
static int describe(message *m, unsigned buffer, const tcm_type *type, const char *name,
                    uint64_t count, uint64_t shift)
{
    tcm_wire_buffer *of = &m->wire.fixed.buffers[buffer];
    if (type->runs.size > UINT32_MAX || count > INT32_MAX)
        return fail(m, MPI_ERR_COUNT, name, "the type or its count at the target is too large");
    *of = (tcm_wire_buffer){.shift = shift,
                            .extent = type->runs.extent,
                            .count = (uint32_t)count,
                            .number = type->number,
                            .size = (uint32_t)type->runs.size};
    if (type->number != TCM_WIRE_DERIVED)
        return 1;
    if (!m->window->runtime->multiple)
        return fail(
            m, MPI_ERR_TYPE, name,
            "it is a derived type at the target, which is built there by the thread that "
            "serves: that takes MPI_THREAD_MULTIPLE at all processes");
    const char *text = tcm_wire_add(&m->wire, &m->runs, buffer, &type->runs);
    return text == NULL || fail(m, MPI_ERR_TYPE, name, text);
}

static int prepare_range(message *m, int rank, MPI_Aint displacement, int count,
                         MPI_Datatype handle)
{
    static const char name[] = "target_persistent_datatype";
    const tcm_share *share = &m->window->shares[rank];
    const char *text;
    uint64_t shift = 0, span = 0;
    const tcm_type *type = tcm_types_find(handle, &text);
    if (type == NULL)
        return fail(m, MPI_ERR_TYPE, name, text);
    if (count < 0)
        return fail(m, MPI_ERR_COUNT, "target_persistent_count", "it is negative");
    if (displacement < 0)
        return fail(m, MPI_ERR_DISP, "target_persistent_disp", "it is negative");
    text = tcm_runs_range(&type->runs, (uint64_t)count, &shift, &span);
    if (text != NULL)
        return fail(m, MPI_ERR_TYPE, name, text);
    uint64_t start = (uint64_t)displacement;
    if (span > 0 && (start > share->bytes / share->unit ||
                     shift + span > share->bytes - start * share->unit)) {
        m->class = MPI_ERR_RMA_RANGE;
        (void)snprintf(
            m->text, sizeof m->text,
            "the persistent range has %llu bytes behind displacement %lld of %llu: the "
            "window of rank %d has %llu bytes",
            (unsigned long long)(shift + span), (long long)displacement,
            (unsigned long long)share->unit, rank, (unsigned long long)share->bytes);
        return 0;
    }
    m->at = span > 0 ? start * share->unit + shift : 0;
    m->bytes = span;
    return describe(m, TCM_PERSISTENT, type, name, (uint64_t)count, shift);
}

/* --- input and output --------------------------------------------------------------------- */

/* N: how many elements of the target's type a segment has. */
static int count_at_target(message *m, const transfer *t, const tcm_type *origin,
                           const tcm_type *target, uint64_t *count_out)
{
    uint64_t bytes = (uint64_t)t->count * origin->runs.size;
    *count_out = target->runs.size > 0 ? bytes / target->runs.size : 0;
    if (*count_out * target->runs.size != bytes ||
        !tcm_runs_match(&origin->runs, (uint64_t)t->count, &target->runs, *count_out))
        return fail(m, MPI_ERR_TYPE, t->name,
                    "a segment's type signature is that of no count of the target's type");
    return 1;
}

static int lay_out(message *m, transfer *t, unsigned buffer, const tcm_type *origin,
                   const tcm_type *target, uint64_t count)
{
    const uint64_t segments = (uint64_t)m->segments;
    const char *text = tcm_segment_init(&t->here, &origin->runs, (uint64_t)t->count);
    if (text == NULL)
        text = tcm_segment_init(&t->there, &target->runs, count);
    if (text == NULL && buffer == TCM_OUTPUT)
        text = tcm_segment_check(&t->here, segments);
    if (text == NULL)
        text = tcm_segment_check(&t->there, segments);
    if (text != NULL)
        return fail(m, MPI_ERR_TYPE, t->name, text);
    const int packed = t->there.layout.count == 0; /* attached memory has no gaps */
    const uint64_t most = packed ? TC_AM_SEGMENT_BYTES_MAX : TC_AM_UNIT_BYTES_MAX;
    if (t->there.span <= most)
        return 1;
    m->class = MPI_ERR_BUFFER;
    (void)snprintf(m->text, sizeof m->text,
                   "%s: one segment takes %llu bytes at the target: expected %llu at most%s",
                   t->name, (unsigned long long)t->there.span, (unsigned long long)most,
                   packed ? "" : " for a type with gaps there");
    return 0;
}

static int prepare(message *m, transfer *t, unsigned buffer)
{
    const char *text;
    uint64_t count = 0;
    if (t->count < 0)
        return fail(m, MPI_ERR_COUNT, t->name, "the count is negative");
    const tcm_type *origin = tcm_types_find(t->origin, &text);
    if (origin == NULL)
        return fail(m, MPI_ERR_TYPE, t->name, text);
    const tcm_type *target = tcm_types_find(t->target, &text);
    if (target == NULL) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s, at the target", t->name);
        return fail(m, MPI_ERR_TYPE, name, text);
    }
    if (!count_at_target(m, t, origin, target, &count) ||
        !lay_out(m, t, buffer, origin, target, count))
        return 0;
    if (t->memory == NULL && t->here.span > 0)
        return fail(m, MPI_ERR_BUFFER, t->name, "its address is NULL");
    return describe(m, buffer, target, t->name, count, t->there.shift);
}

/* --- epochs and starting ------------------------------------------------------------------ */

/* Has MPI take the lock that it may have delayed. */
static int force_lock(message *m, int rank)
{
    char byte;
    tcm_window *window = m->window;
    int code = MPI_SUCCESS;
    if (window->shares[rank].bytes > 0)
        code = PMPI_Get(&byte, 1, MPI_BYTE, rank, 0, 1, MPI_BYTE, window->win);
    if (code == MPI_SUCCESS)
        code = PMPI_Win_flush(rank, window->win);
    if (code != MPI_SUCCESS)
        return fail(m, MPI_ERR_RMA_SYNC, "target_rank", "MPI does not give the lock");
    tcm_epoch_grant(&window->epoch, (uint32_t)rank);
    return 1;
}

static int enter_epoch(message *m, int rank)
{
    tcm_window *window = m->window;
    tc_error err;
    tcm_epoch_state state = tcm_epoch_find(&window->epoch, (uint32_t)rank);
    if (!state.open)
        return fail(m, MPI_ERR_RMA_SYNC, "target_rank",
                    "this process has no access epoch to the target");
    if (!state.granted && !force_lock(m, rank))
        return 0;
    if (state.concurrent == window->concurrent)
        return 1;
    if (!state.concurrent &&
        tcm_window_complete(window, TC_RANK_NONE, &err) != TC_OK) /* other targets' failures */
        window->failure = err;
    if (!tcm_runtime_lock(window->runtime, &err))
        return fail(m, MPI_ERR_OTHER, "MPIX_Am", err.text);
    tc_am_window_set_concurrent(window->am, state.concurrent);
    tcm_runtime_unlock(window->runtime);
    window->concurrent = state.concurrent;
    return 1;
}

/* Starts it; while too many are under way, waits for those of this window, or for others. */
static tc_status start(tcm_window *window, uint32_t rank, tc_am_op *op,
                       const tc_am_params *params, tc_error *err)
{
    tc_status status = tc_am_start(window->am, rank, op, params, NULL, err);
    while (status == TC_E_AGAIN) {
        tc_error ended;
        if (tc_am_flush(window->am, TC_RANK_NONE, TCM_FOREVER_NS, &ended) != TC_OK &&
            window->failure.status == TC_OK)
            window->failure = ended;
        (void)tc_wait(window->runtime->ctx, 1000000);
        status = tc_am_start(window->am, rank, op, params, NULL, err);
    }
    return status;
}

static int send(message *m, int rank, const tcm_window_op *op)
{
    tcm_window *window = m->window;
    tc_error err = {TC_OK, ""};
    const transfer *in = &m->input, *out = &m->output;
    m->wire.fixed.op = op->number;
    m->wire.fixed.group = window->runtime->id;
    tc_am_params params = {
        .input = in->here.span > 0 ? (const char *)in->memory + in->here.shift : NULL,
        .output = out->here.span > 0 ? (char *)(uintptr_t)out->memory + out->here.shift : NULL,
        .input_layout = in->here.layout,
        .output_layout = out->here.layout,
        .target_input = in->there.layout.count > 0 ? &in->there.layout : NULL,
        .target_output = out->there.layout.count > 0 ? &out->there.layout : NULL,
        .segments = (uint32_t)m->segments,
        .at = m->at,
        .bytes = m->bytes,
        .description = &m->wire,
        .description_bytes = tcm_wire_finish(&m->wire, m->runs),
        .timeout_ns = TCM_FOREVER_NS};
    if (!tcm_runtime_lock(window->runtime, &err))
        return fail(m, MPI_ERR_OTHER, "MPIX_Am", err.text);
    tcm_window_start(window, (uint32_t)rank);
    tc_status status = start(window, (uint32_t)rank, op->op, &params, &err);
    tcm_runtime_unlock(window->runtime);
    return status == TC_OK || fail(m, tcm_error_class(status), "MPIX_Am", err.text);
}

static int run(message *m, int rank, MPI_Aint displacement, int count, MPI_Datatype type,
               MPI_Op am_op)
{
    const tcm_window_op *op = tcm_ops_find(m->window, am_op);
    if (op == NULL || am_op == MPI_OP_NULL)
        return fail(m, MPI_ERR_OP, "am_op", "it is not registered at the window");
    if (m->segments < 0)
        return fail(m, MPI_ERR_COUNT, "num_segments", "it is negative");
    if (rank != MPI_PROC_NULL && (rank < 0 || (uint32_t)rank >= m->window->size))
        return fail(m, MPI_ERR_RANK, "target_rank", "the window has no such rank");
    if (rank == MPI_PROC_NULL || m->segments == 0)
        return 1;
    return prepare(m, &m->input, TCM_INPUT) &&
           prepare_range(m, rank, displacement, count, type) &&
           prepare(m, &m->output, TCM_OUTPUT) && enter_epoch(m, rank) && send(m, rank, op);
}

int MPIX_Am(const void *origin_input_addr, int origin_input_segment_count,
            MPI_Datatype origin_input_segment_datatype, void *origin_output_addr,
            int origin_output_segment_count, MPI_Datatype origin_output_segment_datatype,
            int num_segments, int target_rank, MPI_Datatype target_input_segment_datatype,
            MPI_Aint target_persistent_disp, int target_persistent_count,
            MPI_Datatype target_persistent_datatype,
            MPI_Datatype target_output_segment_datatype, MPI_Op am_op, MPI_Win win)
{
    if (tcm_error_unit != NULL)
        return tcm_error_in_handler("MPIX_Am");
    message m;
    m.window = tcm_window_find(win);
    if (m.window == NULL)
        return tcm_error_win(win, MPI_ERR_WIN,
                             "MPIX_Am: no operation is registered at the window");
    m.segments = num_segments;
    m.runs = 0;
    m.input = (transfer){.memory = origin_input_addr,
                         .count = origin_input_segment_count,
                         .origin = origin_input_segment_datatype,
                         .target = target_input_segment_datatype,
                         .name = "input"};
    m.output = (transfer){.memory = origin_output_addr,
                          .count = origin_output_segment_count,
                          .origin = origin_output_segment_datatype,
                          .target = target_output_segment_datatype,
                          .name = "output"};
    int well = run(&m, target_rank, target_persistent_disp, target_persistent_count,
                   target_persistent_datatype, am_op);
    tcm_segment_fini(&m.input.here);
    tcm_segment_fini(&m.input.there);
    tcm_segment_fini(&m.output.here);
    tcm_segment_fini(&m.output.there);
    return well ? MPI_SUCCESS : tcm_error_win(win, m.class, "MPIX_Am: %s", m.text);
}
