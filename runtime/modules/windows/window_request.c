/* A request is read in two steps: the bytes of all steps into a struct, and checks of that
 * struct. The checks are the same for the steps of the program, which never were bytes. */
#include "modules/windows/window_request.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "modules/windows/window_share.h"

#include <inttypes.h>

/* By operation: the name for texts, and the number of words that follow a step. */
static const struct kind {
    const char *name;
    unsigned words;
} kinds[] = {[TC_WINDOW_GET] = {"get", 0},
             [TC_WINDOW_PUT] = {"put", 0},
             [TC_WINDOW_FETCH_ADD] = {"fetch and add", 1},
             [TC_WINDOW_COMPARE_SWAP] = {"compare and swap", 2},
             [TC_WINDOW_MASKED_COMPARE_SWAP] = {"masked compare and swap", 4},
             [TC_WINDOW_ALLOCATE_BYTES] = {"allocate", 0},
             [TC_WINDOW_DESCRIBE] = {"describe", 0}};

#define KINDS (sizeof kinds / sizeof kinds[0])

static unsigned words_of(const tci_window_step *step)
{
    return step->operation < KINDS ? kinds[step->operation].words : 0;
}

/* --- from the program --------------------------------------------------------------------- */

static tc_status take_step(const tc_window_step *step, unsigned number, tci_window_step *out,
                           tc_error *err)
{
    if (step->operation > UINT8_MAX || step->condition > UINT8_MAX || step->base > UINT8_MAX)
        return tci_error_set(
            err, TC_E_INVALID,
            "step %u: operation %u, condition %u and base %u, expected numbers "
            "up to 255",
            number, step->operation, step->condition, step->base);
    *out = (tci_window_step){
        .operation = (uint8_t)step->operation,
        .condition = (uint8_t)step->condition,
        .base = (uint8_t)step->base,
        .window = step->at.window,
        .generation = step->at.generation,
        .offset = step->at.offset,
        .size = step->size,
        .words = {step->operand, step->expected, step->expected_mask, step->operand_mask},
        .data = step->operation == TC_WINDOW_PUT ? step->source : NULL,
        .result = step->result};
    const unsigned words = words_of(out);
    uint64_t more = 0;
    for (unsigned i = 0; i < TCI_WINDOW_WORDS_MAX; i++)
        more |= i < words ? 0 : out->words[i];
    return more == 0 ? TC_OK
                     : tci_error_set(err, TC_E_INVALID,
                                     "step %u: a value or a mask that its operation %u does "
                                     "not have, expected 0",
                                     number, step->operation);
}

tc_status tci_window_request_take(const tc_window_step *steps, size_t step_size, size_t count,
                                  tci_window_request *request_out, tc_error *err)
{
    if (count == 0 || count > TC_WINDOW_STEPS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "a chain of %zu steps, expected 1 to %u",
                             count, TC_WINDOW_STEPS_MAX);
    request_out->count = (unsigned)count;
    for (unsigned i = 0; i < count; i++) {
        tc_window_step step;
        const char *given = (const char *)steps + i * step_size;
        TC_TRY(tci_sized_struct_take(&step, sizeof step, given, step_size, err));
        TC_TRY(take_step(&step, i + 1, &request_out->steps[i], err));
    }
    return tci_window_request_check(request_out, err);
}

/* --- checks ------------------------------------------------------------------------------- */

static bool has_value(const tci_window_step *step)
{
    return tci_window_step_result(step) == TCI_WINDOW_VALUE_BYTES;
}

/* `number` counts from 1. */
static tc_status check_base(const tci_window_request *request, unsigned number, tc_error *err)
{
    const unsigned base = request->steps[number - 1].base;
    if (base >= number)
        return tci_error_set(err, TC_E_INVALID,
                             "step %u: takes its offset from step %u, expected an earlier one",
                             number, base);
    if (base > 0 && !tci_window_step_has_offset(&request->steps[number - 1]))
        return tci_error_set(err, TC_E_INVALID,
                             "step %u: an operation that has no offset takes one from step %u",
                             number, base);
    if (base > 0 && !has_value(&request->steps[base - 1]))
        return tci_error_set(err, TC_E_INVALID,
                             "step %u: takes its offset from step %u, which has no result of 8 "
                             "bytes",
                             number, base);
    return TC_OK;
}

static tc_status check_size(const tci_window_step *step, unsigned number, tc_error *err)
{
    const struct kind *kind = &kinds[step->operation];
    if (step->size == 0)
        return tci_error_set(err, TC_E_INVALID, "step %u: %s of 0 bytes, expected 1 at least",
                             number, kind->name);
    if (kind->words > 0 && step->size != TCI_WINDOW_VALUE_BYTES)
        return tci_error_set(err, TC_E_INVALID, "step %u: %s of %" PRIu64 " bytes, expected 8",
                             number, kind->name, step->size);
    if (!tci_window_step_has_offset(step) && step->offset != 0)
        return tci_error_set(err, TC_E_INVALID, "step %u: %s at offset %" PRIu64 ", expected 0",
                             number, kind->name, step->offset);
    if (step->operation == TC_WINDOW_DESCRIBE && step->size != TCI_WINDOW_SHARE_BYTES)
        return tci_error_set(err, TC_E_INVALID,
                             "step %u: a description of %" PRIu64 " bytes, expected %u", number,
                             step->size, TCI_WINDOW_SHARE_BYTES);
    return TC_OK;
}

static tc_status check_step(const tci_window_request *request, unsigned number, tc_error *err)
{
    const tci_window_step *step = &request->steps[number - 1];
    if (step->operation == 0 || step->operation >= KINDS)
        return tci_error_set(err, TC_E_INVALID, "step %u: operation %u, expected 1 to %zu",
                             number, step->operation, KINDS - 1);
    if (step->condition > TC_WINDOW_IF_FAILED)
        return tci_error_set(err, TC_E_INVALID, "step %u: condition %u, expected 0 to %u",
                             number, step->condition, TC_WINDOW_IF_FAILED);
    if (number == 1 && step->condition != TC_WINDOW_ALWAYS)
        return tci_error_set(err, TC_E_INVALID,
                             "step 1: condition %u on the step before, expected 0, as there is "
                             "none",
                             step->condition);
    TC_TRY(check_base(request, number, err));
    return check_size(step, number, err);
}

/* Adds `bytes` to a sum that stays within the bound. */
static tc_status add_bytes(uint64_t *sum, uint64_t bytes, const char *what, tc_error *err)
{
    if (bytes > TC_WINDOW_BYTES_MAX - *sum)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "a chain of %" PRIu64 " and %" PRIu64 " bytes to %s, expected %u "
                             "at most",
                             *sum, bytes, what, TC_WINDOW_BYTES_MAX);
    *sum += bytes;
    return TC_OK;
}

tc_status tci_window_request_check(tci_window_request *request, tc_error *err)
{
    request->result_bytes = request->put_bytes = 0;
    for (unsigned i = 0; i < request->count; i++) {
        const tci_window_step *step = &request->steps[i];
        TC_TRY(check_step(request, i + 1, err));
        TC_TRY(add_bytes(&request->result_bytes, tci_window_step_result(step), "get", err));
        if (step->operation == TC_WINDOW_PUT)
            TC_TRY(add_bytes(&request->put_bytes, step->size, "put", err));
    }
    return TC_OK;
}

/* --- bytes of requests -------------------------------------------------------------------- */

size_t tci_window_request_bytes(const tci_window_request *request)
{
    size_t bytes = (size_t)request->put_bytes;
    for (unsigned i = 0; i < request->count; i++)
        bytes += TCI_WINDOW_STEP_BYTES + 8 * words_of(&request->steps[i]);
    return bytes;
}

/* An allocation has no offset, and may be of more bytes than a u32 has. */
static bool has_wide_size(const tci_window_step *step)
{
    return step->operation == TC_WINDOW_ALLOCATE_BYTES;
}

/* `count` is that of the steps in the first, and 0 in the others. */
static void write_step(tci_writer *w, const tci_window_step *step, unsigned count)
{
    const bool is_wide = has_wide_size(step);
    tci_write_u32(w, step->operation | (uint32_t)step->condition << 8 |
                         (uint32_t)step->base << 16 | count << 24);
    tci_write_u32(w, step->window | (uint32_t)step->generation << 16);
    tci_write_u32(w, is_wide ? 0 : (uint32_t)step->size);
    tci_write_u64(w, is_wide ? step->size : step->offset);
    for (unsigned k = 0; k < words_of(step); k++)
        tci_write_u64(w, step->words[k]);
}

void tci_window_request_encode(const tci_window_request *request, uint8_t *out)
{
    tci_writer w;
    tci_writer_init(&w, out, tci_window_request_bytes(request));
    for (unsigned i = 0; i < request->count; i++)
        write_step(&w, &request->steps[i], i == 0 ? request->count : 0);
    for (unsigned i = 0; i < request->count; i++) {
        if (request->steps[i].operation == TC_WINDOW_PUT)
            tci_write_bytes(&w, request->steps[i].data, (size_t)request->steps[i].size);
    }
}

static tc_status read_step(tci_reader *r, unsigned number, tci_window_step *step,
                           unsigned *count_out, tc_error *err)
{
    const uint32_t head = tci_read_u32(r), window = tci_read_u32(r), size = tci_read_u32(r);
    *step = (tci_window_step){.operation = (uint8_t)head,
                              .condition = (uint8_t)(head >> 8),
                              .base = (uint8_t)(head >> 16),
                              .window = (uint16_t)window,
                              .generation = (uint16_t)(window >> 16),
                              .offset = tci_read_u64(r),
                              .size = size};
    *count_out = head >> 24;
    for (unsigned k = 0; k < words_of(step); k++)
        step->words[k] = tci_read_u64(r);
    if (r->failed)
        return tci_error_set(
            err, TC_E_CORRUPT,
            "request of %zu bytes, which ends in step %u, expected %u bytes of "
            "it and its values",
            r->size, number, TCI_WINDOW_STEP_BYTES);
    if (!has_wide_size(step))
        return TC_OK;
    if (size != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "step %u: allocate with %u in bytes 8 to 11, expected 0", number,
                             size);
    step->size = step->offset;
    step->offset = 0;
    return TC_OK;
}

static tc_status read_steps(tci_reader *r, tci_window_request *request, tc_error *err)
{
    unsigned count, more;
    TC_TRY(read_step(r, 1, &request->steps[0], &count, err));
    if (count == 0 || count > TC_WINDOW_STEPS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "a chain of %u steps, expected 1 to %u",
                             count, TC_WINDOW_STEPS_MAX);
    request->count = count;
    for (unsigned i = 1; i < count; i++) {
        TC_TRY(read_step(r, i + 1, &request->steps[i], &more, err));
        if (more != 0)
            return tci_error_set(err, TC_E_CORRUPT, "step %u: %u in byte 3, expected 0", i + 1,
                                 more);
    }
    return TC_OK;
}

tc_status tci_window_request_decode(const uint8_t *bytes, size_t size,
                                    tci_window_request *request_out, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    TC_TRY(read_steps(&r, request_out, err));
    TC_TRY(tci_window_request_check(request_out, err));
    if (tci_reader_left(&r) != request_out->put_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "%zu bytes behind the steps, expected the %" PRIu64 " of all puts",
                             tci_reader_left(&r), request_out->put_bytes);
    for (unsigned i = 0; i < request_out->count; i++) {
        tci_window_step *step = &request_out->steps[i];
        if (step->operation == TC_WINDOW_PUT)
            step->data = tci_read_bytes(&r, (size_t)step->size);
    }
    return TC_OK;
}

/* --- answers ------------------------------------------------------------------------------ */

void tci_window_answer_encode(const tci_window_answer *answer,
                              uint8_t out[TCI_WINDOW_ANSWER_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_WINDOW_ANSWER_BYTES);
    tci_write_u16(&w, answer->done);
    tci_write_u16(&w, answer->succeeded);
    tci_write_u32(&w, 0);
}

static bool may_fail(const tci_window_step *step)
{
    return step->operation == TC_WINDOW_COMPARE_SWAP ||
           step->operation == TC_WINDOW_MASKED_COMPARE_SWAP;
}

/* Compares the steps of an answer with the conditions. */
static tc_status check_answer(const tci_window_request *request,
                              const tci_window_answer *answer, tc_error *err)
{
    bool succeeded = false; /* the step before */
    for (unsigned i = 0; i < request->count; i++) {
        const tci_window_step *step = &request->steps[i];
        const bool done = (answer->done >> i & 1) != 0;
        const bool due = tci_window_step_is_due(step, succeeded);
        succeeded = (answer->succeeded >> i & 1) != 0;
        if (done != due || (succeeded && !done) || (done && !succeeded && !may_fail(step)))
            return tci_error_set(err, TC_E_CORRUPT,
                                 "an answer by which step %u was %sdone and has %ssucceeded",
                                 i + 1, done ? "" : "not ", succeeded ? "" : "not ");
    }
    return TC_OK;
}

static tc_status read_head(tci_reader *r, const tci_window_request *request,
                           tci_window_answer *answer, tc_error *err)
{
    answer->done = tci_read_u16(r);
    answer->succeeded = tci_read_u16(r);
    const uint32_t zero = tci_read_u32(r);
    if (!r->failed && zero == 0 && (answer->done | answer->succeeded) >> request->count == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "an answer of %zu bytes about steps %#x and %#x, expected %u steps "
                         "and zeros",
                         r->size, answer->done, answer->succeeded, request->count);
}

tc_status tci_window_answer_decode(const uint8_t *bytes, size_t size,
                                   const tci_window_request *request,
                                   tci_window_answer *answer_out, tc_error *err)
{
    const uint16_t all = tci_window_request_all(request);
    tci_reader r;
    tci_reader_init(&r, bytes, size);
    *answer_out = (tci_window_answer){.done = all, .succeeded = all};
    if (size != request->result_bytes)
        TC_TRY(read_head(&r, request, answer_out, err));
    TC_TRY(check_answer(request, answer_out, err));
    if (tci_reader_left(&r) != request->result_bytes)
        return tci_error_set(err, TC_E_CORRUPT,
                             "an answer with %zu bytes of results, expected %" PRIu64,
                             tci_reader_left(&r), request->result_bytes);
    answer_out->results = tci_read_bytes(&r, (size_t)request->result_bytes);
    return TC_OK;
}
