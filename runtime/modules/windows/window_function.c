#include "modules/windows/window_function.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "core/calls_ops.h"
#include "core/current.h"
#include "core/limits.h"
#include "ifunc/ifunc_load.h"
#include "modules/windows/window_chain.h"

#include <stdlib.h>
#include <tc/entry.h>

/* Answers up to this size need no memory of their own. */
#define SMALL_BYTES 512u

/* An archive as docs/archive-format.md has it: the function tc_window with one slice, of a form
 * and a target that no process selects. Its content id is that of the protocol, so a byte may
 * only change together with the meaning of requests. */
static const uint8_t archive[] = {0x54, 0x43, 0x41, 0x01, 0x00, 0x00, 0x20, 0x74, 0x63, 0x5f,
                                  0x77, 0x69, 0x6e, 0x64, 0x6f, 0x77, 0x00, 0x01, 0x01, 0x00,
                                  0x6f, 0x77, 0x6e, 0x65, 0x72, 0x2d, 0x6e, 0x6f, 0x6e, 0x65,
                                  0x00, 0xff, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x0c,
                                  0x6f, 0x2a, 0xd0, 0x72, 0xeb, 0x53, 0x25};

/* --- at the owner ------------------------------------------------------------------------- */

static tc_status run_into(const tc_ep *ep, const tci_window_request *request, uint8_t *buffer,
                          size_t size, tc_error *err)
{
    const uint8_t *answer;
    TC_TRY(tci_window_chain_run(ep->core->windows, ep, request, buffer, &answer, err));
    TCI_INVARIANT(window_results,
                  answer == buffer || answer == buffer + size - request->result_bytes);
    /* A failure of it is reported when this function returns. */
    (void)tc_reply(answer, size - (size_t)(answer - buffer));
    return TC_OK;
}

/* Nothing is changed for an answer that would be too large to send. */
static tc_status check_answer(const tc_ep *ep, size_t size, tc_error *err)
{
    const uint64_t max = ep->core->options.send_queue_bytes;
    if (size <= SMALL_BYTES || size <= max)
        return TC_OK;
    return tci_error_set(err, TC_E_TOO_LARGE,
                         "an answer of %zu bytes, option send_queue_bytes of the owner is %llu",
                         size, (unsigned long long)max);
}

static tc_status serve_request(const tc_ep *ep, const uint8_t *payload, size_t payload_size,
                               tc_error *err)
{
    tci_window_request request;
    uint8_t small[SMALL_BYTES];
    TC_TRY(tci_window_request_decode(payload, payload_size, &request, err));
    const size_t size = TCI_WINDOW_ANSWER_BYTES + (size_t)request.result_bytes;
    TC_TRY(check_answer(ep, size, err));
    uint8_t *answer = size <= sizeof small ? small : malloc(size);
    if (answer == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "an answer of %zu bytes: out of memory",
                             size);
    tc_status status = run_into(ep, &request, answer, size, err);
    if (answer != small)
        free(answer);
    return status;
}

/* Memory that is used up is no fault of the peer's. */
static void refuse(const tc_ep *ep, const tc_error *error)
{
    if (error->status != TC_E_NO_MEMORY)
        tci_limits_note_window(ep, error);
    (void)tc_reply_error(error->status, error->text);
}

/* A message that is no call is dropped: no function of the library sends one. */
static void serve(void *payload, size_t payload_size, void *target_args)
{
    const tci_current *current = tci_current_get();
    tc_error error;
    (void)target_args;
    if (current->invocation == NULL || current->invocation->route.call == 0)
        tc_self_fail(TC_E_INVALID, "a request for a window that is no call");
    else if (serve_request(current->ep, payload, payload_size, &error) != TC_OK)
        refuse(current->ep, &error);
}

/* --- the function ------------------------------------------------------------------------- */

/* A peer may have sent it before: then it has failed to load, or is about to. */
static void use(tc_ifunc *fn)
{
    tci_ifunc_load_undo(fn);
    tci_ifunc_load_forgive(fn, true);
    fn->entry = (tci_entries){.main = serve};
    fn->state = TCI_LOADED;
    fn->own = true;
    fn->standing = TCI_STANDING_OPEN;
}

tc_status tci_window_function(tci_core *core, tc_ifunc **fn_out, tc_error *err)
{
    tci_windows *windows = core->windows;
    if (windows->fn == NULL) {
        const tci_registry_code code = {
            .archive = archive, .archive_size = sizeof archive, .own = true};
        TC_TRY(tci_registry_add(&core->registry, &code, &windows->fn, err));
        use(windows->fn);
    }
    *fn_out = windows->fn;
    return TC_OK;
}
