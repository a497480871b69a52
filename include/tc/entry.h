/* What an ifunc library defines, and what its code may ask of the library that runs it.
 *
 * For a library NAME:
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *   // optional, both or neither:
 *   size_t NAME_payload_get_max_size(void *source_args, size_t source_args_size);
 *   int    NAME_payload_init(void *payload, size_t payload_size,
 *                            void *source_args, size_t source_args_size);
 *
 * NAME_main runs at the target, in the thread that progresses the context. The payload is
 * 16-byte aligned, writable, and gone when NAME_main returns. The two others run at the source,
 * inside tc_send; define both or neither. NAME_payload_init returns 0, or anything else to give
 * the message up (TC_E_PAYLOAD). After UCX-ifunc API, listing 1.2.
 *
 * Code that calls libc or a library named by -l works as in any program. Thread-local
 * variables, constructors, GNU ifunc attributes and (unless --allow-asm) inline assembly are
 * refused by tc-clang. */
#ifndef TC_ENTRY_H
#define TC_ENTRY_H

#include <tc/group.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inside NAME_main: the endpoint that the message came from, and the function itself (open
 * while NAME_main runs; NULL when it came by tc_send_injected). NULL outside.
 * tc_send(other, tc_self_ifunc(), ...) sends it on by hand: the whole archive travels, so the
 * next process may be of another architecture. */
TC_API tc_ep *tc_self_endpoint(void);
TC_API tc_ifunc *tc_self_ifunc(void);

/* The group of the member that sent this message, and this side's place in it. NULL,
 * TC_RANK_NONE and 0 when the message came from outside any group. */
TC_API tc_group *tc_self_group(void);
TC_API uint32_t tc_self_rank(void);
TC_API uint32_t tc_self_size(void);

/* The member that began what this message belongs to, however often it was forwarded, and how
 * often that was. */
TC_API uint32_t tc_self_origin(void);
TC_API uint32_t tc_self_hops(void);

/* Sends this function on to another member, or this one again, with a payload, which may be the
 * one that came, changed in place: it is copied once, from ring to ring. Never blocks. A call
 * goes along with the first message that is sent on; further ones are messages of their own,
 * with the same origin and one hop more. When it fails, and nothing else comes of the message,
 * its origin hears of that. Messages to one member keep their order, by whichever call they are
 * sent.
 *
 * TC_E_NOT_FOUND (no such rank), TC_E_HOPS, TC_E_AGAIN (the queue to that member is full),
 * TC_E_TOO_LARGE, TC_E_PEER_LOST, TC_E_UNREACHABLE (this message came from outside a group),
 * TC_E_INVALID (outside NAME_main, or in injected code). */
TC_MUST_CHECK TC_API tc_status tc_forward(uint32_t rank, const void *payload, size_t size);

/* Answers the call that this message is; `data` is copied. TC_E_NOT_FOUND: it is none, or none
 * any more. TC_E_TOO_LARGE: above the option send_queue_bytes. TC_E_AGAIN: that much waits for
 * the origin already. TC_E_PEER_LOST, TC_E_UNREACHABLE. Who could not answer still has the
 * call; its caller hears of the failure if NAME_main does nothing else with it. */
TC_MUST_CHECK TC_API tc_status tc_reply(const void *data, size_t size);
/* The same with a status below 0 and a text (400 bytes of it are sent). TC_E_INVALID. */
TC_MUST_CHECK TC_API tc_status tc_reply_error(tc_status status, const char *text);

/* A call as plain bytes, which may travel in payloads and wait anywhere: somebody else answers
 * it later, or nobody, and its deadline ends it. Good wherever a message of the same group
 * runs; without a group, where one of the same endpoint does. */
typedef struct tc_call_ticket {
    uint64_t call;
    uint32_t origin;
    uint32_t hops;
} tc_call_ticket;

/* Takes the call out of this message, which then is none. TC_E_NOT_FOUND. */
TC_MUST_CHECK TC_API tc_status tc_detach(tc_call_ticket *ticket_out);
/* tc_reply and tc_reply_error for such a call. TC_E_INVALID: outside NAME_main. */
TC_MUST_CHECK TC_API tc_status tc_reply_to(const tc_call_ticket *ticket, const void *data,
                                           size_t size);
TC_MUST_CHECK TC_API tc_status tc_reply_error_to(const tc_call_ticket *ticket, tc_status status,
                                                 const char *text);

/* What the node published under a name (tc_context_publish), NULL if nothing. size_out may be
 * NULL. */
TC_API void *tc_self_data(const char *name, size_t *size_out);

/* Memory of this function's own at this node: `size` zeroed bytes at first, the same in every
 * call until the context ends. NULL: no memory, or another size than before. */
TC_API void *tc_self_state(size_t size);

#ifdef __cplusplus
}
#endif
#endif
