/* Runs in the thread that serves, or in the program's where an origin computes itself. MPI is
 * called to build a derived type alone, which a sender asks for if all processes have
 * MPI_THREAD_MULTIPLE; that is checked here again. */
#include "mpix_handler.h"
#include "mpix_error.h"
#include "mpix_runtime.h"
#include "mpix_types.h"

#include <string.h>

/* A type that was built before for these runs, or now. */
static const char *find_built(tcm_runtime *runtime, const tcm_run *runs,
                              const tcm_wire_buffer *buffer, MPI_Datatype *handle_out)
{
    for (uint32_t i = 0; i < runtime->type_count; i++) {
        tcm_built *built = &runtime->types[i];
        if (built->count == buffer->runs && built->extent == buffer->extent &&
            memcmp(built->runs, runs, buffer->runs * sizeof *runs) == 0) {
            *handle_out = built->handle;
            return NULL;
        }
    }
    if (!runtime->multiple)
        return "a derived type arrived, which takes MPI_THREAD_MULTIPLE";
    if (runtime->type_count == TCM_TYPES_MAX) /* bound: TCM_TYPES_MAX */
        return "more than 256 derived types arrived";
    tcm_built *built = &runtime->types[runtime->type_count];
    const char *text = tcm_types_build(runs, buffer->runs, buffer->extent, &built->handle);
    if (text != NULL)
        return text;
    memcpy(built->runs, runs, buffer->runs * sizeof *runs);
    built->count = buffer->runs;
    built->extent = buffer->extent;
    runtime->type_count++;
    *handle_out = built->handle;
    return NULL;
}

static const char *find_types(tcm_runtime *runtime, const tcm_wire_message *message,
                              MPI_Datatype *handles)
{
    const tcm_run *runs = message->runs;
    for (unsigned i = 0; i < TCM_BUFFERS; i++) {
        const tcm_wire_buffer *buffer = &message->fixed.buffers[i];
        const char *text = NULL;
        if (buffer->number == TCM_WIRE_DERIVED) {
            text = find_built(runtime, runs, buffer, &handles[i]);
            runs += buffer->runs;
        } else {
            const tcm_type *type = tcm_types_number(buffer->number, &handles[i]);
            if (type == NULL || type->runs.size != buffer->size)
                text = "a predefined type has another size at the target, or is unknown there";
        }
        if (text != NULL)
            return text;
    }
    return NULL;
}

/* The address that MPI has for a buffer: its lowest byte may be behind that. */
static void *address(const void *lowest, const tcm_wire_buffer *buffer)
{
    return lowest == NULL ? NULL : (char *)(uintptr_t)lowest - buffer->shift;
}

static void call(const tcm_entry *entry, const tcm_wire *of, const MPI_Datatype *types,
                 tc_am_unit *unit)
{
    const tcm_wire_buffer *b = of->buffers;
    tc_am_unit *outer = tcm_error_unit;
    tcm_error_unit = unit;
    entry->function(address(unit->input, &b[TCM_INPUT]), (int)b[TCM_INPUT].count,
                    types[TCM_INPUT], address(unit->persistent, &b[TCM_PERSISTENT]),
                    (int)b[TCM_PERSISTENT].count, types[TCM_PERSISTENT],
                    address(unit->output, &b[TCM_OUTPUT]), (int)b[TCM_OUTPUT].count,
                    types[TCM_OUTPUT], (int)unit->segments, (int)unit->first);
    tcm_error_unit = outer;
}

void tcm_handler_run(tc_am_unit *unit)
{
    tcm_wire_message message;
    MPI_Datatype types[TCM_BUFFERS];
    const char *text = tcm_wire_decode(unit->description, unit->description_bytes, &message);
    if (text != NULL) {
        tc_am_fail(unit, TC_E_CORRUPT, text);
        return;
    }
    tcm_runtime *runtime = tcm_runtime_find(message.fixed.group);
    if (runtime == NULL || message.fixed.op >= runtime->count) {
        tc_am_fail(unit, TC_E_NOT_FOUND, "the target has no such operation");
        return;
    }
    text = find_types(runtime, &message, types);
    if (text != NULL)
        tc_am_fail(unit, TC_E_UNSUPPORTED, text);
    else
        call(&runtime->entries[message.fixed.op], &message.fixed, types, unit);
}
