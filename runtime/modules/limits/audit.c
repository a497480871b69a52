#include "modules/limits/audit.h"

#include "base/clock.h"

#include <tc/load.h>

#define REFUSALS_PER_SECOND 100u
#define STRANGERS_PER_SECOND 10u

static bool is_wanted(const tci_audit *audit, const tci_core *core)
{
    return audit->file != NULL && !tci_core_is_forked(core);
}

/* Begins a line with the endpoint's connection id and the peer's identity and address. */
static void begin(tci_audit_line *line, const char *event, const tc_ep *ep)
{
    tci_audit_line_begin(line, event);
    tci_audit_line_number(line, "connection", ep->connection);
    tci_audit_line_text(line, "identity", ep->peer.identity);
    tci_audit_line_text(line, "peer", ep->stream != NULL ? tci_stream_peer(ep->stream) : "");
}

static void add_error(tci_audit_line *line, const tc_error *error)
{
    tci_audit_line_text(line, "status", tc_status_name(error->status));
    tci_audit_line_text(line, "text", error->text);
}

static void add_left_out(tci_audit_line *line, uint64_t left_out)
{
    if (left_out > 0)
        tci_audit_line_number(line, "left_out", left_out);
}

/* Returns whether a line may be written in this second. If so, *left_out is the number of lines
 * left out before it, which it reports. */
static bool may_write(tci_log_ration *ration, unsigned per_second, uint64_t *left_out)
{
    const uint64_t second = tci_clock_ns() / TCI_NS_PER_S;
    if (ration->second != second) {
        ration->second = second;
        ration->lines = 0;
    }
    if (ration->lines == per_second) {
        ration->left_out++;
        return false;
    }
    ration->lines++;
    *left_out = ration->left_out;
    ration->left_out = 0;
    return true;
}

/* --- endpoints --------------------------------------------------------------------------- */

static void opened(tci_audit *audit, const tc_ep *ep)
{
    tci_audit_line line;
    begin(&line, "opened", ep);
    tci_audit_line_text(&line, "delivery", ep->tx.delivery->ops->name);
    tci_audit_line_number(&line, "peer_pid", ep->peer.pid);
    tci_audit_file_write(audit->file, &line);
}

static void closed(tci_audit *audit, const tc_ep *ep, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out = 0;
    if (!ep->life.opened && !may_write(&audit->refusals, REFUSALS_PER_SECOND, &left_out))
        return;
    begin(&line, error == NULL ? "closed" : ep->life.opened ? "failed" : "refused", ep);
    if (error != NULL && !ep->life.opened)
        tci_audit_line_text(&line, "what", "connection");
    add_left_out(&line, left_out);
    tci_audit_line_number(&line, "messages", ep->rx.run_messages);
    if (error != NULL)
        add_error(&line, error);
    tci_audit_file_write(audit->file, &line);
}

void tci_audit_state(tci_audit *audit, const tc_ep *ep, const tc_error *error)
{
    if (is_wanted(audit, ep->core) && ep->state == TCI_EP_OPEN)
        opened(audit, ep);
    else if (is_wanted(audit, ep->core))
        closed(audit, ep, error);
}

/* --- code and windows -------------------------------------------------------------------- */

static void refused(tci_audit *audit, const tc_ep *ep, const char *what, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out;
    if (!is_wanted(audit, ep->core) ||
        !may_write(&audit->refusals, REFUSALS_PER_SECOND, &left_out))
        return;
    begin(&line, "refused", ep);
    tci_audit_line_text(&line, "what", what);
    add_left_out(&line, left_out);
    add_error(&line, error);
    tci_audit_file_write(audit->file, &line);
}

static void loaded(tci_audit *audit, const tc_ep *ep, const tc_ifunc *fn)
{
    tci_audit_line line;
    tc_load_report report = {.path = TC_LOAD_IMAGE};
    char id[TCI_CONTENT_ID_TEXT];
    begin(&line, "loaded", ep);
    tci_audit_line_text(&line, "function", tci_archive_name(fn->archive));
    tci_content_id_text(&fn->id, id);
    tci_audit_line_text(&line, "id", id);
    tci_audit_line_text(&line, "signer", fn->signer);
    tci_audit_line_number(&line, "bytes", fn->code_bytes);
    if (fn->unit != NULL) { /* NULL: code of the process itself */
        uint64_t ns = 0;
        fn->registry->loading->report(fn->unit, &report);
        for (int i = 0; i < TC_STAGE_COUNT; i++)
            ns += report.stage_ns[i];
        tci_audit_line_text(&line, "form", tc_load_path_name(report.path));
        tci_audit_line_number(&line, "memory", report.memory_bytes);
        tci_audit_line_number(&line, "load_ns", ns);
    }
    tci_audit_file_write(audit->file, &line);
}

void tci_audit_code(tci_audit *audit, const tc_ep *ep, const tc_ifunc *fn,
                    const tc_error *error)
{
    if (fn == NULL)
        refused(audit, ep, "code", error);
    else if (is_wanted(audit, ep->core))
        loaded(audit, ep, fn);
}

void tci_audit_window(tci_audit *audit, const tc_ep *ep, const tc_error *error)
{
    refused(audit, ep, "window", error);
}

/* --- connections without an endpoint ------------------------------------------------------ */

void tci_audit_stranger(tci_audit *audit, const tci_core *core, const char *peer,
                        const tc_error *error, bool handed)
{
    tci_audit_line line;
    uint64_t left_out;
    if (!is_wanted(audit, core) ||
        !may_write(handed ? &audit->refusals : &audit->strangers,
                   handed ? REFUSALS_PER_SECOND : STRANGERS_PER_SECOND, &left_out))
        return;
    tci_audit_line_begin(&line, handed ? "ended" : "refused");
    if (!handed)
        tci_audit_line_text(&line, "what", "stranger");
    add_left_out(&line, left_out);
    tci_audit_line_text(&line, "peer", peer);
    add_error(&line, error);
    tci_audit_file_write(audit->file, &line);
}
