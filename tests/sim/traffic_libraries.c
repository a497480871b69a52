/* Libraries that travel: nodes push contents of two libraries to each other and withdraw them,
 * and call functions that use them. A function reports the content that it sees. */
#include "traffic_node.h"

#include "codes.h"
#include "sim_unit.h"
#include "versions.h"

#include <tc/library.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CONTENT_MAGIC 0x6c696272u
#define CONTENT_BYTES 2500u /* the greatest takes more than a small ring's frame */

typedef struct content {
    uint32_t magic, library, version;
    uint8_t rest[CONTENT_BYTES];
} content;

/* A message for a function that uses a library. */
typedef struct use {
    uint32_t library;
    uint32_t padding;
    uint64_t sent_ns;
} use;

static tc_code library_codes[VERSIONS_LIBRARIES][VERSIONS_CONTENTS];
static tc_code user_codes[VERSIONS_LIBRARIES];

static void run(unsigned library, const void *payload, size_t size)
{
    use message;
    const traffic_node *own = tc_sim_node_argument(tc_sim_self());
    const node *n = node_running(own->program);
    const void *symbol = sim_unit_symbol("content");
    content seen = {0};
    if (symbol != NULL)
        memcpy(&seen, symbol, offsetof(content, rest)); /* it may be unaligned */
    memcpy(&message, payload, size < sizeof message ? size : sizeof message);
    if (size != sizeof message || message.library != library)
        flows_fail("node %u: a message of %zu bytes for library %u", n->number, size, library);
    else if (seen.magic != CONTENT_MAGIC || seen.library != library)
        flows_fail("node %u: a function of library %u ran without it", n->number, library);
    else if (!versions_may_be(n->number, library, seen.version, message.sent_ns,
                              tc_sim_now_ns(n->world)))
        flows_fail("node %u: a function saw version %u of library %u", n->number, seen.version,
                   library);
    if (symbol == NULL)
        return;
    tc_status status = tc_reply(&seen.version, sizeof seen.version);
    if (status != TC_OK && status != TC_E_NOT_FOUND && n->all->plan->fail_at == 0)
        flows_fail("node %u: reply of a function of library %u", n->number, library);
}

static void use_0(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    run(0, payload, size);
}

static void use_1(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    run(1, payload, size);
}

static content content_of(unsigned library, unsigned version)
{
    content c = {.magic = CONTENT_MAGIC, .library = library, .version = version};
    uint32_t word = 1 + library * VERSIONS_CONTENTS + version;
    for (size_t i = 0; i < sizeof c.rest; i++) {
        word = word * 1664525u + 1013904223u;
        c.rest[i] = (uint8_t)(word >> 24);
    }
    return c;
}

void traffic_prepare_libraries(void)
{
    tc_error error;
    for (unsigned l = 0; l < VERSIONS_LIBRARIES; l++) {
        for (unsigned v = 0; v < VERSIONS_CONTENTS; v++) {
            const content c = content_of(l, v);
            library_codes[l][v] = codes_library(l == 0 ? "shelf" : "rack", &c,
                                                sizeof c - 1200 * (VERSIONS_CONTENTS - 1 - v));
        }
    }
    user_codes[0] = codes_function("use_shelf", 200, "tc:shelf\n");
    user_codes[1] = codes_function("use_rack", 2400, "tc:rack\n");
    if (tc_sim_function("use_shelf", use_0, &error) != TC_OK ||
        tc_sim_function("use_rack", use_1, &error) != TC_OK)
        abort();
}

tc_status node_open_libraries(node *n, tc_error *error)
{
    tc_status status = TC_OK;
    for (unsigned l = 0; l < VERSIONS_LIBRARIES && status == TC_OK; l++) {
        for (unsigned v = 0; v < VERSIONS_CONTENTS && status == TC_OK; v++)
            status =
                tc_library_open_code(n->ctx, &library_codes[l][v], &n->libraries[l][v], error);
        if (status == TC_OK)
            status = tc_ifunc_open_code(n->ctx, &user_codes[l], &n->users[l], error);
    }
    return status;
}

/* --- pushes and withdrawals -------------------------------------------------------------- */

/* Returns whether the call may still take effect at the peer after it has failed. */
static bool is_uncertain(tc_status status)
{
    return status == TC_E_TIMEOUT || status == TC_E_PEER_LOST || status == TC_E_CLOSED ||
           status == TC_E_UNREACHABLE || status == TC_E_IO;
}

/* Memory for code may be full of libraries, which stay. */
static bool is_full(const node *n, tc_status status)
{
    return has(n, PLAN_evictions) && (status == TC_E_TOO_LARGE || status == TC_E_NO_MEMORY);
}

/* Release 0.1.0 refuses libraries and their users, and its endpoint stays. Returns whether the
 * target is of that release. */
static bool expect_refusal(node *n, unsigned to, tc_status status, const tc_error *error,
                           const char *what)
{
    if (!plan_is_old(n->all->plan, to))
        return false;
    if (status == TC_OK)
        flows_fail("node %u: %s: node %u of release 0.1.0 has taken it", n->number, what, to);
    else if (status != TC_E_VERSION && status != TC_E_CORRUPT && status != TC_E_REFUSED)
        node_lose(n, to, status, error, what);
    return true;
}

static void end_write(node *n, unsigned to, uint32_t write, tc_status status,
                      const tc_error *error, const char *what)
{
    if (expect_refusal(n, to, status, error, what)) {
        versions_undo(write);
        return;
    }
    if (status == TC_OK)
        versions_end(write, true, tc_sim_now_ns(n->world));
    else if (!is_uncertain(status))
        versions_undo(write);
    if (status != TC_OK && !is_full(n, status))
        node_lose(n, to, status, error, what);
}

void node_push(node *n, unsigned to)
{
    if (n->users[0] == NULL)
        return;
    tc_error error = {0};
    const unsigned library = (unsigned)draw(n, VERSIONS_LIBRARIES);
    const unsigned version = (unsigned)draw(n, VERSIONS_CONTENTS);
    const uint32_t write = versions_begin(to, library, version, tc_sim_now_ns(n->world));
    tc_status status =
        tc_library_push(n->peers[to].ep, n->libraries[library][version], TIMEOUT_NS, &error);
    end_write(n, to, write, status, &error, "push");
}

/* The peer has reported that the version is not in force. */
static void check_not_there(const node *n, unsigned to, unsigned library, unsigned version,
                            uint64_t begin_ns)
{
    bool may_be = false;
    for (unsigned other = 0; other <= VERSION_ABSENT; other++)
        may_be |= other != version &&
                  versions_may_be(to, library, other, begin_ns, tc_sim_now_ns(n->world));
    if (!may_be)
        flows_fail("node %u: version %u of library %u is not at node %u", n->number, version,
                   library, to);
}

void node_withdraw(node *n, unsigned to)
{
    if (n->users[0] == NULL)
        return;
    tc_error error = {0};
    const unsigned library = (unsigned)draw(n, VERSIONS_LIBRARIES);
    const unsigned version = (unsigned)draw(n, VERSIONS_CONTENTS);
    const uint64_t begin_ns = tc_sim_now_ns(n->world);
    const uint32_t write = versions_begin(to, library, VERSION_ABSENT, begin_ns);
    tc_status status = tc_library_withdraw(n->peers[to].ep, n->libraries[library][version],
                                           TIMEOUT_NS, &error);
    if (status != TC_E_NOT_FOUND) {
        end_write(n, to, write, status, &error, "withdrawal");
        return;
    }
    versions_undo(write);
    check_not_there(n, to, library, version, begin_ns);
}

/* --- users ------------------------------------------------------------------------------- */

static void check_answer(const node *n, unsigned to, const use *message, unsigned version)
{
    if (flows_get(n->peers[to].flow)->target_ended)
        return; /* the context that answered has gone, with its libraries */
    if (version >= VERSIONS_CONTENTS ||
        !versions_may_be(to, message->library, version, message->sent_ns,
                         tc_sim_now_ns(n->world)))
        flows_fail("node %u: node %u answered with version %u of library %u", n->number, to,
                   version, message->library);
}

/* Sends messages that get no answer: they are dropped where the library is absent. */
static void send_uses(node *n, unsigned to, unsigned library)
{
    for (uint64_t left = draw(n, 4); left > 0; left--) {
        tc_error error = {0};
        const use message = {.library = library, .sent_ns = tc_sim_now_ns(n->world)};
        tc_status status =
            tc_send(n->peers[to].ep, n->users[library], &message, sizeof message);
        (void)tc_send_error(n->ctx, &error);
        if (status != TC_OK && status != TC_E_AGAIN && status != TC_E_ABSENT &&
            !is_full(n, status) && !node_is_refusal(n, status) &&
            !(status == TC_E_REFUSED && plan_is_old(n->all->plan, to))) {
            node_lose(n, to, status, &error, "send to a library's user");
            return;
        }
    }
}

/* Calls behind a message that was refused are refused, too. */
static bool may_be_absent(const node *n, unsigned to, const use *message, tc_status status)
{
    const uint64_t since_ns =
        status == TC_E_REFUSED ? n->peers[to].used_ns[message->library] : message->sent_ns;
    return versions_may_be(to, message->library, VERSION_ABSENT, since_ns,
                           tc_sim_now_ns(n->world));
}

void node_use_library(node *n, unsigned to)
{
    tc_error error = {0};
    uint32_t version = UINT32_MAX;
    size_t size = sizeof version;
    if (n->users[0] == NULL)
        return;
    use message = {.library = (uint32_t)draw(n, VERSIONS_LIBRARIES)};
    send_uses(n, to, message.library);
    if (n->peers[to].ep == NULL)
        return;
    message.sent_ns = tc_sim_now_ns(n->world);
    tc_status status = tc_call(n->peers[to].ep, n->users[message.library], &message,
                               sizeof message, &version, &size, TIMEOUT_NS, &error);
    if (expect_refusal(n, to, status, &error, "call of a library's user"))
        return;
    if (status == TC_OK) {
        check_answer(n, to, &message, version);
        n->peers[to].used_ns[message.library] = message.sent_ns;
        return;
    }
    const bool is_absence = status == TC_E_ABSENT || status == TC_E_REFUSED;
    if (is_absence && !may_be_absent(n, to, &message, status) && !node_is_refusal(n, status))
        flows_fail("node %u: library %u is absent at node %u: %s", n->number, message.library,
                   to, error.text);
    if (!is_absence && !is_full(n, status))
        node_lose(n, to, status, &error, "call of a library's user");
}
