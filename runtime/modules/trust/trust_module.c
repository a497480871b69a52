/* The module trust: gives each registry its rules, which are read from the options. */
#include "base/error_text.h"
#include "core/core.h"
#include "core/module.h"
#include "modules/trust/standing.h"
#include "modules/trust/trust.h"

#include <stdlib.h>

static void encode(const tc_ifunc *fn, const tci_code_bytes *code, uint8_t *bytes_out)
{
    tci_code_signature_encode(fn->signature, code, bytes_out);
}

static const tci_trust_ops ops = {.check_section = tci_standing_check_section,
                                  .check_bytes = tci_standing_check_bytes,
                                  .judge_new = tci_standing_judge_new,
                                  .judge_known = tci_standing_judge_known,
                                  .judge = tci_standing_judge,
                                  .judge_again = tci_standing_judge_again,
                                  .content = tci_standing_content,
                                  .encode = encode,
                                  .reload = tci_standing_reload};

/* In every registry: without any option, too, signatures travel with the code they sign. */
static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    tci_trust *trust = malloc(sizeof *trust);
    if (trust == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "trust: out of memory");
    tc_status status = tci_trust_read(options, trust, err);
    if (status != TC_OK) {
        free(trust);
        return status;
    }
    trust->head.ops = &ops;
    status = tci_module_take((const void **)&registry->trust, &trust->head, "trust", err);
    if (status != TC_OK) {
        tci_trust_free(trust);
        free(trust);
    }
    return status;
}

static void detach(tci_registry *registry)
{
    if (registry->trust == NULL || registry->trust->ops != &ops)
        return;
    tci_trust *trust = tci_trust_of(registry);
    registry->trust = NULL;
    tci_trust_free(trust);
    free(trust);
}

const tci_module tci_trust_module = {
    .name = "trust", .attach_registry = attach, .detach_registry = detach};
