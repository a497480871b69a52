/* Windows that peers map: loads, stores and atomic operations of the processor instead of
 * messages, between processes of one user on one host.
 *
 * An owner opens a window with tc_window_params.shared: its memory is then shared memory that
 * the library makes, and tc_window_memory returns it. A peer that has an endpoint to the owner
 * and a right to the window maps it by tc_window_map, by any delivery, sealed or not, and reads
 * and changes it by the functions below, or by pointers into it. Shipped functions may do that,
 * too: those that wait (tc/task.h) may map a window, all may use one that is mapped. Operations
 * of <tc/window.h> on the same window go on, by messages; the atomic ones may be mixed, as all
 * are done by instructions of the host's processors.
 *
 * Memory model. A get has the meaning of an acquiring load, a put of a releasing store, the
 * atomic ones are sequentially consistent, each of one word of 8 bytes at a multiple of 8. So a
 * reader that gets a word sees all that its writer stored in the window before it put the word.
 * Larger accesses by pointers may be seen in part. A get may be done before an earlier put of
 * another word: two that each put a word and get the other's may both miss, unless they use
 * atomic operations for both. docs/memory-model.md has the rest.
 *
 * Trust. Rights are checked when a window is mapped: one without TC_WINDOW_WRITE and
 * TC_WINDOW_ATOMIC is mapped so that a store faults. But the memory belongs to the user: each
 * of his processes can reach it by other means. Whatever a peer writes can change while it is
 * read: read a value once, and check that. The owner cannot shrink the memory under a peer.
 *
 * End. A view stays until tc_window_unmap or the end of its context, whatever becomes of the
 * owner: the memory then keeps its last bytes. The endpoint says whether the owner lives. */
#ifndef TC_WINDOW_VIEW_H
#define TC_WINDOW_VIEW_H

#include <tc/window.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A window of another process, mapped into this one. Later versions may add members. */
typedef struct tc_window_view {
    uint64_t *memory;      /* its beginning here: NAME_get and the like check offsets */
    uint64_t get_words;    /* words of 8 bytes that may be got: all, or 0 without the right */
    uint64_t put_words;    /* that may be put */
    uint64_t atomic_words; /* for atomic operations */
    uint64_t bytes;
    uint32_t rights; /* TC_WINDOW_ bits */
} tc_window_view;

/* Returns the memory of an open window, whether the program's or the library's, or NULL. */
TC_API void *tc_window_memory(const tc_context *ctx, tc_gptr window);

/* Maps the window whole, whatever the offset. A window that is mapped already gives the same
 * view, which then has to be unmapped as often. Blocks for one round trip, progressing the
 * context; in a function that is TC_THREADED it suspends that.
 *
 *   timeout_ns      0: the option call_timeout
 *   view_out        the context's
 *
 *   TC_OK           *view_out may be used
 *   TC_E_INVALID    the window's memory is the program's: it was opened without `shared`
 *   TC_E_UNSUPPORTED  the owner is on another host or of another user, or this process may not
 *                   attach shared memory, or the library was built without the module `windows`
 *   TC_E_TOO_LARGE  1,024 windows are mapped in this context
 *   TC_E_NO_MEMORY  an allocation failed
 *   TC_E_CORRUPT    the owner's answer is malformed
 *   as tc_window_chain */
TC_MUST_CHECK TC_API tc_status tc_window_map(tc_ep *ep, tc_gptr window, uint64_t timeout_ns,
                                             const tc_window_view **view_out, tc_error *err);

/* Ends one tc_window_map. After the last one the memory is gone from this process. Allowed
 * inside an ifunc.
 *
 *   TC_E_NOT_FOUND  the view is none of this context */
TC_API tc_status tc_window_unmap(tc_context *ctx, const tc_window_view *view);

/* Returns the number of the word at an offset: that of no word, if it is no multiple of 8. */
static inline uint64_t tc_window_word(uint64_t offset)
{
    return offset >> 3 | offset << 61;
}

/* Operations on the word at an offset.
 *
 *   TC_E_INVALID  the offset is not within the window, is no multiple of 8, or the window was
 *                 mapped without the right */
TC_MUST_CHECK static inline tc_status tc_window_view_get(const tc_window_view *view,
                                                         uint64_t offset, uint64_t *value_out)
{
    const uint64_t word = tc_window_word(offset);
    if (word >= view->get_words)
        return TC_E_INVALID;
    *value_out = __atomic_load_n(view->memory + word, __ATOMIC_ACQUIRE);
    return TC_OK;
}

TC_MUST_CHECK static inline tc_status tc_window_view_put(const tc_window_view *view,
                                                         uint64_t offset, uint64_t value)
{
    const uint64_t word = tc_window_word(offset);
    if (word >= view->put_words)
        return TC_E_INVALID;
    __atomic_store_n(view->memory + word, value, __ATOMIC_RELEASE);
    return TC_OK;
}

TC_MUST_CHECK static inline tc_status tc_window_view_fetch_add(const tc_window_view *view,
                                                               uint64_t offset, uint64_t value,
                                                               uint64_t *before_out)
{
    const uint64_t word = tc_window_word(offset);
    if (word >= view->atomic_words)
        return TC_E_INVALID;
    *before_out = __atomic_fetch_add(view->memory + word, value, __ATOMIC_SEQ_CST);
    return TC_OK;
}

/* It has swapped if *before_out is `expected`.
 *
 *   as tc_window_view_get */
TC_MUST_CHECK static inline tc_status
tc_window_view_compare_swap(const tc_window_view *view, uint64_t offset, uint64_t expected,
                            uint64_t desired, uint64_t *before_out)
{
    const uint64_t word = tc_window_word(offset);
    if (word >= view->atomic_words)
        return TC_E_INVALID;
    *before_out = expected;
    (void)__atomic_compare_exchange_n(view->memory + word, before_out, desired, 0,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return TC_OK;
}

/* Returns the bytes at an offset, or NULL if they are not within the window. */
static inline void *tc_window_view_at(const tc_window_view *view, uint64_t offset,
                                      uint64_t bytes)
{
    if (offset > view->bytes || bytes > view->bytes - offset)
        return NULL;
    return (uint8_t *)view->memory + offset;
}

#ifdef __cplusplus
}
#endif
#endif
