/* The functions that code compiled with -fsanitize=thread calls, instead of ThreadSanitizer's
 * own: gcc's names and clang's. Each is a step before the access, which the code then makes
 * itself; atomic operations are made here. */
#include "sim_step_calls.h"

#include "sim_step.h"
#include "sim_system.h"

#include <pthread.h>
#include <string.h>

#define WEAK_OPERATIONS(X) X(8) X(16) X(32) X(64)

static inline void step(void)
{
    if (__builtin_expect(--sim_step_left == 0, 0))
        sim_step_due();
}

/* --- loads and stores -------------------------------------------------------------------- */

#define ACCESS(name)                                                                           \
    void __tsan_##name(void *at);                                                              \
    void __tsan_##name(void *at)                                                               \
    {                                                                                          \
        (void)at;                                                                              \
        step();                                                                                \
    }

ACCESS(read1)
ACCESS(read2)
ACCESS(read4)
ACCESS(read8)
ACCESS(read16)
ACCESS(write1)
ACCESS(write2)
ACCESS(write4)
ACCESS(write8)
ACCESS(write16)
ACCESS(unaligned_read2)
ACCESS(unaligned_read4)
ACCESS(unaligned_read8)
ACCESS(unaligned_read16)
ACCESS(unaligned_write2)
ACCESS(unaligned_write4)
ACCESS(unaligned_write8)
ACCESS(unaligned_write16)

#define RANGE(name)                                                                            \
    void __tsan_##name(void *at, unsigned long size);                                          \
    void __tsan_##name(void *at, unsigned long size)                                           \
    {                                                                                          \
        (void)at, (void)size;                                                                  \
        step();                                                                                \
    }

RANGE(read_range)
RANGE(write_range)

#define NO_STEP(name)                                                                          \
    void name(void *at);                                                                       \
    void name(void *at)                                                                        \
    {                                                                                          \
        (void)at;                                                                              \
    }

NO_STEP(__tsan_func_entry)
NO_STEP(__tsan_func_exit)
NO_STEP(__tsan_acquire)
NO_STEP(__tsan_release)
NO_STEP(__tsan_destroy_fiber)

/* The stacks of functions that wait: nothing is recorded about them. */
#define NO_FIBER(name, ...)                                                                    \
    void *name(__VA_ARGS__);                                                                   \
    void *name(__VA_ARGS__)                                                                    \
    {                                                                                          \
        return NULL;                                                                           \
    }
#define UNUSED __attribute__((unused))

NO_FIBER(__tsan_get_current_fiber, void)
NO_FIBER(__tsan_create_fiber, UNUSED unsigned flags)

#define NO_EXCHANGE(name)                                                                      \
    void name(void *fiber, unsigned flags);                                                    \
    void name(void *fiber, unsigned flags)                                                     \
    {                                                                                          \
        (void)fiber, (void)flags;                                                              \
    }

NO_EXCHANGE(__tsan_switch_to_fiber)

void __tsan_init(void);
void __tsan_init(void)
{
}

#define ANNOTATION(edge)                                                                       \
    void AnnotateIgnoreReads##edge(const char *file, int line);                                \
    void AnnotateIgnoreReads##edge(const char *file, int line)                                 \
    {                                                                                          \
        (void)file, (void)line;                                                                \
    }

ANNOTATION(Begin)
ANNOTATION(End)

/* clang's. A copy is one step, as those of gcc are. */
void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    step();
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
    step();
    return memmove(to, from, size);
}

void *__tsan_memset(void *at, int value, size_t size);
void *__tsan_memset(void *at, int value, size_t size)
{
    step();
    return memset(at, value, size);
}

/* --- atomic operations ------------------------------------------------------------------- */

static inline void atomic_step(const volatile void *at)
{
    step();
    if (sim_step_is_shared((const void *)at))
        sim_step_on_shared();
}

/* Operations that load and store are barriers here, as on x86_64. */
static inline void exchange_step(const volatile void *at)
{
    atomic_step(at);
    sim_step_barrier();
}

#define LOAD_AND_STORE(bits)                                                                   \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order);   \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)    \
    {                                                                                          \
        uint64_t value;                                                                        \
        (void)order;                                                                           \
        atomic_step(at);                                                                       \
        return sim_step_forward((const void *)at, &value) ? (uint##bits##_t)value              \
                                                          : __atomic_load_n(at, 5);            \
    }                                                                                          \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,        \
                                     int order);                                               \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,        \
                                     int order)                                                \
    {                                                                                          \
        atomic_step(at);                                                                       \
        if (!sim_step_is_shared((const void *)at) ||                                           \
            !sim_step_delay((void *)at, value, bits / 8, order))                               \
            __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                     \
    }

WEAK_OPERATIONS(LOAD_AND_STORE)

#define EXCHANGE(bits, name, operation)                                                        \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at,                   \
                                                uint##bits##_t value, int order);              \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at,                   \
                                                uint##bits##_t value, int order)               \
    {                                                                                          \
        (void)order;                                                                           \
        exchange_step(at);                                                                     \
        return operation(at, value, __ATOMIC_SEQ_CST);                                         \
    }

#define EXCHANGES(bits)                                                                        \
    EXCHANGE(bits, exchange, __atomic_exchange_n)                                              \
    EXCHANGE(bits, fetch_add, __atomic_fetch_add)                                              \
    EXCHANGE(bits, fetch_sub, __atomic_fetch_sub)                                              \
    EXCHANGE(bits, fetch_and, __atomic_fetch_and)                                              \
    EXCHANGE(bits, fetch_or, __atomic_fetch_or)                                                \
    EXCHANGE(bits, fetch_xor, __atomic_fetch_xor)                                              \
    EXCHANGE(bits, fetch_nand, __atomic_fetch_nand)

WEAK_OPERATIONS(EXCHANGES)

/* A weak one never fails without a reason here. */
#define COMPARE(bits, name)                                                                    \
    int __tsan_atomic##bits##_compare_exchange_##name(                                         \
        volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value,           \
        int order, int failed);                                                                \
    int __tsan_atomic##bits##_compare_exchange_##name(                                         \
        volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value,           \
        int order, int failed)                                                                 \
    {                                                                                          \
        (void)order, (void)failed;                                                             \
        exchange_step(at);                                                                     \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,       \
                                           __ATOMIC_SEQ_CST);                                  \
    }

#define COMPARES(bits)                                                                         \
    COMPARE(bits, strong)                                                                      \
    COMPARE(bits, weak)                                                                        \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                 \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, \
        int failed);                                                                           \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                 \
        volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, \
        int failed)                                                                            \
    {                                                                                          \
        (void)__tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order,       \
                                                            failed);                           \
        return expected;                                                                       \
    }

WEAK_OPERATIONS(COMPARES)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    step();
    sim_step_barrier();
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* --- functions that run once for all nodes ----------------------------------------------- */

SIM_WRAPPED(int, pthread_once, pthread_once_t *once, void (*run)(void))

int __wrap_pthread_once(pthread_once_t *once, void (*run)(void))
{
    sim_fiber *fiber = sim_world_running();
    if (fiber != NULL)
        fiber->locks++;
    const int errnum = __real_pthread_once(once, run);
    if (fiber != NULL)
        fiber->locks--;
    return errnum;
}
