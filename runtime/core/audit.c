#include "core/audit.h"

#include "base/clock.h"

#define REFUSALS_PER_SECOND 100u
#define STRANGERS_PER_SECOND 10u

static bool is_wanted(const tci_core *core)
{
    return core->audit != NULL && !tci_core_is_forked(core);
}

bool tci_audit_begin(const tc_ep *ep, tci_audit_line *line, const char *event)
{
    if (!is_wanted(ep->core))
        return false;
    tci_audit_line_begin(line, event);
    tci_audit_line_number(line, "connection", ep->connection);
    tci_audit_line_text(line, "identity", ep->peer.identity);
    tci_audit_line_text(line, "peer", ep->stream != NULL ? tci_stream_peer(ep->stream) : "");
    return true;
}

void tci_audit_end(const tc_ep *ep, tci_audit_line *line)
{
    tci_audit_file_write(ep->core->audit, line);
}

static void add_error(tci_audit_line *line, const tc_error *error)
{
    tci_audit_line_text(line, "status", tc_status_name(error->status));
    tci_audit_line_text(line, "text", error->text);
}

void tci_audit_opened(const tc_ep *ep)
{
    tci_audit_line line;
    if (!tci_audit_begin(ep, &line, "opened"))
        return;
    tci_audit_line_text(&line, "delivery", ep->tx.delivery->ops->name);
    tci_audit_line_number(&line, "peer_pid", ep->peer.pid);
    tci_audit_end(ep, &line);
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

static bool may_write_refusal(tci_core *core, uint64_t *left_out)
{
    return may_write(&core->audit_ration, REFUSALS_PER_SECOND, left_out);
}

void tci_audit_closed(const tc_ep *ep, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out = 0;
    const char *event = error == NULL ? "closed" : ep->life.opened ? "failed" : "refused";
    if (ep->core->audit == NULL ||
        (!ep->life.opened && !may_write_refusal(ep->core, &left_out)) ||
        !tci_audit_begin(ep, &line, event))
        return;
    if (error != NULL && !ep->life.opened)
        tci_audit_line_text(&line, "what", "connection");
    add_left_out(&line, left_out);
    tci_audit_line_number(&line, "messages", ep->rx.run_messages);
    if (error != NULL)
        add_error(&line, error);
    tci_audit_end(ep, &line);
}

void tci_audit_refused(const tc_ep *ep, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out;
    if (ep->core->audit == NULL || !may_write_refusal(ep->core, &left_out) ||
        !tci_audit_begin(ep, &line, "refused"))
        return;
    tci_audit_line_text(&line, "what", "code");
    add_left_out(&line, left_out);
    add_error(&line, error);
    tci_audit_end(ep, &line);
}

/* --- connections without an endpoint ------------------------------------------------------ */

static void write_stranger(tci_core *core, tci_audit_line *line, const char *peer,
                           const tc_error *error)
{
    tci_audit_line_text(line, "peer", peer);
    add_error(line, error);
    tci_audit_file_write(core->audit, line);
}

void tci_audit_stranger(tci_core *core, const char *peer, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out;
    if (!is_wanted(core) || !may_write(&core->audit_strangers, STRANGERS_PER_SECOND, &left_out))
        return;
    tci_audit_line_begin(&line, "refused");
    tci_audit_line_text(&line, "what", "stranger");
    add_left_out(&line, left_out);
    write_stranger(core, &line, peer, error);
}

void tci_audit_ended(tci_core *core, const char *peer, const tc_error *error)
{
    tci_audit_line line;
    uint64_t left_out;
    if (!is_wanted(core) || !may_write_refusal(core, &left_out))
        return;
    tci_audit_line_begin(&line, "ended");
    add_left_out(&line, left_out);
    write_stranger(core, &line, peer, error);
}
