/* Units of active messages, and requests about windows, at a target with one window, attached
 * memory of which a part is reserved, and one operation, which writes to all of its output and
 * its range and reads all of its input. Functions of the fuzzer stand in front of the
 * library's. Whatever the bytes, nothing outside the range and the output is written, a message
 * is answered or fails once, and a unit that was accepted has the sizes that it states. The
 * first byte of the input says whether the sender is of the group, the message is a call, and
 * the function fails; the rest is the message. */
#include "fuzzer.h"
#include "../../am/am_ops.h"
#include "../../am/am_target.h"
#include "../../am/am_windows.h"

#include <string.h>

enum { MEMORY = 512, ATTACHED = 1024, GUARD = 64, PATTERN = 0x5a };

static tc_ams ams;
static uint8_t attached[GUARD + ATTACHED + GUARD];
static uint8_t how;
static unsigned failures, replies, runs;
static uint8_t *reply_memory;
static size_t reply_bytes;

void *__wrap_tc_self_data(const char *name, size_t *size_out);
void *__wrap_tc_self_data(const char *name, size_t *size_out)
{
    MUST(strcmp(name, TC_AM_NODE) == 0);
    *size_out = sizeof ams.node;
    return &ams.node;
}

tc_group *__wrap_tc_self_group(void);
tc_group *__wrap_tc_self_group(void)
{
    return (how & 1) != 0 ? NULL : ams.group;
}

uint32_t __wrap_tc_self_origin(void);
uint32_t __wrap_tc_self_origin(void)
{
    return 1;
}

void __wrap_tc_self_fail(tc_status status, const char *text);
void __wrap_tc_self_fail(tc_status status, const char *text)
{
    MUST(status < 0 && text[0] != '\0');
    failures++;
}

tc_status __wrap_tc_reply_begin(size_t size, void **memory_out);
tc_status __wrap_tc_reply_begin(size_t size, void **memory_out)
{
    if ((how & 2) != 0)
        return TC_E_NOT_FOUND;
    free(reply_memory);
    reply_memory = malloc(size > 0 ? size : 1);
    MUST(reply_memory != NULL);
    reply_bytes = size;
    *memory_out = reply_memory;
    return TC_OK;
}

tc_status __wrap_tc_reply_commit(size_t size);
tc_status __wrap_tc_reply_commit(size_t size)
{
    MUST(reply_memory != NULL && size == reply_bytes);
    replies++;
    return TC_OK;
}

tc_status __wrap_tc_reply(const void *data, size_t size);
tc_status __wrap_tc_reply(const void *data, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)data)[i];
    MUST(sum < UINT32_MAX);
    if ((how & 2) != 0)
        return TC_E_NOT_FOUND;
    replies++;
    return TC_OK;
}

static void touch(tc_am_unit *unit)
{
    const size_t input = (size_t)unit->segments * unit->input_bytes;
    const size_t output = (size_t)unit->segments * unit->output_bytes;
    unsigned sum = 0;
    runs++;
    MUST(unit->segments > 0 && input <= TC_AM_UNIT_BYTES_MAX && output <= TC_AM_UNIT_BYTES_MAX);
    MUST(unit->input != attached + GUARD || (input == 100 && output == 200));
    for (size_t i = 0; i < input; i++)
        sum += ((const uint8_t *)unit->input)[i];
    for (size_t i = 0; i < unit->description_bytes; i++)
        sum += ((const uint8_t *)unit->description)[i];
    if (output > 0)
        memset(unit->output, (int)sum, output);
    if (unit->persistent_bytes > 0)
        memset(unit->persistent, (int)sum, unit->persistent_bytes);
    if ((how & 4) != 0)
        tc_am_fail(unit, TC_E_IO, "as the input wants it");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t memory[GUARD + MEMORY + GUARD];
    static tc_am_window window = {.ams = &ams, .memory = memory + GUARD, .bytes = MEMORY};
    static tc_am_op op = {.ams = &ams, .function = touch, .name = "touch"};
    if (size == 0)
        return 0;
    memset(&ams, 0, offsetof(tc_ams, spread_input));
    ams.group = (tc_group *)(void *)&ams;
    ams.windows[0] = &window;
    ams.ops[0] = &op;
    ams.op_count = 1;
    tca_target_fill(&ams.node);
    memset(memory, PATTERN, sizeof memory);
    static tca_stage stage;
    tca_grant_facts facts;
    stage = (tca_stage){.buffers = {{.memory = attached + GUARD, .bytes = ATTACHED}}};
    window.stage = &stage;
    memset(attached, PATTERN, sizeof attached);
    MUST(tca_stage_reserve(&stage, 1, 100, 200, 0, &facts, NULL) == TC_OK && facts.grant == 1);
    how = data[0];
    failures = replies = runs = 0;
    uint8_t *message = malloc(size); /* aligned, and exactly as large */
    MUST(message != NULL);
    memcpy(message, data + 1, size - 1);
    tca_target_main(message, size - 1, NULL);
    const bool is_release = failures + replies == 0;
    MUST(failures + replies <= 1 && runs <= 1 && !ams.is_running);
    MUST(!is_release || (size == 1 + 48 && data[2] == TCA_RELEASE));
    for (size_t i = 0; i < GUARD; i++) {
        MUST(memory[i] == PATTERN && memory[GUARD + MEMORY + i] == PATTERN);
        MUST(attached[i] == PATTERN && attached[GUARD + ATTACHED + i] == PATTERN);
    }
    MUST(stage.grant_count <= 2);
    for (uint64_t grant = 1; grant <= stage.last_grant; grant++)
        tca_stage_release(&stage, 1, grant);
    MUST(stage.grant_count == 0 && stage.buffers[0].first == NULL);
    if ((how & 1) != 0)
        MUST(runs == 0);
    free(message);
    return 0;
}
