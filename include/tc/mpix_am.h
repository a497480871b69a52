/* Generalized active messages in programs of MPI: a handler runs on the memory of a window,
 * with input from the process that asks and output back to it. After "MPI-Interoperable
 * Generalized Active Messages" (Zhao, Balaji, Gropp, Thakur), with its names and orders of
 * arguments. The MPI is not changed. A program is linked with the library for its MPI in front
 * of that MPI: pkg-config tchains-mpi-openmpi or tchains-mpi-mpich. Only this header needs MPI.
 *
 *   MPIX_Am_op_create(sum, &op);
 *   MPIX_Am_win_op_register(op, win);       collective
 *   MPI_Win_lock_all(0, win);
 *   MPIX_Am(...);                           starts it
 *   MPI_Win_flush(target, win);             it has run, its output is here
 *   MPI_Win_unlock_all(win);
 *
 * Epochs. An active message is started in an access epoch to its target, as an RMA operation
 * is. Whatever completes RMA operations there (fence, complete, unlock, and all forms of flush)
 * completes active messages: they have run at the target, and their output is at the origin.
 * The library defines these functions of MPI in front of MPI's and calls MPI's by PMPI. Active
 * messages and other operations of one epoch have no order among them: flush between them.
 *
 * Order. Active messages of one origin to one target by one window take effect in the order of
 * their calls, and so do the segments of each. The info key "am_ordering" of MPI_Win_create,
 * MPI_Win_allocate and MPI_Win_allocate_shared gives that up: a list, separated by commas, of
 * the orders that are kept ("sameop", "diffop", "sameam"), or "none". It states that the window
 * is for active messages, so either all processes give it, and then the call is collective
 * about it, or no process does.
 *
 * Concurrency. Handlers of one window at one process run one after the other. In an epoch that
 * begins with MPIX_MODE_CONCURRENT_AM they may run at the same time, also in processes of the
 * same host and user as the target, if MPI_Win_allocate made the window with "am_ordering".
 * Order is kept also then.
 *
 * Handlers run in a thread of the library's or in MPIX_Am, whatever level of threads MPI has. A
 * handler must not call MPI. The functions of this library that a handler calls return
 * MPI_ERR_OTHER and make the active message fail; others are not noticed.
 *
 * Types. Basic types, and types that MPI_Type_contiguous, vector, hvector, indexed, hindexed,
 * their block forms, struct, subarray, darray, resized and dup make of them, without negative
 * offsets or extents, in at most 65,536 pieces that do not touch, and below 2^48 bytes.
 * Those for the target are predefined (pairs of MPI_MINLOC included), unless all processes have
 * MPI_THREAD_MULTIPLE: then they may be derived, with 36 pieces in all three together, and the
 * handler receives an equal type, which is not the handle that MPIX_Am was given. Types of a
 * segment's elements at origin and target have the same type signature, for some count at the
 * target.
 *
 * Errors go to the window's error handler; those of MPIX_Am_op_create and MPIX_Am_op_free to
 * that of MPI_COMM_WORLD. MPI_Error_string has a text: that of the newest error of the class. A
 * handler that fails at the target is reported by the next function that completes it.
 *
 * Threads. With MPI_THREAD_MULTIPLE, several threads may use different windows at a time. Those
 * of one window are used by one thread at a time, MPI's own calls for it included.
 *
 * Hostile input. Processes of a window trust each other. A malformed message makes the active
 * message fail and runs no handler. */
#ifndef TC_MPIX_AM_H
#define TC_MPIX_AM_H

#include <mpi.h>
#include <tc/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An assertion of MPI_Win_fence, MPI_Win_start, MPI_Win_lock and MPI_Win_lock_all: active
 * messages of this epoch, of this process, may run beside others. */
#define MPIX_MODE_CONCURRENT_AM 0x100000

#define MPIX_AM_WIN_OPS_MAX 256    /* operations registered at one window */
#define MPIX_AM_WIN_BUFFERS_MAX 16 /* buffers attached to one window */

/* A handler: MPIX_AM_USER_FUNCTION of the paper. Buffers have num_segments segments, one behind
 * the other, each of a count of elements of a type. Input and output are valid while it runs.
 *
 *   persistent_addr  the range of the target's window; NULL if its count is 0
 *   segment_offset   number of the first of these segments in the active message */
typedef void(MPIX_Am_user_function)(const void *input_addr, int input_segment_count,
                                    MPI_Datatype input_segment_datatype, void *persistent_addr,
                                    int persistent_count, MPI_Datatype persistent_datatype,
                                    void *output_addr, int output_segment_count,
                                    MPI_Datatype output_segment_datatype, int num_segments,
                                    int segment_offset);

/* Makes an operation of a handler. Local. No collective operation of MPI may use it: its
 * function ends the process then.
 *
 *   MPI_SUCCESS     *am_op is for MPIX_Am_win_op_register; see MPIX_Am_op_free
 *   MPI_ERR_ARG     am_fn or am_op is NULL
 *   MPI_ERR_OTHER   memory is missing, or a handler calls */
TC_API int MPIX_Am_op_create(MPIX_Am_user_function *am_fn, MPI_Op *am_op);

/* Frees an operation and sets *am_op to MPI_OP_NULL. Local. Active messages that others have
 * under way with it run; its handler has to stay until the windows are freed.
 *
 *   MPI_ERR_OP      *am_op is no operation of MPIX_Am_op_create */
TC_API int MPIX_Am_op_free(MPI_Op *am_op);

/* Registers an operation at a window. Collective over the window's processes, which all give an
 * operation with a handler of the same effect, in the same order. The first one, or the
 * creation of a window with "am_ordering", starts the library's thread and connects nothing
 * yet.
 *
 *   MPI_SUCCESS     MPIX_Am may use am_op with win
 *   MPI_ERR_OP      am_op is no operation of MPIX_Am_op_create, here or at the process that the
 *                   text names; or it is registered with win already at some of them only
 *   MPI_ERR_WIN     the window has no memory of its own (MPI_Win_create_dynamic), or has
 *                   processes outside MPI_COMM_WORLD
 *   MPI_ERR_OTHER   a table is full, the context cannot be made, or a handler calls. The text
 *                   has the reason; processes without a failure of their own report this
 *                   one, too */
TC_API int MPIX_Am_win_op_register(MPI_Op am_op, MPI_Win win);

/* Attaches memory for segments of active messages to this process. Local. A portable program
 * attaches as many bytes as input and output of its largest segment have here, in true extents.
 * This library stages segments up to TC_AM_UNIT_BYTES_MAX (tc/am.h) in memory of its own.
 * Larger ones go through an attached buffer that has both, each as a multiple of 64 bytes.
 *
 *   buffer          the caller's; it has to stay until it is detached, or win is freed
 *
 *   MPI_ERR_ARG     buffer is NULL, or size is below 1
 *   MPI_ERR_BUFFER  it overlaps with one that is attached, or MPIX_AM_WIN_BUFFERS_MAX are
 *   MPI_ERR_RMA_SYNC this process has active messages under way by win
 *   MPI_ERR_WIN     no operation is registered at win */
TC_API int MPIX_Am_win_buffer_attach(MPI_Win win, void *buffer, MPI_Aint size);

/* Detaches a buffer. Local.
 *
 *   MPI_ERR_BUFFER  buffer is not the address of one that is attached
 *   as MPIX_Am_win_buffer_attach */
TC_API int MPIX_Am_win_buffer_detach(MPI_Win win, const void *buffer);

/* Starts an active message. Input and output must not be touched until it is completed. To
 * MPI_PROC_NULL, or with num_segments 0, it does nothing.
 *
 *   MPI_SUCCESS      it is under way, or has ended
 *   MPI_ERR_WIN      no operation is registered at win
 *   MPI_ERR_OP       am_op is not registered at win
 *   MPI_ERR_RANK     the window has no such rank
 *   MPI_ERR_COUNT    a count, or num_segments, is negative
 *   MPI_ERR_BUFFER   an address is NULL and its count is not 0; or one segment has more than
 *                    TC_AM_SEGMENT_BYTES_MAX (tc/am.h), or than TC_AM_UNIT_BYTES_MAX with the
 *                    gaps of a derived type at the target. The call that completes it reports
 *                    a segment that is larger than all buffers that the target has attached
 *   MPI_ERR_TYPE     a type is not allowed (see above), or signatures differ
 *   MPI_ERR_DISP     target_persistent_disp is negative
 *   MPI_ERR_RMA_RANGE  the range is outside the target's window
 *   MPI_ERR_RMA_SYNC this process has no access epoch to target_rank
 *   MPI_ERR_OTHER    a handler calls, or memory is missing */
TC_API int MPIX_Am(const void *origin_input_addr, int origin_input_segment_count,
                   MPI_Datatype origin_input_segment_datatype, void *origin_output_addr,
                   int origin_output_segment_count, MPI_Datatype origin_output_segment_datatype,
                   int num_segments, int target_rank,
                   MPI_Datatype target_input_segment_datatype, MPI_Aint target_persistent_disp,
                   int target_persistent_count, MPI_Datatype target_persistent_datatype,
                   MPI_Datatype target_output_segment_datatype, MPI_Op am_op, MPI_Win win);

#ifdef __cplusplus
}
#endif
#endif
