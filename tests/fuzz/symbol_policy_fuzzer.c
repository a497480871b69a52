/* Any text as a policy. An accepted policy judges every name in a way that can be explained,
 * and the first two words of it, as patterns, keep the promise of "covers". */
#include "engine/symbol_pattern.h"
#include "engine/symbol_policy.h"
#include "fuzzer.h"

#include <string.h>

static const char *const libraries[] = {"libc.so.6", TCI_LIBRARY_PROGRAM, TCI_LIBRARY_TCHAINS,
                                        TCI_LIBRARY_UNKNOWN, ""};
static const char *const symbols[] = {"strlen", "dlopen", "execve", "a", "_Z1fv", ""};
static const char *const signers[] = {"", "alice", "bob"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void judge(const tci_symbol_section *section, const char *library)
{
    tci_symbol_reason reason;
    bool opens = tci_symbol_policy_opens(section, library, &reason);
    MUST(opens || strlen(reason.text) > 0);
    for (size_t i = 0; i < COUNT(symbols); i++) {
        reason.text[0] = '\0';
        bool allowed = tci_symbol_policy_allows(section, library, symbols[i], &reason);
        MUST(allowed != (reason.text[0] != '\0'));
        MUST(!allowed || opens); /* permitted symbols may exist */
        (void)tci_symbol_policy_denies_alias(section, library, symbols[i], symbols[0], &reason);
    }
}

static void check_patterns(const uint8_t *data, size_t size)
{
    char text[64];
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, n);
    text[n] = '\0';
    char *other = strchr(text, ' ');
    if (other == NULL)
        return;
    *other++ = '\0';
    if (!tci_symbol_pattern_covers(text, other))
        return;
    for (size_t i = 0; i < COUNT(symbols); i++)
        MUST(!tci_symbol_pattern_matches(other, symbols[i]) ||
             tci_symbol_pattern_matches(text, symbols[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_symbol_policy *policy = NULL;
    tc_error err = {0};
    check_patterns(data, size);
    if (tci_symbol_policy_parse("rules", (const char *)data, size, &policy, &err) != TC_OK) {
        MUST(policy == NULL && err.text[0] != '\0');
        return 0;
    }
    const tci_symbol_section *judged = NULL;
    for (size_t s = 0; s < COUNT(signers); s++) {
        const tci_symbol_section *section = tci_symbol_policy_section(policy, signers[s]);
        for (size_t l = 0; l < COUNT(libraries) && section != judged; l++)
            judge(section, libraries[l]);
        judged = section; /* a signer without one has the common one, mostly the same */
    }
    tci_symbol_policy_close(policy);
    return 0;
}
