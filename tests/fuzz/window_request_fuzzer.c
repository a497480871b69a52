/* Requests for windows, answers to them, and the chains that requests are. An accepted request
 * is written again and must be the same bytes; it runs on two windows, and nothing outside them
 * changes; its answer is accepted. With an odd first byte the input is an answer to a chain of
 * fixed steps. An input of 41 bytes is the description of a window to map, too. */
#include "fuzzer.h"
#include "modules/windows/window_chain.h"
#include "modules/windows/window_share.h"

#include <string.h>

#define MEMORY_BYTES 256u
#define GUARD 0x5a

/* In the middle of guarded memory, aligned for atomic operations. */
typedef struct guarded {
    uint64_t before[8];
    uint8_t memory[MEMORY_BYTES];
    uint64_t after[8];
} guarded;

static void guard(guarded *g)
{
    memset(g, GUARD, sizeof *g);
    for (size_t i = 0; i < sizeof g->memory; i++)
        g->memory[i] = (uint8_t)(i % 32 == 0 ? i / 2 : 0);
}

static void check_guard(const guarded *g)
{
    for (size_t i = 0; i < sizeof g->before; i++)
        MUST(((const uint8_t *)g->before)[i] == GUARD &&
             ((const uint8_t *)g->after)[i] == GUARD);
}

/* Window 0 has all rights, and window 1 those of a reader. */
static void open_windows(tci_windows *windows, tci_core *core, tc_ep *peer, guarded memory[2])
{
    const uint32_t all =
        TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC | TC_WINDOW_ALLOCATE;
    for (unsigned i = 0; i < 2; i++) {
        tc_gptr at;
        guard(&memory[i]);
        const tc_window_params params = {.memory = memory[i].memory,
                                         .bytes = MEMORY_BYTES,
                                         .rights = i == 0 ? all : TC_WINDOW_READ,
                                         .peer = peer};
        MUST(tci_windows_open(windows, core, &params, &at, NULL) == TC_OK);
        MUST(at.window == i && at.generation == 1);
        windows->table[i].shared.base = i == 0 ? (uint8_t *)memory[0].before : NULL;
    }
}

static void run_request(const tci_window_request *request)
{
    static tci_core core;
    static tc_ep peer = {.core = &core, .token = 1};
    guarded memory[2];
    tci_windows windows = {0};
    tci_window_answer answer;
    tc_error error = {0};
    const uint8_t *begin;
    const size_t size = TCI_WINDOW_ANSWER_BYTES + (size_t)request->result_bytes;
    uint8_t *bytes = malloc(size);
    MUST(bytes != NULL);
    open_windows(&windows, &core, &peer, memory);
    if (tci_window_chain_run(&windows, &peer, request, bytes, &begin, &error) == TC_OK)
        MUST(tci_window_answer_decode(begin, (size_t)(bytes + size - begin), request, &answer,
                                      NULL) == TC_OK);
    else
        MUST(error.status < 0 && error.text[0] != '\0');
    check_guard(&memory[0]);
    check_guard(&memory[1]);
    windows.table[0].shared.base = NULL;
    tci_windows_fini(&windows);
    free(bytes);
}

static void check_request(const uint8_t *data, size_t size)
{
    tci_window_request request;
    tc_error error = {0};
    if (tci_window_request_decode(data, size, &request, &error) != TC_OK) {
        MUST(error.status < 0 && error.text[0] != '\0');
        return;
    }
    MUST(tci_window_request_bytes(&request) == size);
    uint8_t *again = malloc(size);
    MUST(again != NULL);
    tci_window_request_encode(&request, again);
    MUST(memcmp(again, data, size) == 0);
    free(again);
    run_request(&request);
}

static void check_answer(const uint8_t *data, size_t size)
{
    const tc_gptr at = {.generation = 1};
    tc_window_step steps[4] = {
        tc_window_step_get(at, NULL, 24), tc_window_step_compare_swap(at, 1, 2, NULL),
        tc_window_step_put(at, "put", 3), tc_window_step_fetch_add(at, 1, NULL)};
    tci_window_request request;
    tci_window_answer answer;
    tc_error error = {0};
    steps[2].condition = TC_WINDOW_IF_SUCCEEDED;
    steps[3].condition = TC_WINDOW_IF_FAILED;
    MUST(tci_window_request_take(steps, sizeof *steps, 4, &request, NULL) == TC_OK);
    if (tci_window_answer_decode(data, size, &request, &answer, &error) != TC_OK) {
        MUST(error.status == TC_E_CORRUPT && error.text[0] != '\0');
        return;
    }
    MUST((answer.succeeded & ~answer.done) == 0 && (answer.done & 3) == 3);
    MUST(size == TCI_WINDOW_ANSWER_BYTES + 40u && answer.results == data + size - 40);
}

static void check_share(const uint8_t *data)
{
    tci_window_share share;
    tc_error error = {0};
    if (tci_window_share_decode(data, &share, &error) == TC_OK)
        MUST(share.bytes > 0 && share.rights != 0);
    else
        MUST(error.status == TC_E_CORRUPT && error.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* in memory of just that size, so that a step outside shows */
    uint8_t *copy = malloc(size);
    MUST(copy != NULL);
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 2 == 0)
        check_request(copy, size - 1);
    else
        check_answer(copy, size - 1);
    if (size - 1 == TCI_WINDOW_SHARE_BYTES)
        check_share(copy);
    free(copy);
    return 0;
}
