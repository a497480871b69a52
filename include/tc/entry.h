/* The functions that an ifunc library defines, and those that its code may call in the process
 * that runs it.
 *
 * For a library NAME:
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *
 *   // optional, both or neither:
 *   size_t NAME_payload_get_max_size(void *source_args, size_t source_args_size);
 *   int    NAME_payload_init(void *payload, size_t payload_size,
 *                            void *source_args, size_t source_args_size);
 *
 * NAME_main runs at the target, in the thread that progresses the context. The payload is
 * aligned to 16 bytes, or as TC_PAYLOAD_ALIGN asks, and invalid after NAME_main returns. It is
 * writable, unless the target has the option payload=readonly, or the function asks for that by
 * TC_PAYLOAD_READONLY: then a store ends the process, by a signal with a line that names the
 * function (tc/crash.h). The other two run at the source, inside tc_send, and the payload that
 * NAME_payload_init writes is aligned alike. NAME_payload_get_max_size returns an upper bound
 * of the payload's size. NAME_payload_init writes the payload and returns 0; any other value
 * cancels the message (TC_E_PAYLOAD), and so does a size that no memory has. After the
 * UCX-ifunc API, listing 1.2.
 *
 * The code may call libc and the libraries that it was linked with by -l, as in any program.
 * Constructors run when it is loaded, destructors before it leaves; thread-local variables are
 * as others. __builtin_cpu_supports asks for the target's processor. tc-clang refuses inline
 * assembly unless --allow-asm is given. It accepts standard C++, and an exception that would
 * leave NAME_main ends the message alone (TC_E_THROWN).
 *
 * The functions below are for code that runs inside NAME_main, by the thread that runs it. They
 * never block. The sender of a message chooses payload, origin and hop count; members of a
 * group trust each other to have the ranks that they stated when they connected. */
#ifndef TC_ENTRY_H
#define TC_ENTRY_H

#include <tc/group.h>

/* Asks for the alignment of a function's payloads, once, beside its code:
 *
 *   TC_PAYLOAD_ALIGN(saxpy, 64);
 *
 * Then the address that saxpy_main gets is a multiple of 64, however the message travels,
 * whatever its size, and also when the size is 0. It costs a copy of payloads up to 48 bytes
 * and of those that are small beside the alignment, and for others that many bytes of ring, 48
 * at most with 64; functions that do not ask pay nothing. docs/payload-layout.md has the
 * figures. tc-clang writes the alignment into the archive, which older libraries (0.1.0)
 * refuse. A function in a shared object, for tchains-compat(7), asks in the same way.
 *
 *   name   of the function, without quotes
 *   bytes  a power of two from 16 to 4096; anything else does not compile */
#define TC_PAYLOAD_ALIGN(name, bytes) TC_PAYLOAD_ALIGN_EXPANDED(name, bytes)
#ifdef __cplusplus
#define TC_PAYLOAD_ALIGN_EXPANDED(name, bytes)                                                 \
    static_assert((bytes) >= 16 && (bytes) <= 4096 && ((bytes) & ((bytes)-1)) == 0,            \
                  "TC_PAYLOAD_ALIGN: expected a power of two from 16 to 4096");                \
    extern "C" const size_t name##_payload_alignment;                                          \
    const size_t name##_payload_alignment = (bytes)
#else
#define TC_PAYLOAD_ALIGN_EXPANDED(name, bytes)                                                 \
    _Static_assert((bytes) >= 16 && (bytes) <= 4096 && ((bytes) & ((bytes)-1)) == 0,           \
                   "TC_PAYLOAD_ALIGN: expected a power of two from 16 to 4096");               \
    extern const size_t name##_payload_alignment;                                              \
    const size_t name##_payload_alignment = (bytes)
#endif

/* Asks for payloads that the function cannot write to, once, beside its code:
 *
 *   TC_PAYLOAD_READONLY(lookup);
 *
 * Then a store of lookup_main's to its payload ends the process, by a signal with a line that
 * names the function (tc/crash.h), at every target and however the message travels, as it does
 * for all functions of a target with the option payload=readonly. A target without that option
 * copies each payload of this function to pages of its own, so the address is a multiple of
 * 4096, too, whatever TC_PAYLOAD_ALIGN says; functions that do not ask pay nothing.
 * tc_send_injected refuses the function (TC_E_UNSUPPORTED), and tchains-compat(7) ignores the
 * request. The archive has the request, which older libraries (0.1.0) refuse. */
#define TC_PAYLOAD_READONLY(name) TC_PAYLOAD_READONLY_EXPANDED(name)
#ifdef __cplusplus
#define TC_PAYLOAD_READONLY_EXPANDED(name)                                                     \
    extern "C" const size_t name##_payload_readonly;                                           \
    const size_t name##_payload_readonly = 1
#else
#define TC_PAYLOAD_READONLY_EXPANDED(name)                                                     \
    extern const size_t name##_payload_readonly;                                               \
    const size_t name##_payload_readonly = 1
#endif

/* Defines a hole: a constant that the sender of the function sets (tc_ifunc_fill), once for all
 * messages. At file level, beside the code that reads it:
 *
 *   TC_HOLE(threshold, uint64_t);
 *
 * Each use loads the value, so a loop copies it to a variable first. A function has up to 16
 * holes of 256 bytes each, and a library has none. tc-clang makes images alone of code with
 * holes, which older libraries (0.1.0) refuse. The function does not run until each hole has a
 * value. For C and C++; Rust has hole! of the crate tchains_ifunc.
 *
 *   name  a C identifier of up to 63 characters, without quotes
 *   type  of an object without pointers; of an array, a struct around it */
#define TC_HOLE(name, type) TC_HOLE_EXPANDED(name, type)
#ifdef __cplusplus
#define TC_HOLE_EXPANDED(name, type)                                                           \
    extern "C" const volatile type name;                                                       \
    __attribute__((section(".tchole"))) const volatile type name = {}
#else
#define TC_HOLE_EXPANDED(name, type)                                                           \
    extern const volatile type name;                                                           \
    __attribute__((section(".tchole"))) const volatile type name = {0}
#endif

/* States the types of a function's arguments and of its answer, once, beside its code:
 *
 *   TC_PROTOTYPE(scale, "(f64,i32,f32[])->f32[]");
 *
 * The archive has the text, so it travels with the code; typed callers compare theirs with it
 * (tc_ifunc_check_prototype). docs/payload-layout.md has the types, and the layout of messages
 * and answers that follows from them. tc-clang refuses a text that is no prototype, and older
 * libraries (0.1.0) refuse an archive with one. NAME_main still checks each payload's size: a
 * peer may send any bytes. The code that tc-clang --stubs makes has both.
 *
 *   name  of the function, without quotes
 *   text  a string of up to 511 characters */
#define TC_PROTOTYPE(name, text) TC_PROTOTYPE_EXPANDED(name, text)
#ifdef __cplusplus
#define TC_PROTOTYPE_EXPANDED(name, text)                                                      \
    extern "C" const char name##_payload_prototype[];                                          \
    const char name##_payload_prototype[] = text
#else
#define TC_PROTOTYPE_EXPANDED(name, text)                                                      \
    extern const char name##_payload_prototype[];                                              \
    const char name##_payload_prototype[] = text
#endif

/* States the prototype of a function that a library which travels exports (<tc/library.h>), in
 * the header that the library and its callers include, behind the function's parameters:
 *
 *   double area(double width, double height) TC_SYMBOL(area, "(f64,f64)->f64");
 *
 * tc-clang takes both as the name of the symbol, so archives of the library and of its callers
 * have them. Code that states another prototype than the library does not run where that
 * library is: TC_E_VERSION, with both. Where only one of the two states a prototype, they link
 * as without this. Other compilers read an empty macro.
 *
 *   name  of the function, without quotes
 *   text  a string of up to 511 characters, as in TC_PROTOTYPE; tc-clang refuses others */
#if defined(__TC_CLANG__) && !defined(TC_STUBS_READER)
#define TC_SYMBOL(name, text) __asm__(#name text)
#else
#define TC_SYMBOL(name, text)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The endpoint that the running message came from. NULL outside NAME_main. */
TC_API tc_ep *tc_self_endpoint(void);

/* The proved identity of the peer that sent the running message: "cert:" and a certificate's
 * subject as RFC 2253 writes it, "key:" and a key's name, "job:" and a job's name, for a member
 * of the same job, or "uid:" and a user's number, for a process on this host. "" outside
 * NAME_main, and for a peer that proved nothing (see docs/security.md). Printable ASCII, less
 * than 256 characters; valid while NAME_main runs. For a message that was forwarded it is the
 * last sender's. */
TC_API const char *tc_self_identity(void);

/* The running function, open while NAME_main runs. NULL outside NAME_main and for a message of
 * tc_send_injected. It can be sent to any endpoint by tc_send: the whole archive travels, so
 * the next process may have another architecture. */
TC_API tc_ifunc *tc_self_ifunc(void);

/* The group of the member that sent the running message, this process's rank in it, and its
 * size. NULL, TC_RANK_NONE and 0 if the message came from outside any group. */
TC_API tc_group *tc_self_group(void);
TC_API uint32_t tc_self_rank(void);
TC_API uint32_t tc_self_size(void);

/* The rank of the member that sent the message first, however often it was forwarded since, and
 * how often it was forwarded. TC_RANK_NONE if the message came from outside any group. */
TC_API uint32_t tc_self_origin(void);
TC_API uint32_t tc_self_hops(void);

/* Sends the running function to a member of the group of the message, this one included. If the
 * message is a call, the first tc_forward that succeeds takes the call along; further ones send
 * messages of their own with the same origin and one more hop. If it fails and the message is
 * neither forwarded nor replied to afterwards, its origin is notified: by its call, or by
 * tc_group_failures. Messages to one member stay in order, whichever function sends them.
 *
 *   payload           the new payload; it may be the one that arrived, changed in place
 *   size              bytes at payload
 *
 *   TC_OK             sent or queued; the payload was copied
 *   TC_E_NOT_FOUND    the group has no such rank
 *   TC_E_HOPS         the message was forwarded as often as its limit allows
 *   TC_E_AGAIN        the send queue to that member is full (option send_queue_bytes)
 *   TC_E_TOO_LARGE    the payload is larger than the member accepts
 *   TC_E_REFUSED      that member has refused this function
 *   TC_E_PEER_LOST    the endpoint to that member has failed
 *   TC_E_UNREACHABLE  the message came from outside any group, or no route leads to the member
 *   TC_E_NO_MEMORY    an allocation failed
 *   TC_E_INVALID      called outside NAME_main or by injected code
 *   as tc_group_ep    the endpoint to the member cannot be created */
TC_MUST_CHECK TC_API tc_status tc_forward(uint32_t rank, const void *payload, size_t size);

/* tc_forward of another function: the message, and with it the call, goes on as a message of
 * fn. So a function hands its work to one that it has opened or made (tc_ifunc_open_code), at
 * this node or another one, and the caller has the answer of that, or the reason for which it
 * was refused.
 *
 *   fn              a handle of this context; it may be closed when this has returned
 *   payload         as fn's NAME_main gets it: its NAME_payload_init is not called
 *
 *   TC_E_REFUSED    that member has refused fn
 *   TC_E_INVALID    also: fn is NULL, or of another context
 *   as tc_forward */
TC_MUST_CHECK TC_API tc_status tc_forward_function(tc_ifunc *fn, uint32_t rank,
                                                   const void *payload, size_t size);

/* Replies to the call that the running message is. If it fails, the message is still a call; if
 * NAME_main does nothing else with it, the caller is notified of the failure.
 *
 * A call has one reply. A long answer goes in pieces as calls: the function replies with a
 * piece that fits the caller's memory and with the position where it stopped, and the caller
 * calls again from there, until the reply states that it is the last. Or the function sends
 * messages of its own to tc_self_endpoint, to a function of that process, and replies when all
 * were sent.
 *
 *   data              the result; copied
 *   size              bytes at data, at most the option send_queue_bytes
 *
 *   TC_OK             the reply is sent or queued
 *   TC_E_NOT_FOUND    the message is not a call, or the call was replied to, forwarded or
 *                     detached before
 *   TC_E_TOO_LARGE    the reply exceeds the option send_queue_bytes
 *   TC_E_AGAIN        too many bytes of replies are queued for the origin already
 *   TC_E_PEER_LOST    the endpoint to the origin has failed
 *   TC_E_CLOSED       the origin closed its endpoint
 *   TC_E_UNREACHABLE  no route leads to the origin
 *   TC_E_NO_MEMORY    an allocation failed
 *   as tc_group_ep    the endpoint to the origin cannot be created */
TC_API tc_status tc_reply(const void *data, size_t size);

/* Gives memory that the function writes its reply to; tc_reply_commit sends it. In the ring of
 * a caller that shares memory with this process (delivery `direct`) the reply needs no copy, if
 * it has between 2 and some 30 KB and the ring has capacity. Otherwise the memory is a block,
 * which is sent as by tc_reply. The function cannot see the difference.
 *
 * Until the commit the function may send, call, forward, and wait if it is declared so
 * (<tc/task.h>): the memory stays. Messages that it sends to the caller arrive before the
 * reply; the first of them makes the commit a copy. The memory is given back when the call is
 * answered in any way, forwarded or detached, and when NAME_main ends in any way. A store to it
 * afterwards may damage other messages, as one to freed memory does. A second begin gives back
 * the memory of the first one, also when it fails.
 *
 *   size              bytes to write at most; as many as tc_reply accepts
 *   memory_out        receives the memory, aligned to 16; its bytes have any values
 *
 *   TC_OK             *memory_out is the running message's alone
 *   TC_E_NOT_FOUND    the message is not a call, or the call was replied to, forwarded or
 *                     detached before
 *   TC_E_TOO_LARGE    size exceeds the option send_queue_bytes
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_reply_begin(size_t size, void **memory_out);

/* Replies with the first bytes of the memory that tc_reply_begin gave, and gives it back. After
 * a failure the message is as after one of tc_reply, the memory stays, and the function may
 * commit again.
 *
 *   size          bytes of the reply, at most those of tc_reply_begin
 *
 *   TC_E_INVALID  size is above that, there was no begin, or its memory was given back
 *   as tc_reply   but never TC_E_NOT_FOUND */
TC_API tc_status tc_reply_commit(size_t size);

/* Replies with a failure.
 *
 *   status        below 0; the caller receives it
 *   text          its first 400 bytes are sent; control characters are replaced
 *
 *   TC_E_INVALID  status is not below 0
 *   as tc_reply */
TC_API tc_status tc_reply_error(tc_status status, const char *text);

/* Reports that the running function has failed, whatever kind of message it runs for: a call
 * that is not answered yet gets the failure as its reply; for a message that is no call, a
 * group's member is notified by tc_group_failures if the message was forwarded here, and a line
 * of this process's log has the text (within the peer's limit for lines). An exception that
 * would leave a function of C++ ends in this call: tc-clang adds it around NAME_main.
 *
 *   status  below 0; another one counts as TC_E_INVALID
 *   text    its first 400 bytes are used; control characters are replaced */
TC_API void tc_self_fail(tc_status status, const char *text);

/* Calls body, and returns when it has returned or has called tc_self_abandon. For languages
 * whose failures do not unwind: a function of theirs runs as the body of a guard, and the
 * handler of a failure (a panic, a failed assertion) calls tc_self_fail and tc_self_abandon. So
 * the message ends and the process goes on. Guards may be nested. Any thread may have one, also
 * outside NAME_main.
 *
 *   body       lets no exception of C++ out
 *   argument   passed on
 *
 * Returns 0 when body has returned, and 1 when it was abandoned. */
TC_API int tc_self_guard(void (*body)(void *argument), void *argument);

/* Ends the body of the innermost tc_self_guard of the running message, in this thread:
 * tc_self_guard returns 1. The calls made since then are left as by longjmp: no destructor
 * runs, memory that only those calls knew is lost, and locks that they took stay taken. Without
 * such a guard it returns and does nothing. */
TC_API void tc_self_abandon(void);

/* A detached call. These are plain bytes: they may travel in payloads and be stored. A process
 * that has them can reply in any function of the same group, or, without a group, of the same
 * endpoint. Without a reply, the deadline ends the call. The layout never changes, because
 * tickets travel between processes. */
typedef struct tc_call_ticket {
    uint64_t call;
    uint32_t origin;
    uint32_t hops;
} tc_call_ticket;

/* Takes the call out of the running message, which is no call afterwards.
 *
 *   TC_OK           *ticket_out names the call
 *   TC_E_NOT_FOUND  the message is not a call, or not any more */
TC_MUST_CHECK TC_API tc_status tc_detach(tc_call_ticket *ticket_out);

/* Replies to a detached call. A forged or outdated ticket reaches at most its origin, which
 * drops replies to calls that it does not know.
 *
 *   TC_E_INVALID  called outside NAME_main and the callbacks of calls, or the ticket is empty
 *   as tc_reply   but never TC_E_NOT_FOUND */
TC_MUST_CHECK TC_API tc_status tc_reply_to(const tc_call_ticket *ticket, const void *data,
                                           size_t size);

/* Replies to a detached call with a failure; status and text as for tc_reply_error.
 *
 *   TC_E_INVALID  status is not below 0
 *   as tc_reply_to */
TC_MUST_CHECK TC_API tc_status tc_reply_error_to(const tc_call_ticket *ticket, tc_status status,
                                                 const char *text);

/* The data that this process published under a name (tc_context_publish), or NULL. size_out
 * receives its size; it may be NULL. */
TC_API void *tc_self_data(const char *name, size_t *size_out);

/* Memory of the running function in this context, kept between invocations until the context is
 * destroyed. It is `size` zeroed bytes at first. NULL: an allocation failed, an earlier
 * invocation asked for another size, or 65,536 functions have such memory. */
TC_API void *tc_self_state(size_t size);

#ifdef __cplusplus
}
#endif
#endif
