/* Audit lines about endpoints and the code that they bring. */
#include "../../support/fake_node.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "modules/limits/limits_module.h"

static char lines[1 << 18];

static void keep_line(void *user, tc_log_level level, const char *line)
{
    (void)user;
    const size_t used = strlen(lines);
    if (level == TC_LOG_INFO && strncmp(line, "audit {", 7) == 0)
        (void)snprintf(lines + used, sizeof lines - used, "%s\n", line);
}

static fake_pair pair;
static tci_audit *audit; /* of far */

static void make_pair(void)
{
    lines[0] = '\0';
    tc_log_set_sink(keep_line, NULL);
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.far->core.options.audit = "log";
    fake_node_attach(pair.far, &tci_limits_module);
    audit = &tci_limits_state_of(&pair.far->core)->audit;
}

static void close_pair(void)
{
    fake_pair_close(&pair);
    tc_log_set_sink(NULL, NULL);
}

static unsigned count(const char *part)
{
    unsigned found = 0;
    for (const char *at = lines; (at = strstr(at, part)) != NULL; at++)
        found++;
    return found;
}

TEST(an_identity_forges_no_line)
{
    make_pair();
    (void)snprintf(pair.peer->peer.identity, sizeof pair.peer->peer.identity,
                   "cert:\"}\n{\"event\":\"opened\",\"x\":\"");
    fake_pair_connect(&pair);
    assert_int_equal(count("\n"), 1);
    assert_int_equal(count(",\"event\":\"opened\""), 1);
    assert_int_equal(count("\"identity\":\"cert:\\\"}\\u000a{\\\"event\\\":"), 1);
    close_pair();
}

TEST(ends_say_how)
{
    make_pair();
    fake_pair_connect(&pair);
    (void)tci_ep_fail_with(pair.peer, TC_E_CORRUPT, "it broke the format");
    assert_int_equal(count("\"event\":\"failed\""), 1);
    assert_int_equal(count("\"status\":\"TC_E_CORRUPT\",\"text\":\"it broke the format\"}"), 1);
    tc_ep *second = fake_node_ep(pair.far);
    tci_ep_finish(second);
    tc_ep *third = fake_node_ep(pair.far);
    (void)tci_ep_fail_with(third, TC_E_TIMEOUT, "it said nothing");
    assert_int_equal(count("\"event\":\"closed\""), 1);
    assert_int_equal(
        count("\"what\":\"connection\",\"messages\":0,\"status\":\"TC_E_TIMEOUT\""), 1);
    close_pair();
}

/* Peers that are refused again and again do not fill a disk; how often it was stands there. */
TEST(refusals_are_bounded)
{
    const tc_error error = {TC_E_CORRUPT, "no code"};
    make_pair();
    fake_pair_connect(&pair);
    unsigned lines_max = 0;
    for (int i = 0; i < 1000; i++)
        tci_limits_note_code(pair.peer, NULL, &error);
    lines_max = count("\"what\":\"code\"");
    assert_in_range(lines_max, 100, 999); /* more than 100 if a second ended meanwhile */
    audit->refusals.second--;
    tci_limits_note_code(pair.peer, NULL, &error);
    assert_true(count("\"left_out\":") > 0);
    close_pair();
}

TEST(refused_operations_on_windows_have_a_line)
{
    const tc_error error = {TC_E_REFUSED, "window 3 is not open to this peer"};
    make_pair();
    fake_pair_connect(&pair);
    tci_limits_note_window(pair.peer, &error);
    assert_int_equal(count("\"event\":\"refused\""), 1);
    assert_int_equal(count("\"what\":\"window\",\"status\":\"TC_E_REFUSED\",\"text\":"
                           "\"window 3 is not open to this peer\"}"),
                     1);
    close_pair();
}

/* Every peer that can reach the listener can cause these, and hides nothing by them. */
TEST(strangers_have_few_lines_and_take_none_of_others)
{
    const tc_error error = {TC_E_REFUSED, "10.0.0.9:4\" has\nno key"};
    make_pair();
    fake_pair_connect(&pair);
    audit->strangers.second = 0;
    for (int i = 0; i < 1000; i++)
        tci_limits_note_stranger(&pair.far->core, "10.0.0.9:4", &error, false);
    assert_in_range(count("\"what\":\"stranger\""), 10, 900);
    assert_int_equal(count("\"event\":\"refused\""), count("\"what\":\"stranger\""));
    assert_int_equal(count("\"peer\":\"10.0.0.9:4\",\"status\":\"TC_E_REFUSED\",\"text\":"
                           "\"10.0.0.9:4\\\" has\\u000ano key\"}"),
                     count("\"what\":\"stranger\""));
    tci_limits_note_code(pair.peer, NULL, &error);
    assert_int_equal(count("\"what\":\"code\""), 1);
    tci_limits_note_stranger(&pair.far->core, "10.0.0.9:4", &error, true);
    assert_int_equal(count("\"event\":\"ended\""), 1);
    audit->strangers.second--;
    tci_limits_note_stranger(&pair.far->core, "", &error, false);
    assert_true(count("\"left_out\":") > 0);
    close_pair();
}

TEST(without_the_option_nothing_is_written)
{
    const tc_error error = {TC_E_REFUSED, "nobody"};
    make_pair();
    pair.far->core.options.audit = "";
    for (uint64_t quota = 0; quota < 2; quota++) { /* with the module, which quotas use, too */
        pair.far->core.options.quota_functions = quota;
        fake_node_attach(pair.far, &tci_limits_module);
        assert_int_equal(pair.far->core.limits != NULL, quota);
        tci_limits_note_stranger(&pair.far->core, "", &error, false);
        tci_limits_note_code(pair.peer, NULL, &error);
        tci_limits_note_window(pair.peer, &error);
    }
    fake_pair_connect(&pair);
    (void)tci_ep_fail_with(pair.peer, TC_E_CORRUPT, "it broke the format");
    assert_string_equal(lines, "");
    close_pair();
}
