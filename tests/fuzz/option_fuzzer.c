/* Any text as the value of an option, which the first byte chooses; as "host:port", and as a
 * target. The printed form of an accepted value is accepted again, and a target's name is its
 * own. No name is looked up. */
#include "base/option_table.h"
#include "base/triple.h"
#include "bootstrap/host_port.h"
#include "fuzzer.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **list_out);
int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **list_out);

/* Numbers alone; there are no names. */
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **list_out)
{
    struct addrinfo numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    return __real_getaddrinfo(node, service, &numeric, list_out);
}

static void check_option(const char *name, const char *text)
{
    static tc_options *opts;
    char first[TCI_OPTION_TEXT_MAX], second[TCI_OPTION_TEXT_MAX];
    tc_error error = {0};
    if (opts == NULL)
        MUST(tc_options_create(&opts, NULL) == TC_OK);
    if (tc_options_set(opts, name, text, &error) != TC_OK) {
        MUST(error.status == TC_E_INVALID && strstr(error.text, name) != NULL);
        return;
    }
    MUST(tc_options_get(opts, name, first, sizeof first) == TC_OK);
    MUST(tc_options_set(opts, name, first, NULL) == TC_OK);
    MUST(tc_options_get(opts, name, second, sizeof second) == TC_OK);
    MUST(strcmp(first, second) == 0);
}

static void check_place(const char *text)
{
    tci_host_port place;
    char shown[TCI_HOST_PORT_TEXT_MAX];
    tc_error error = {0};
    tc_status status = tci_host_port_parse(text, &place, &error);
    if (status != TC_OK) {
        MUST(error.status == status && error.text[0] != '\0');
        return;
    }
    MUST(place.count > 0 && place.count <= TCI_HOST_PORT_ADDRESSES_MAX);
    for (size_t i = 0; i < place.count; i++) {
        tci_host_port again;
        MUST(tci_host_port_parse(tci_host_address_text(&place.addresses[i], shown), &again,
                                 NULL) == TC_OK);
        MUST(tci_host_address_port(&again.addresses[0]) ==
             tci_host_address_port(&place.addresses[i]));
    }
}

static void check_triple(const char *text, size_t size)
{
    char out[TCI_TRIPLE_MAX], again[TCI_TRIPLE_MAX];
    if (!tci_triple_normalise(text, size, out))
        return;
    MUST(tci_triple_normalise(out, strlen(out), again) && strcmp(out, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    char *text = malloc(size);
    MUST(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    check_option(tc_options_info(data[0] % tc_options_count())->name, text);
    check_place(text);
    check_triple(text, size - 1);
    free(text);
    return 0;
}
