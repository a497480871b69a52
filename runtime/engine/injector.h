/* Code that comes with a message, runs for that message, and is not kept: an image is placed
 * again for each call, from bytes that the message carries beside its payload.
 *
 * What is kept is the validation of the last image: when the next message has the same bytes
 * they are not parsed and their imports not looked up again. The code is copied, linked and
 * made visible to the processor for every message all the same, into one place of several in turn,
 * because a processor that runs what was just changed under it starts its pipeline again. That is
 * done before the message comes, for a few messages, when there is nothing else to do; or else while
 * the message's own bytes are still on their way. Both in the hope that it brings the same code:
 * its bytes are compared before anything runs. */
#ifndef TCI_INJECTOR_H
#define TCI_INJECTOR_H

#include "engine/symbols.h"

#include <stdint.h>

typedef struct tci_code_arena tci_code_arena;
typedef struct tci_injector tci_injector;

/* The arena and what `scope` points to must outlive it. Without `takes_images` every image is refused.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_injector_create(tci_code_arena *arena, bool takes_images,
                                            const tci_symbol_scope *scope,
                                            tci_injector **injector_out, tc_error *err);
/* NULL is allowed. */
void tci_injector_destroy(tci_injector *injector);

/* Nothing has come: the code of the message before is written to the next few places, in the hope that
 * it comes again. tci_injector_place uses one of them if it does. */
void tci_injector_get_ahead(tci_injector *injector);

/* A message that brings code has come, and its bytes are asked for: the same while they are on their
 * way, unless a place is written already. Nothing of the message is looked at. */
void tci_injector_expect(tci_injector *injector);

/* Makes an image callable: `image_size` bytes of it, then `rest_size` bytes with the text of
 * its .deps file and the names of its undefined symbols, each with a terminator. All of it
 * comes from outside, and may change while it is looked at. *main_out stays callable during the
 * next ten calls; static data begins as the image has it. Unwinding is not possible through
 * it. TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE, TC_E_NO_SLICE (another architecture),
 * TC_E_UNRESOLVED, TC_E_NO_LIBRARY, TC_E_UNSUPPORTED (this process takes no images),
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_injector_place(tci_injector *injector, const uint8_t *bytes,
                                           size_t image_size, size_t rest_size,
                                           void (**main_out)(void *, size_t, void *),
                                           tc_error *err);

#endif
