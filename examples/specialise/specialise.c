/* Makes a function for a query, at the node, and hands the call on to it: it has the bitcode of
 * `filter` in itself, for every architecture, and writes the query where that has a
 * placeholder. The node's own compiler does the rest. This needs no LLVM: it is a search and
 * replace. */
#include "specialise.h"

#include "filter_bitcode.h"
#include "filter_check.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

/* The state kept from call to call: the function that was made last. */
typedef struct made_function {
    tc_ifunc *fn;
    uint8_t program[FILTER_PROGRAM_BYTES];
} made_function;

/* --- bitcode is a stream of bits: its bytes lie anywhere ---------------------------------- */

static uint8_t byte_at(const uint8_t *code, size_t bit)
{
    return (uint8_t)((code[bit / 8] | code[bit / 8 + 1] << 8) >> bit % 8);
}

static void put_byte(uint8_t *code, size_t bit, uint8_t value)
{
    unsigned two = code[bit / 8] | (unsigned)code[bit / 8 + 1] << 8;
    two = (two & ~(0xffu << bit % 8)) | (unsigned)value << bit % 8;
    code[bit / 8] = (uint8_t)two;
    code[bit / 8 + 1] = (uint8_t)(two >> 8);
}

static int is_mark(const uint8_t *code, size_t bit)
{
    static const uint8_t mark[FILTER_MARK_BYTES] = {FILTER_MARK};
    for (size_t i = 0; i < sizeof mark; i++)
        if (byte_at(code, bit + 8 * i) != mark[i])
            return 0;
    return 1;
}

/* Writes the query over every placeholder; there is one. */
static unsigned write_query(uint8_t *code, size_t size, const uint8_t *program)
{
    unsigned places = 0;
    for (size_t bit = 0; bit / 8 + FILTER_PROGRAM_BYTES + 1 < size; bit++) {
        if (!is_mark(code, bit))
            continue;
        for (size_t i = 0; i < FILTER_PROGRAM_BYTES; i++)
            put_byte(code, bit + 8 * i, program[i]);
        places++;
    }
    return places;
}

/* --- the function ------------------------------------------------------------------------ */

/* A copy of the slices with the query in each; the caller frees *room_out. */
static tc_status fill_slices(const specialise_order *order, tc_bitcode *slices,
                             uint8_t **room_out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < FILTER_SLICES; i++)
        bytes += filter_slices[i].size;
    uint8_t *at = malloc(bytes);
    if (at == NULL)
        return TC_E_NO_MEMORY;
    *room_out = at;
    for (size_t i = 0; i < FILTER_SLICES; i++) {
        const size_t size = filter_slices[i].size;
        memcpy(at, filter_slices[i].bytes, size);
        if (write_query(at, size, order->program) != 1)
            return TC_E_CORRUPT;
        slices[i] =
            (tc_bitcode){filter_slices[i].triple, at, order->cut != 0 ? size / 2 : size};
        at += size;
    }
    return TC_OK;
}

static tc_status make(const specialise_order *order, tc_ifunc **fn_out, tc_error *err)
{
    tc_bitcode slices[FILTER_SLICES];
    uint8_t *room = NULL;
    tc_status status = fill_slices(order, slices, &room);
    if (status == TC_OK)
        status = tc_ifunc_open_code(
            tc_ep_context(tc_self_endpoint()),
            &(tc_code){.name = "filter", .slices = slices, .slice_count = FILTER_SLICES},
            fn_out, err);
    else
        strcpy(err->text, "no memory, or the placeholder is not where it was");
    free(room);
    return status;
}

/* The function for this query: that of the last call, or a new one. */
static tc_status find_or_make(const specialise_order *order, made_function *made, tc_error *err)
{
    if (made->fn != NULL && order->cut == 0 &&
        memcmp(made->program, order->program, sizeof made->program) == 0)
        return TC_OK;
    tc_ifunc_close(made->fn);
    made->fn = NULL;
    memcpy(made->program, order->program, sizeof made->program);
    made->program[0] ^= (uint8_t)order->cut; /* spoilt code belongs to no query */
    return make(order, &made->fn, err);
}

void specialise_main(void *payload, size_t size, void *target_args)
{
    const specialise_order *order = payload;
    made_function *made = tc_self_state(sizeof *made);
    tc_error err;
    (void)target_args;
    if (size != sizeof *order || !filter_check(order->program, sizeof order->program)) {
        (void)tc_reply_error(TC_E_CORRUPT, "a payload that is no program");
        return;
    }
    tc_status status = made == NULL ? TC_E_NO_MEMORY : find_or_make(order, made, &err);
    if (status != TC_OK) {
        (void)tc_reply_error(status, made == NULL ? "no memory" : err.text);
        return;
    }
    /* Here, by a message of its own: it is compiled while others run, and answers the call. */
    if (tc_forward_function(made->fn, tc_self_rank(), NULL, 0) != TC_OK)
        (void)tc_reply_error(TC_E_UNREACHABLE, "the made function cannot be sent");
}
