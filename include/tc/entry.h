/* What an ifunc library defines, and what its code may ask of the library that runs it.
 *
 * For a library NAME:
 *
 *   void   NAME_main(void *payload, size_t payload_size, void *target_args);
 *   size_t NAME_payload_get_max_size(void *source_args, size_t source_args_size); optional int
 * NAME_payload_init(void *payload, size_t payload_size, void *source_args, size_t
 * source_args_size);                     optional
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

#include <tc/ifunc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inside NAME_main: the endpoint that the message came from, and the function itself (open
 * while NAME_main runs; NULL when it came by tc_send_injected). NULL outside.
 * tc_send(tc_self_endpoint(), ...) replies; tc_send(other, tc_self_ifunc(), ...) forwards: the
 * whole archive travels on, so the next process may be of another architecture. */
TC_API tc_ep *tc_self_endpoint(void);
TC_API tc_ifunc *tc_self_ifunc(void);

#ifdef __cplusplus
}
#endif
#endif
