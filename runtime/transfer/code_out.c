/* Sends the code of one function in fragments of 32 KiB, at most four of them under way at
 * once. */
#include "transfer/code_out.h"

#include "base/assertion.h"
#include "base/cursor.h"
#include "base/logger.h"
#include "core/ep_state.h"
#include "ifunc/code_form.h"
#include "ifunc/holes_ops.h"

#include <stdlib.h>

/* A fragment: the code section (24 bytes), offset u32, bytes. */
#define PART_BYTES 32768u
#define PART_HEADER_BYTES (TCI_CODE_SECTION_BYTES + 4u)
#define CODE_PARTS 4u

typedef struct code_part {
    tci_link_op op;
    bool under_way;
    uint8_t bytes[PART_HEADER_BYTES + PART_BYTES];
} code_part;

typedef struct tci_code_out {
    tc_ifunc *fn; /* held; NULL: all has left */
    tci_code_form code;
    size_t offset;      /* bytes behind the section that have left */
    unsigned next_part; /* they are used in turn */
    unsigned under_way;
    bool orphan; /* its endpoint is gone: the last operation frees it */
    code_part parts[CODE_PARTS];
} tci_code_out;

static void let_function_go(tci_code_out *out)
{
    if (out->fn != NULL)
        tci_registry_release(out->fn);
    out->fn = NULL;
}

/* Chooses the form that was announced to the peer: a slot may have been bound before the
 * function had its signature. Returns whether that form exists. */
static bool has_what_is_wanted(tci_code_form *code, bool with_signature)
{
    if (with_signature)
        return code->signature_size > 0;
    code->signature_size = 0;
    return true;
}

static bool is_announced(const tc_ep *ep, const tc_ifunc *fn)
{
    const tci_holes_ops *holes = ep->core->registry.holes;
    return ep->tx.bindings[fn->index] != TCI_TX_UNKNOWN ||
           (holes != NULL && holes->is_announced(ep, fn));
}

void tci_code_out_begin(tc_ep *ep, const tci_content_id *id, bool with_signature)
{
    tci_code_form code;
    tc_ifunc *fn = tci_code_form_find(&ep->core->registry, id, &code);
    if (fn == NULL || !is_announced(ep, fn) || !has_what_is_wanted(&code, with_signature)) {
        char text[TCI_CONTENT_ID_TEXT];
        tci_content_id_text(id, text);
        TC_LOG(TC_LOG_DEBUG,
               "endpoint %u: the peer needs code %s, which was not announced to it",
               ep->connection, text);
        return;
    }
    if (ep->tx.code == NULL && (ep->tx.code = calloc(1, sizeof *ep->tx.code)) == NULL) {
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "code that the peer needs: out of memory");
        return;
    }
    let_function_go(ep->tx.code);
    tci_registry_retain(fn);
    ep->tx.code->fn = fn;
    ep->tx.code->code = code;
    ep->tx.code->offset = 0;
    tci_pending_add(&ep->core->pending, TCI_WORK_LINK);
}

static void part_has_left(tci_link_op *op)
{
    tci_code_out *out = op->user;
    TCI_INVARIANT_IS(code_parts, out->under_way, >, 0);
    TCI_INVARIANT(code_parts, ((code_part *)(void *)op)->under_way);
    ((code_part *)(void *)op)->under_way = false;
    out->under_way--;
    if (out->orphan && out->under_way == 0)
        free(out);
}

static tc_status send_part(tc_ep *ep, tci_code_out *out)
{
    code_part *part = &out->parts[out->next_part++ % CODE_PARTS];
    size_t left =
        out->code.size - TCI_CODE_SECTION_BYTES + out->code.signature_size - out->offset;
    size_t n = left < PART_BYTES ? left : PART_BYTES;
    TCI_INVARIANT(code_parts, !part->under_way);
    TCI_INVARIANT_IS(code_left, left, <=, out->code.size + out->code.signature_size);
    tci_writer w;
    tci_writer_init(&w, part->bytes, sizeof part->bytes);
    tci_write_bytes(&w, out->code.bytes, TCI_CODE_SECTION_BYTES);
    tci_write_u32(&w, (uint32_t)out->offset);
    tci_write_bytes(&w, out->code.bytes + TCI_CODE_SECTION_BYTES + out->offset, n);
    part->op = (tci_link_op){.done = part_has_left, .user = out};
    tc_status status =
        tci_link_send(ep->link, TCI_AM_CODE, 0, &part->op, part->bytes, w.at, &part->under_way);
    out->under_way += part->under_way;
    out->offset += n;
    TCI_INVARIANT(code_left,
                  (n == left) == (out->offset == out->code.size - TCI_CODE_SECTION_BYTES +
                                                     out->code.signature_size));
    if (n == left)
        let_function_go(out);
    return status;
}

bool tci_code_out_may_leave(const tc_ep *ep)
{
    const tci_code_out *out = ep->tx.code;
    return out != NULL && out->fn != NULL && !out->parts[out->next_part % CODE_PARTS].under_way;
}

bool tci_code_out_turn(tc_ep *ep)
{
    while (tci_code_out_may_leave(ep)) {
        if (send_part(ep, ep->tx.code) != TC_OK) {
            (void)tci_ep_fail_with(ep, TC_E_PEER_LOST, "peer lost: its code could not be sent");
            return false;
        }
    }
    if (ep->tx.code != NULL && ep->tx.code->fn == NULL && ep->tx.code->under_way == 0) {
        free(ep->tx.code); /* its buffers are large */
        ep->tx.code = NULL;
    }
    return ep->tx.code != NULL;
}

void tci_code_out_fini(tc_ep *ep)
{
    tci_code_out *out = ep->tx.code;
    if (out == NULL)
        return;
    let_function_go(out);
    if (out->under_way > 0)
        out->orphan = true; /* UCX kept operations when the link was closed */
    else
        free(out);
}
