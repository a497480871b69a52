/* Sends the function tell_holdings, which is embedded in tc-info, to the peer and prints its
 * answer. */
#include "info_holdings.h"

#include "node_holdings.h"
#include "tool_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/call.h>
#include <tc/ifunc.h>

#define ID_TEXT (2 * TC_IFUNC_ID_BYTES + 1)

static tc_status fail(tc_error *err, tc_status status, const char *format, ...) TC_PRINTF(3, 4);

static tc_status fail(tc_error *err, tc_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (err != NULL) {
        err->status = status;
        (void)vsnprintf(err->text, sizeof err->text, format, arguments);
    }
    va_end(arguments);
    return status;
}

static tc_status read_answer(void *answer, size_t size, node_holdings *holdings, tc_error *err)
{
    char why[200];
    return node_holdings_read(answer, size, holdings, why, sizeof why)
               ? TC_OK
               : fail(err, TC_E_CORRUPT, "--holdings: %s", why);
}

/* --- printing ----------------------------------------------------------------------------- */

static const char *id_text(const uint8_t *id, char text[ID_TEXT])
{
    for (size_t i = 0; i < TC_IFUNC_ID_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

static void print_lines(const node_holdings *h)
{
    char id[ID_TEXT];
    for (size_t i = 0; i < h->package_count; i++)
        printf("package       %s, id %s, %" PRIu64 " elements\n", h->packages[i].name,
               id_text(h->packages[i].id, id), h->packages[i].elements);
    for (size_t i = 0; i < h->library_count; i++) {
        const node_holdings_library *l = &h->libraries[i];
        printf("library       %s, id %s, %" PRIu64 " symbols, %" PRIu64 " bytes\n", l->name,
               id_text(l->id, id), l->symbols, l->memory_bytes);
        printf("              used by %" PRIu64 " functions, %" PRIu64 " libraries%s%s\n",
               l->functions, l->users, *l->owner != '\0' ? "; of " : "", l->owner);
    }
    if (h->package_count + h->library_count == 0)
        puts("it holds no packages and no libraries");
}

static void print_json(const node_holdings *h)
{
    char id[ID_TEXT];
    fputs("{\"packages\": [", stdout);
    for (size_t i = 0; i < h->package_count; i++) {
        fputs(i > 0 ? ", {" : "{", stdout);
        tool_json_member(stdout, "name", h->packages[i].name);
        printf(", \"id\": \"%s\", \"elements\": %" PRIu64 "}", id_text(h->packages[i].id, id),
               h->packages[i].elements);
    }
    fputs("], \"libraries\": [", stdout);
    for (size_t i = 0; i < h->library_count; i++) {
        const node_holdings_library *l = &h->libraries[i];
        fputs(i > 0 ? ", {" : "{", stdout);
        tool_json_member(stdout, "name", l->name);
        printf(", \"id\": \"%s\", ", id_text(l->id, id));
        tool_json_member(stdout, "owner", l->owner);
        printf(", \"symbols\": %" PRIu64 ", \"memory_bytes\": %" PRIu64
               ", \"functions\": %" PRIu64 ", \"libraries\": %" PRIu64 "}",
               l->symbols, l->memory_bytes, l->functions, l->users);
    }
    puts("]}");
}

/* --- asking ------------------------------------------------------------------------------- */

#ifdef INFO_HOLDINGS
extern const tc_embedded tell_holdings_tca;

static tc_status ask(tc_ep *ep, void *answer, size_t *size, tc_error *err)
{
    tc_ifunc *fn;
    tc_status status = tc_ifunc_open_embedded(tc_ep_context(ep), &tell_holdings_tca, &fn, err);
    if (status != TC_OK)
        return status;
    status = tc_call(ep, fn, NULL, 0, answer, size, 0, err);
    tc_ifunc_close(fn);
    return status;
}
#else
static tc_status ask(tc_ep *ep, void *answer, size_t *size, tc_error *err)
{
    (void)ep, (void)answer, (void)size;
    return fail(err, TC_E_UNSUPPORTED,
                "--holdings: this tc-info was built without LLVM, which "
                "makes the function that asks");
}
#endif

tc_status info_holdings_print(tc_ep *ep, output_format format, tc_error *err)
{
    size_t size = NODE_HOLDINGS_BYTES_MAX;
    node_holdings holdings;
    void *answer = malloc(size);
    if (answer == NULL)
        return fail(err, TC_E_NO_MEMORY, "--holdings: out of memory");
    tc_status status = ask(ep, answer, &size, err);
    if (status == TC_OK)
        status = read_answer(answer, size, &holdings, err);
    if (status == TC_OK && format == FORMAT_JSON)
        print_json(&holdings);
    else if (status == TC_OK)
        print_lines(&holdings);
    free(answer);
    return status;
}
