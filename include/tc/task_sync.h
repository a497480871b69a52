/* Locks, conditions and semaphores of functions that wait, and functions that run one at a time
 * for an object.
 *
 * One thread runs the functions of a context, one at each moment. A function that waits
 * (tc/task.h) lets others run meanwhile, and keeps them from its data by these:
 *
 *   TC_THREADED(transfer)(void *payload, size_t payload_size, void *target_args)
 *   {
 *       const order *o = payload;
 *       tc_status status = tc_task_enter(o->account);   // one at a time for each account
 *       if (status == TC_OK)
 *           status = ask_the_other_node(o);             // waits
 *       if (status != TC_OK)
 *           tc_self_fail(status, "no transfer");
 *   }                                                   // its end leaves the account
 *
 * None of these has an atomic instruction or a system call. A lock that is free costs some 30
 * nanoseconds with its release.
 *
 * Memory. A zeroed object is valid: a static variable of a function or of a library that
 * travels, or a member of a struct of the program. Its state is in the context, by the object's
 * address; only a semaphore's count is in the object. So a lock excludes functions of one
 * context from one another, a copy is another lock, and memory that goes while tasks wait is
 * not written to: the waits last until tc_task_forget or the end of their endpoints.
 *
 * Order. Objects are handed over: the function that waits for longest has the lock, or the unit
 * of the semaphore, from the moment of its release. A signal goes to the next function when the
 * first one cannot use it.
 *
 * Holders are the function of one message, and the program outside of functions. A function
 * that ends, whether it returns, throws, is abandoned or has lost its endpoint, holds nothing
 * any more. The next one gets a lock with TC_OK, and the log names the function that ended with
 * it. tc_self_abandon releases nothing before that.
 *
 * Plain functions, those without TC_THREADED, run alone to their end. They get a free
 * lock, otherwise TC_E_BUSY, and are no holders: their release does nothing.
 *
 * The program, in the thread that progresses the context and outside of functions, may use an
 * object when it has set its `context`. It never waits, and holds locks across tc_progress.
 *
 * End. A wait that its endpoint's end, or lost trust in its code, ends returns the status of
 * tc_task_sleep, and leaves the queue. A free object is given to a function of an ended
 * endpoint, too: it may have to tidy up.
 *
 * Circles. A wait for a lock or an entered object that could never end, as its holder waits for
 * one that the caller holds, itself or through others, 64 at most, returns TC_E_IN_USE. Those
 * that pass through conditions, semaphores or calls are not found: their functions wait for
 * their time to be over, or for the end of an endpoint.
 *
 * Code that is replaced. A task goes on with the version of a library that it began with, and
 * with the variables of that version: a lock among them excludes no function of the next one.
 * Numbers for tc_task_enter, memory of the program and tc_self_state are the same for both.
 *
 * Bounds. A context has 65,536 objects at most that are held or waited for. */
#ifndef TC_TASK_SYNC_H
#define TC_TASK_SYNC_H

#include <tc/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_task_lock {
    tc_context *context;  /* of a program that uses it; NULL: functions alone do */
    uint64_t reserved[3]; /* 0 */
} tc_task_lock;

typedef struct tc_task_condition {
    tc_context *context;  /* as above */
    uint64_t reserved[3]; /* 0 */
} tc_task_condition;

typedef struct tc_task_semaphore {
    tc_context *context; /* as above */
    uint64_t count;      /* free units */
    uint64_t count_max;  /* of tc_task_semaphore_release; 0: 2^64 - 1 */
    uint64_t reserved;   /* 0 */
} tc_task_semaphore;

/* Gets the lock, or waits for it behind others.
 *
 *   timeout_ns  TC_FOREVER; 0: only if it is free
 *
 *   TC_E_TIMEOUT    it was not free in that time
 *   TC_E_IN_USE     the caller holds it, or its holder waits for the caller
 *   TC_E_BUSY       the caller would have to wait, and is not inside TC_THREADED's; or it is
 *                   outside of functions and the lock has no context, or another thread
 *                   progresses that
 *   TC_E_INVALID    the lock has another context
 *   TC_E_NOT_FOUND  tc_task_forget ended the wait
 *   TC_E_TOO_LARGE  too many objects are held or waited for
 *   TC_E_NO_MEMORY  for its record
 *   as tc_task_sleep  when it would wait */
TC_MUST_CHECK TC_API tc_status tc_task_lock_acquire(tc_task_lock *lock, uint64_t timeout_ns);

/* Hands the lock to the function that waits for longest, or frees it.
 *
 *   TC_E_INVALID  the caller does not hold it, or it has another context
 *   TC_E_BUSY     the caller is outside of functions, as above */
TC_API tc_status tc_task_lock_release(tc_task_lock *lock);

/* Releases the lock, waits for a signal, and gets the lock again, however long that takes. No
 * signal is lost between the release and the wait. The caller holds the lock after TC_OK and
 * TC_E_TIMEOUT, as before after TC_E_BUSY and TC_E_INVALID, and not after any other. It tests
 * its condition again: others may have had the lock meanwhile.
 *
 *   timeout_ns  until the signal; TC_FOREVER; 0: others run once, as for tc_task_sleep, and a
 *               signal of that time counts
 *
 *   TC_E_INVALID  the caller does not hold the lock, or that has another context
 *   as tc_task_lock_acquire */
TC_MUST_CHECK TC_API tc_status tc_task_condition_wait(tc_task_condition *condition,
                                                      tc_task_lock *lock, uint64_t timeout_ns);

/* Wakes that many functions that wait for the condition, the longest first. It needs no lock,
 * and without a function that waits it does nothing.
 *
 *   count  1; UINT64_MAX: all
 *
 *   TC_E_INVALID  it has another context
 *   TC_E_BUSY     as tc_task_lock_release */
TC_API tc_status tc_task_condition_signal(tc_task_condition *condition, uint64_t count);

/* Takes a unit, or waits for one behind others.
 *
 *   timeout_ns  as tc_task_lock_acquire
 *
 *   as tc_task_lock_acquire  but TC_E_IN_USE */
TC_MUST_CHECK TC_API tc_status tc_task_semaphore_acquire(tc_task_semaphore *semaphore,
                                                         uint64_t timeout_ns);

/* Adds units. Those that wait for longest get one each, the others are free.
 *
 *   TC_E_TOO_LARGE  more than count_max would be free: none is added
 *   as tc_task_condition_signal */
TC_MUST_CHECK TC_API tc_status tc_task_semaphore_release(tc_task_semaphore *semaphore,
                                                         uint64_t units);

/* Makes the rest of the function the only one for an object, behind others that have entered
 * it. The function leaves it by tc_task_leave, or by its end, of which the log says nothing. It
 * may enter several, in one order for all functions.
 *
 *   object  its address as a number, or another number
 *
 *   TC_E_BUSY  the caller is outside of functions
 *   as tc_task_lock_acquire  with TC_FOREVER */
TC_MUST_CHECK TC_API tc_status tc_task_enter(uint64_t object);

/* Lets the next function enter the object.
 *
 *   TC_E_INVALID  the function has not entered it
 *   TC_E_BUSY     the caller is outside of functions */
TC_API tc_status tc_task_leave(uint64_t object);

/* Forgets an object that is about to be freed: its waits end with TC_E_NOT_FOUND, and nothing
 * holds it any more.
 *
 *   context  NULL in functions
 *   object   the address of any of the above, or the number of tc_task_enter
 *
 *   as tc_task_condition_signal */
TC_API tc_status tc_task_forget(tc_context *context, uint64_t object);

#ifdef __cplusplus
}
#endif
#endif
