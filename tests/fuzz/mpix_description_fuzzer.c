/* The description of an active message of MPI (mpi/mpix_wire.h). One that is accepted has no
 * more pieces than a message carries, and is written again as the very same bytes. Types of its
 * pieces and counts are laid out: blocks of a segment lie within its span. */
#include "fuzzer.h"
#include "../../mpi/mpix_wire.h"

#include <string.h>

/* The type of a buffer that has pieces. */
static int read_type(const tcm_wire_buffer *buffer, const tcm_run *runs, tcm_runs *type)
{
    const char *text = NULL;
    for (uint32_t r = 0; text == NULL && r < buffer->runs; r++)
        text = tcm_runs_push(type, runs[r]);
    if (text == NULL)
        text = tcm_runs_close(type, buffer->extent);
    MUST(text == NULL || *text != '\0');
    return text == NULL;
}

static void lay_out(const tcm_runs *type, uint32_t count)
{
    tcm_segment segment;
    if (tcm_segment_init(&segment, type, count) != NULL)
        return;
    const tc_am_layout *layout = &segment.layout;
    MUST(layout->bytes == 0 || layout->bytes == count * type->size);
    uint64_t end = 0;
    for (uint64_t i = 0; layout->blocks != NULL && i < layout->count; i++) {
        uint64_t to = layout->blocks[i].offset + layout->blocks[i].bytes;
        end = to > end ? to : end;
    }
    if (layout->blocks == NULL && layout->count > 0)
        end = (layout->count - 1) * layout->stride + layout->block;
    MUST(layout->count == 0 || end == segment.span);
    (void)tcm_segment_check(&segment, 3);
    tcm_segment_fini(&segment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tcm_wire_message message;
    const char *text = tcm_wire_decode(data, size, &message);
    uint32_t runs = 0;
    MUST(text == NULL || *text != '\0');
    if (text != NULL)
        return 0;
    for (unsigned i = 0; i < TCM_BUFFERS; i++) {
        const tcm_wire_buffer *buffer = &message.fixed.buffers[i];
        tcm_runs type = {0};
        MUST(buffer->runs <= TCM_WIRE_RUNS_MAX - runs);
        if (read_type(buffer, message.runs + runs, &type)) {
            lay_out(&type, buffer->count % 1000);
            MUST(tcm_runs_match(&type, 7, &type, 7));
        }
        runs += buffer->runs;
        tcm_runs_fini(&type);
    }
    MUST(tcm_wire_finish(&message, runs) == size && memcmp(&message, data, size) == 0);
    return 0;
}
