/* Objects: state with methods, which lives at one rank of a group at a time and is called from
 * all of them by a tc_gptr. libtchains-objects has these functions: programs that use them link
 * it beside the library (pkg-config tchains-objects, CMake tchains::tchains-objects).
 *
 *   rank 0                                    rank 2
 *   tc_object_create(.., 2, counter_new, ..)  counter_new runs there and makes the state
 *   tc_object_call(.., counter_add, ..)       counter_add runs there, alone or beside others
 *   tc_object_move(.., 1, ..)                 the state goes to rank 1, and calls follow it
 *   tc_object_destroy(..)                     its memory is freed, the pointer is void
 *
 * Constructors, methods and destructors are functions that travel as all others do. They are
 * defined by the macros of <tc/object_entry.h>. A message to an object begins with its tc_gptr.
 *
 * Every rank opens the objects of its context once, before the first message to it comes: open,
 * then tc_group_barrier. A rank serves objects while it progresses its context.
 *
 * Where an object is. Its home is the rank that it was constructed at. Each rank may know more
 * than that; a message that reaches a rank without the object is forwarded, and the caller is
 * sent a note of where it went. So callers do not follow moves. A message that was forwarded
 * 1,024 times ends with TC_E_HOPS.
 *
 * Order. Calls of one rank to an object that stays begin in their order, behind those that were
 * there before and wait. Around a move the order is not kept: wait for the answer of the first.
 *
 * Failures. Besides the statuses of tc_call, a call of an object ends with
 *
 *   TC_E_INVALID      the pointer is no object's, its home is no rank of the group, the message
 *                     is too short, or the object's class or size is not that of the method
 *   TC_E_NOT_FOUND    no object of that index and use exists: it was destroyed, or never made
 *   TC_E_PEER_LOST    a rank that the call went to was lost; the method may have run. Objects
 *                     that were at this rank are gone. The next call goes by way of the home
 *   TC_E_HOPS         the object moved faster than the message
 *   TC_E_UNSUPPORTED  the rank has no objects open
 *
 * A call to a rank that is lost ends within the option connect_timeout; one that had been
 * forwarded to it before ends at its own deadline (TC_E_TIMEOUT). An object that moves
 * is lost with the rank that it comes to, and with the one that it leaves if that is lost
 * before the last message of the move has left; it is never at two ranks. If its home alone is
 * lost, ranks that know where it is still reach it.
 *
 * Trust. A tc_gptr is plain bytes, untrusted whatever its source. The ranks of a group trust
 * each other, as everywhere; malformed requests end with a status and change nothing. With the
 * option require_signature at `all` the library's own function, which has no code, cannot be
 * opened.
 *
 * A tc_objects belongs to the thread of its context. */
#ifndef TC_OBJECT_H
#define TC_OBJECT_H

#include <tc/group.h>
#include <tc/window.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_OBJECTS_MAX (1u << 24)        /* of tc_objects_params.objects_max */
#define TC_OBJECT_STATE_MAX (1ull << 40) /* of tc_objects_params.state_max, bytes */
#define TC_OBJECT_HOPS_MAX 1024u         /* ranks that may forward one message */
#define TC_OBJECT_CLASS_MAX 32u          /* bytes of a class's name, with terminator */

typedef struct tc_objects tc_objects;

/* A zeroed struct with a group is valid. */
typedef struct tc_objects_params {
    tc_group *group;      /* of the context; it must stay until tc_objects_close */
    uint32_t objects_max; /* at this rank, and as many of this home; 0: 65,536 */
    uint64_t state_max;   /* bytes of one object's state; 0: 1 GiB */
} tc_objects_params;

/* Implements tc_objects_open; takes the size of the caller's tc_objects_params.
 *
 *   as tc_objects_open */
TC_MUST_CHECK TC_API tc_status tc_objects_open_sized(tc_context *ctx,
                                                     const tc_objects_params *params,
                                                     size_t params_size,
                                                     tc_objects **objects_out, tc_error *err);

/* Makes this rank one that has objects. A context has one tc_objects, once. Does not block.
 *
 *   params            copied
 *   objects_out       owned by the caller; see tc_objects_close
 *
 *   TC_OK             objects can be made here, called from here, and move to here
 *   TC_E_INVALID      there is no group, or it is of another context; a limit is above that of
 *                     this header; or the context has had objects, or got a request for some
 *                     before
 *   TC_E_UNSUPPORTED  params has a field that this library does not know
 *   TC_E_REFUSED      the option require_signature is `all`
 *   TC_E_NO_MEMORY    an allocation failed
 *   as tc_context_publish */
TC_MUST_CHECK static inline tc_status tc_objects_open(tc_context *ctx,
                                                      const tc_objects_params *params,
                                                      tc_objects **objects_out, tc_error *err)
{
    return tc_objects_open_sized(ctx, params, sizeof *params, objects_out, err);
}

/* Frees all objects at this rank, without their destructors. Later calls of them end with
 * TC_E_UNSUPPORTED. Before tc_group_destroy and tc_context_destroy. NULL is allowed.
 *
 *   TC_OK      objects is freed
 *   TC_E_BUSY  a method of an object runs or waits, and nothing was done: progress, then
 *              retry */
TC_MUST_CHECK TC_API tc_status tc_objects_close(tc_objects *objects);

/* The number of objects at this rank. */
TC_API size_t tc_objects_count(const tc_objects *objects);

/* Runs a constructor at a rank and waits for the object, as tc_call does.
 *
 *   rank            of the group; it becomes the object's home
 *   constructor     a function defined by TC_OBJECT_CONSTRUCTOR
 *   arguments       size bytes for it
 *   timeout_ns      0: the option call_timeout
 *   object_out      the new object's
 *
 *   TC_OK           the object exists
 *   TC_E_CORRUPT    the function did not answer with an object of that rank
 *   TC_E_TOO_LARGE  objects_max or state_max of that rank
 *   TC_E_NO_MEMORY  at that rank, or here
 *   as tc_group_ep
 *   as tc_call      also what the constructor gave tc_object_fail */
TC_MUST_CHECK TC_API tc_status tc_object_create(tc_objects *objects, uint32_t rank,
                                                tc_ifunc *constructor, const void *arguments,
                                                size_t size, uint64_t timeout_ns,
                                                tc_gptr *object_out, tc_error *err);

/* Calls a method and waits for its answer, as tc_call does, in a method that may wait, too.
 *
 *   message         begins with the object's tc_gptr
 *
 *   TC_E_INVALID    also: the message is shorter than a tc_gptr
 *   as above        for a call of an object
 *   as tc_group_ep
 *   as tc_call */
TC_MUST_CHECK TC_API tc_status tc_object_call(tc_objects *objects, tc_ifunc *method,
                                              const void *message, size_t size, void *result,
                                              size_t *result_size, uint64_t timeout_ns,
                                              tc_error *err);

/* Finds the endpoint to send a message for an object by: to where this rank believes that the
 * object is, or to its home. Never blocks. For tc_send; the two functions below use it.
 *
 *   object          may have any bytes
 *
 *   TC_OK           *ep_out takes messages, as after tc_group_ep
 *   TC_E_INVALID    it is no object's pointer, or its home is no rank of the group
 *   as tc_group_ep  of the home */
TC_MUST_CHECK TC_API tc_status tc_object_ep(tc_objects *objects, const tc_gptr *object,
                                            tc_ep **ep_out, tc_error *err);

/* Drops this rank's knowledge of where an object is: the next message goes to the home.
 * tc_object_call does so after TC_E_PEER_LOST, TC_E_UNREACHABLE, TC_E_CLOSED and TC_E_TIMEOUT;
 * the callback of a started call should. At the home it does nothing. */
TC_API void tc_object_forget(tc_objects *objects, const tc_gptr *object);

/* Starts a call of a method, as tc_call_start does.
 *
 *   message         begins with the object's tc_gptr
 *
 *   TC_E_INVALID    also: the message is shorter than a tc_gptr
 *   as tc_object_ep
 *   as tc_call_start */
TC_MUST_CHECK static inline tc_status
tc_object_call_start(tc_objects *objects, tc_ifunc *method, const void *message, size_t size,
                     const tc_call_params *params, tc_call_id *call_out, tc_error *err)
{
    const tc_gptr none = {0, 0, 0, 0};
    tc_ep *ep = NULL;
    tc_status status =
        tc_object_ep(objects, size < sizeof none ? &none : (const tc_gptr *)message, &ep, err);
    return status != TC_OK ? status
                           : tc_call_start(ep, method, message, size, params, call_out, err);
}

/* Moves an object to another rank, behind the methods that were called before, and waits until
 * it is there. The state goes as bytes: pointers in it are void afterwards. An object that
 * could not be moved stays where it was.
 *
 *   rank            of the group; the one where it is: TC_OK
 *   timeout_ns      0: the option call_timeout. After TC_E_TIMEOUT it may move all the same
 *
 *   TC_OK           it is there
 *   TC_E_TOO_LARGE  objects_max or state_max of that rank
 *   TC_E_NO_MEMORY  at that rank
 *   TC_E_PEER_LOST  that rank, the one where it was, or one on the way was lost
 *   as above        for a call of an object */
TC_MUST_CHECK TC_API tc_status tc_object_move(tc_objects *objects, tc_gptr object,
                                              uint32_t rank, uint64_t timeout_ns,
                                              tc_error *err);

/* Destroys an object, behind the methods that were called before, and waits until it is done.
 * Methods that wait for it end with TC_E_NOT_FOUND.
 *
 *   destructor      a function defined by TC_OBJECT_DESTRUCTOR, whose message is the tc_gptr;
 *                   it runs before the state is freed. NULL: none
 *   timeout_ns      0: the option call_timeout. After TC_E_TIMEOUT it may end all the same
 *
 *   TC_OK           it is gone
 *   as above        for a call of an object. An object that was lost with its rank keeps its
 *                   index at the home */
TC_MUST_CHECK TC_API tc_status tc_object_destroy(tc_objects *objects, tc_gptr object,
                                                 tc_ifunc *destructor, uint64_t timeout_ns,
                                                 tc_error *err);

#ifdef __cplusplus
}
#endif
#endif
