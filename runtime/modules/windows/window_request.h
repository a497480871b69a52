/* The bytes of a chain of operations, and of its answer: docs/wire-format.md. Pure functions on
 * bytes. */
#ifndef TCI_WINDOW_REQUEST_H
#define TCI_WINDOW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/window.h>

#define TCI_WINDOW_STEP_BYTES 20u  /* of a step, before its words */
#define TCI_WINDOW_WORDS_MAX 4u    /* of a step */
#define TCI_WINDOW_ANSWER_BYTES 8u /* before the results, if not all steps have succeeded */
#define TCI_WINDOW_VALUE_BYTES 8u  /* of an atomic operation, and of an offset */
/* The largest request without the bytes of puts. */
#define TCI_WINDOW_STEPS_BYTES                                                                 \
    (TC_WINDOW_STEPS_MAX * (TCI_WINDOW_STEP_BYTES + 8u * TCI_WINDOW_WORDS_MAX))

/* A step as it travels. */
typedef struct tci_window_step {
    uint8_t operation, condition, base;
    uint16_t window, generation;
    uint64_t offset, size;
    uint64_t words[TCI_WINDOW_WORDS_MAX]; /* operand, expected, expected_mask, operand_mask */
    const uint8_t *data;                  /* of a put */
    void *result;                         /* of the program's step; does not travel */
} tci_window_step;

typedef struct tci_window_request {
    unsigned count;
    uint64_t result_bytes; /* of all steps, if all are done */
    uint64_t put_bytes;
    tci_window_step steps[TC_WINDOW_STEPS_MAX];
} tci_window_request;

/* Returns the bytes of the struct up to the end of its last step. */
static inline size_t tci_window_request_held(const tci_window_request *request)
{
    return offsetof(tci_window_request, steps) + request->count * sizeof request->steps[0];
}

/* Copies the public steps, of which each takes step_size bytes. TC_E_TOO_LARGE: 0 steps, or
 * too many. TC_E_INVALID: a number is too large to travel. TC_E_UNSUPPORTED: a field that
 * this library does not know. */
TC_MUST_CHECK tc_status tci_window_request_take(const tc_window_step *steps, size_t step_size,
                                                size_t count, tci_window_request *request_out,
                                                tc_error *err);

/* Returns the bytes of a request. The bytes of its puts are no more than SIZE_MAX / 2. */
size_t tci_window_request_bytes(const tci_window_request *request);

/* Writes so many bytes. */
void tci_window_request_encode(const tci_window_request *request, uint8_t *out);

/* Checks a request's steps: those of the program, and those of a peer, which
 * tci_window_request_decode has read. window_chain.h compares them with the owner's windows.
 * TC_E_INVALID, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_window_request_check(tci_window_request *request, tc_error *err);

/* Reads and checks a request. Each byte is read once, but for those of puts, to which the
 * request has pointers. TC_E_CORRUPT, and as tci_window_request_check. */
TC_MUST_CHECK tc_status tci_window_request_decode(const uint8_t *bytes, size_t size,
                                                  tci_window_request *request_out,
                                                  tc_error *err);

/* Returns the bytes of a step's result, if the step is done. */
static inline uint64_t tci_window_step_result(const tci_window_step *step)
{
    if (step->operation == TC_WINDOW_PUT)
        return 0;
    return step->operation == TC_WINDOW_GET || step->operation == TC_WINDOW_DESCRIBE
               ? step->size
               : TCI_WINDOW_VALUE_BYTES;
}

/* Returns whether a step is about bytes at an offset. */
static inline bool tci_window_step_has_offset(const tci_window_step *step)
{
    return step->operation != TC_WINDOW_ALLOCATE_BYTES && step->operation != TC_WINDOW_DESCRIBE;
}

/* Returns whether a step is done after one that has succeeded, or has not. */
static inline bool tci_window_step_is_due(const tci_window_step *step, bool succeeded_before)
{
    return step->condition == TC_WINDOW_ALWAYS ||
           (step->condition == TC_WINDOW_IF_SUCCEEDED) == succeeded_before;
}

/* Bit n of each is about step n. */
typedef struct tci_window_answer {
    uint16_t done, succeeded;
    const uint8_t *results; /* of all steps, in order: zeros of those that were not done */
} tci_window_answer;

/* Returns the steps of a request, as bits. */
static inline uint16_t tci_window_request_all(const tci_window_request *request)
{
    return (uint16_t)((1u << request->count) - 1);
}

/* Writes the head of an answer, which one about steps that have all succeeded has not: with it
 * a get of 8 bytes would take two cache lines instead of one. */
void tci_window_answer_encode(const tci_window_answer *answer,
                              uint8_t out[TCI_WINDOW_ANSWER_BYTES]);

/* Reads the answer to a request. TC_E_CORRUPT: steps that the conditions do not allow, or
 * another size. */
TC_MUST_CHECK tc_status tci_window_answer_decode(const uint8_t *bytes, size_t size,
                                                 const tci_window_request *request,
                                                 tci_window_answer *answer_out, tc_error *err);

#endif
