/* Runs code that comes with a message, for that message alone: an image is placed again for
 * each call, from bytes that the message carries beside its payload.
 *
 * Only the validation of the last image is kept: when the next message has the same bytes, they
 * are not parsed and their imports not looked up again. The code is still copied, linked and
 * made visible to the processor for every message, into one of several slots in turn, because a
 * processor that runs code just changed under it restarts its pipeline. This is done for a few
 * messages before they come, when there is nothing else to do; or else while the message's own
 * bytes are still in transit. Both assume that the message brings the same code: its bytes are
 * compared before anything runs. */
#ifndef TCI_INJECTOR_H
#define TCI_INJECTOR_H

#include "engine/symbols.h"

#include <stdint.h>

typedef struct tci_code_arena tci_code_arena;
typedef struct tci_injector tci_injector;

/* The arena and the data that `scope` points to must outlive it. Without `takes_images` every
 * image is refused. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_injector_create(tci_code_arena *arena, bool takes_images,
                                            const tci_symbol_scope *scope,
                                            tci_injector **injector_out, tc_error *err);
/* NULL is allowed. */
void tci_injector_destroy(tci_injector *injector);

/* Called when no message has come. Writes the code of the previous message to the next few
 * slots, in case it comes again; tci_injector_place then uses one of them. */
void tci_injector_get_ahead(tci_injector *injector);

/* Called when a message with code has come and its bytes are being fetched. Meanwhile writes
 * the code of the previous message to a slot, unless one is written already. Reads nothing of
 * the message. */
void tci_injector_expect(tci_injector *injector);

/* Makes an image callable: `image_size` bytes of it, then `rest_size` bytes with the text of
 * its .deps file and the names of its undefined symbols, each with a terminator. All of it
 * comes from outside, and may change while it is read. *main_out stays callable during the next
 * ten calls; static data begins with the image's values. The stack cannot be unwound through
 * it. TC_E_CORRUPT, TC_E_VERSION, TC_E_TOO_LARGE, TC_E_NO_SLICE (another architecture),
 * TC_E_UNRESOLVED, TC_E_NO_LIBRARY, TC_E_UNSUPPORTED (this process takes no images),
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_injector_place(tci_injector *injector, const uint8_t *bytes,
                                           size_t image_size, size_t rest_size,
                                           void (**main_out)(void *, size_t, void *),
                                           tc_error *err);

#endif
