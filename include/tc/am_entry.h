/* Operations of active messages (<tc/am.h>) that travel.
 *
 *   TC_AM_FUNCTION(absolute_sum)(tc_am_unit *unit)
 *   {
 *       const int32_t *in = unit->input;
 *       int32_t *out = unit->output, *mine = unit->persistent;
 *       ...
 *   }
 *
 * The definition makes absolute_sum_main, the entry of an ordinary function: tc-clang compiles
 * it, the program opens it by name and makes an operation of it by tc_am_op_open. A program may
 * compile the same source into itself and give tc_am_op_open the function absolute_sum_am, as
 * the equivalent that runs where the program computes itself, or pass absolute_sum_main to
 * tc_ifunc_use_local.
 *
 * Before the function runs, the runtime of the rank has checked the message: its sender is a
 * member of the group, the window is open, the range lies in it, and input and output have the
 * sizes that the message states. Whatever does not fit is answered with a status and a text.
 * The function must not wait, reply, forward or detach.
 *
 * Policies. These inline functions call tc_self_data and tc_self_fail. */
#ifndef TC_AM_ENTRY_H
#define TC_AM_ENTRY_H

#include <tc/am_op.h>
#include <tc/entry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime of a rank, published under TC_AM_NODE. tc_am_run uses it. */
#define TC_AM_NODE "tc_ams"
#define TC_AM_ABI 1u

typedef struct tc_am_node {
    uint32_t abi; /* TC_AM_ABI */
    uint32_t unused;
    /* Checks a message. 0: it has failed, and nothing runs. */
    int (*begin)(const struct tc_am_node *node, const void *payload, size_t size,
                 tc_am_unit *unit_out);
    /* Follows each begin that returned another number, and answers if the function returned. */
    void (*end)(const struct tc_am_node *node, tc_am_unit *unit, int returned);
} tc_am_node;

/* A run, and its end, which comes with the end of its scope, also by an exception. */
typedef struct tc_am_run_state {
    const tc_am_node *node; /* NULL: nothing has begun */
    tc_am_unit *unit;
    int returned;
} tc_am_run_state;

static inline void tc_am_run_end(tc_am_run_state *run)
{
    if (run->node != NULL)
        run->node->end(run->node, run->unit, run->returned);
}

static inline void tc_am_run_at(const tc_am_node *node, tc_am_function function,
                                const void *payload, size_t size)
{
    tc_am_unit unit;
    __attribute__((cleanup(tc_am_run_end))) tc_am_run_state run;
    run.node = NULL;
    run.unit = &unit;
    run.returned = 0;
    if (!node->begin(node, payload, size, &unit))
        return;
    run.node = node;
    function(&unit);
    run.returned = 1;
}

static inline void tc_am_run(tc_am_function function, const void *payload, size_t size)
{
    size_t node_size = 0;
    const tc_am_node *node = (const tc_am_node *)tc_self_data(TC_AM_NODE, &node_size);
    if (node == NULL || node_size < sizeof *node || node->abi != TC_AM_ABI) {
        tc_self_fail(TC_E_UNSUPPORTED, node == NULL
                                           ? "the rank has no active messages open"
                                           : "the rank has active messages of another version");
        return;
    }
    tc_am_run_at(node, function, payload, size);
}

#ifdef __cplusplus
#define TC_AM_LINKAGE extern "C"
#define TC_AM_MARK(name)                                                                       \
    extern "C" const size_t name##_payload_unit;                                               \
    const size_t name##_payload_unit = 1
#else
#define TC_AM_LINKAGE extern
#define TC_AM_MARK(name)                                                                       \
    extern const size_t name##_payload_unit;                                                   \
    const size_t name##_payload_unit = 1
#endif

/* Declares NAME_am and NAME_main, for programs that use them. */
#define TC_AM_DECLARE(name)                                                                    \
    TC_AM_LINKAGE void name##_am(tc_am_unit *unit);                                            \
    TC_AM_LINKAGE void name##_main(void *payload, size_t payload_size, void *target_args)

/* Begins the definition of an operation; its parameter and body follow. It also states
 * NAME_payload_unit, by which the archive has the entry's shape (tc-ar show).
 *
 *   name  of the function, without quotes */
#define TC_AM_FUNCTION(name)                                                                   \
    TC_AM_DECLARE(name);                                                                       \
    TC_AM_MARK(name);                                                                          \
    void name##_main(void *payload, size_t payload_size, void *target_args)                    \
    {                                                                                          \
        (void)target_args;                                                                     \
        tc_am_run(name##_am, payload, payload_size);                                           \
    }                                                                                          \
    void name##_am

#ifdef __cplusplus
}
#endif
#endif
