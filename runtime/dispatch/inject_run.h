/* Messages that bring their code along and leave nothing behind. */
#ifndef TCI_INJECT_RUN_H
#define TCI_INJECT_RUN_H

#include "endpoint/ep.h"

/* Makes the code behind a checked INJECT frame's payload callable, for one call. Statuses of
 * tci_injector_place. */
TC_MUST_CHECK tc_status tci_inject_prepare(tci_hub *hub, const tci_frame *f,
                                           const uint8_t *frame,
                                           const tci_code_section *section,
                                           void (**main_out)(void *, size_t, void *),
                                           tc_error *err);

#endif
