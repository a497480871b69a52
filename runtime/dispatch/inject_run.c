#include "inject_run.h"

#include "engine/injector.h"

tc_status tci_inject_prepare(tci_hub *hub, const tci_frame *f, const uint8_t *frame,
                             const tci_code_section *section,
                             void (**main_out)(void *, size_t, void *), tc_error *err)
{
    const tci_registry *registry = &hub->registry;
    if (hub->injector == NULL)
        TC_TRY(tci_injector_create(registry->engine, registry->host_symbols,
                                   registry->host_symbol_count, &hub->injector, err));
    const uint8_t *code =
        frame + tci_frame_code_offset(f->payload_size) + TCI_INJECT_SECTION_BYTES;
    return tci_injector_place(hub->injector, code, section->archive_size, section->deps_size,
                              main_out, err);
}
