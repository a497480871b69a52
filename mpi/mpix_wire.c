#include "mpix_wire.h"

#include <string.h>

#define MAGIC 0x31585054u

const char *tcm_wire_add(tcm_wire_message *message, uint32_t *used, unsigned buffer,
                         const tcm_runs *type)
{
    if (type->count > TCM_WIRE_RUNS_MAX - *used)
        return "derived types for the target have more than 36 pieces";
    memcpy(message->runs + *used, type->runs, type->count * sizeof *type->runs);
    *used += type->count;
    message->fixed.buffers[buffer].runs = type->count;
    return NULL;
}

size_t tcm_wire_finish(tcm_wire_message *message, uint32_t used)
{
    message->fixed.magic = MAGIC;
    return sizeof message->fixed + used * sizeof *message->runs;
}

static const char *check_buffer(const tcm_wire_buffer *buffer)
{
    if (buffer->shift > (uint64_t)TCM_OFFSET_MAX || buffer->extent < 0 ||
        buffer->extent > TCM_OFFSET_MAX)
        return "description: a buffer has an offset beyond 2^48";
    if (buffer->count > INT32_MAX)
        return "description: a count is negative";
    if (buffer->runs > TCM_WIRE_RUNS_MAX ||
        (buffer->number != TCM_WIRE_DERIVED && buffer->runs != 0))
        return "description: a type has too many pieces";
    return NULL;
}

static const char *check_run(const tcm_run *run)
{
    if (run->offset < 0 || run->offset > TCM_OFFSET_MAX || run->count == 0 ||
        run->count > INT32_MAX || run->bytes == 0 || run->bytes > 64)
        return "description: a piece of a type is malformed";
    return NULL;
}

const char *tcm_wire_decode(const void *bytes, size_t size, tcm_wire_message *message_out)
{
    uint32_t runs = 0;
    const char *text = NULL;
    memset(message_out, 0, sizeof *message_out);
    if (bytes == NULL || size < sizeof message_out->fixed || size > sizeof *message_out)
        return "description: it has the wrong size";
    memcpy(message_out, bytes, size);
    if (message_out->fixed.magic != MAGIC)
        return "description: it is of another library, or of another version";
    for (unsigned i = 0; text == NULL && i < TCM_BUFFERS; i++) {
        text = check_buffer(&message_out->fixed.buffers[i]);
        runs += message_out->fixed.buffers[i].runs;
    }
    if (text == NULL && size != sizeof message_out->fixed + runs * sizeof(tcm_run))
        text = "description: its size and its number of pieces differ";
    for (uint32_t r = 0; text == NULL && r < runs; r++)
        text = check_run(&message_out->runs[r]);
    return text;
}
