#include "../support/test.h"
#include "bootstrap/host_id.h"
#include "bootstrap/host_port.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(numeric_addresses_are_understood)
{
    static const struct {
        const char *text;
        const char *canonical;
        uint16_t port;
        bool loopback;
    } rows[] = {
        {"127.0.0.1:7000", "127.0.0.1:7000", 7000, true},
        {"127.255.3.4:1", "127.255.3.4:1", 1, true},
        {"0.0.0.0:0", "0.0.0.0:0", 0, false},
        {"192.0.2.7:65535", "192.0.2.7:65535", 65535, false},
        {"[::1]:7000", "[::1]:7000", 7000, true},
        {"[::]:7000", "[::]:7000", 7000, false},
        {"[2001:db8::1]:00080", "[2001:db8::1]:80", 80, false},
        {"[::ffff:127.0.0.1]:9", "[::ffff:127.0.0.1]:9", 9, true},
        {"[::ffff:192.0.2.7]:9", "[::ffff:192.0.2.7]:9", 9, false},
        {"[127.0.0.1]:7000", "127.0.0.1:7000", 7000, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tci_host_port found;
        tc_error err;
        char text[TCI_HOST_PORT_TEXT_MAX];
        if (tci_host_port_parse(rows[i].text, &found, &err) != TC_OK)
            fail_msg("%s", err.text);
        assert_int_equal(found.count, 1);
        assert_int_equal(tci_host_address_port(&found.addresses[0]), rows[i].port);
        assert_int_equal(tci_host_address_is_loopback(&found.addresses[0]), rows[i].loopback);
        assert_string_equal(tci_host_address_text(&found.addresses[0], text),
                            rows[i].canonical);
    }
}

TEST(other_forms_are_refused_with_a_reason)
{
    static const struct {
        const char *text;
        const char *reason;
    } rows[] = {
        {"", "the port is missing"},
        {"localhost", "the port is missing"},
        {"[::1]", "the port is missing"},
        {"[::1]7000", "the port is missing"},
        {"[::1", "']' is missing"},
        {"::1:7000", "in brackets"},
        {":7000", "the host is missing"},
        {"[]:7000", "the host is missing"},
        {"127.0.0.1:", "0 to 65535"},
        {"127.0.0.1:65536", "0 to 65535"},
        {"127.0.0.1:999999999999", "0 to 65535"},
        {"127.0.0.1:-1", "0 to 65535"},
        {"127.0.0.1:+1", "0 to 65535"},
        {"127.0.0.1: 1", "0 to 65535"},
        {"127.0.0.1:http", "0 to 65535"},
        {"127.0.0.1:7000 ", "0 to 65535"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tci_host_port found = {0};
        tc_error err = {0};
        assert_status(tci_host_port_parse(rows[i].text, &found, &err), TC_E_INVALID);
        assert_non_null(strstr(err.text, rows[i].reason));
        assert_int_equal(found.count, 0);
        assert_status(tci_host_port_parse(rows[i].text, &found, NULL), TC_E_INVALID);
    }
}

TEST(very_long_hosts_are_refused)
{
    char text[5000];
    tci_host_port found;
    tc_error err = {0};
    memset(text, 'a', sizeof text);
    memcpy(text + sizeof text - 3, ":1", 3);
    assert_status(tci_host_port_parse(text, &found, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "longer than 255"));
}

/* The form of the name is wrong, so no resolver is asked and the answer does not depend on a
 * network. */
TEST(unknown_names_are_unreachable)
{
    tci_host_port found;
    tc_error err = {0};
    assert_status(tci_host_port_parse("300.1.2.3..:7000", &found, &err), TC_E_UNREACHABLE);
    assert_non_null(strstr(err.text, "300.1.2.3.."));
}

TEST(host_id_is_the_same_in_every_process_here)
{
    uint8_t id[TCI_HOST_ID_BYTES];
    uint8_t again[TCI_HOST_ID_BYTES];
    tci_host_id(id);
    tci_host_id(again);
    assert_memory_equal(id, again, sizeof id);

    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tci_host_id(again);
        _exit(memcmp(id, again, sizeof id) == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(host_id_differs_in_another_namespace)
{
    enum { DIFFERS = 0, SAME = 1, NOT_ALLOWED = 77 };
    uint8_t id[TCI_HOST_ID_BYTES];
    tci_host_id(id);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint8_t other[TCI_HOST_ID_BYTES];
        if (unshare(CLONE_NEWIPC) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWIPC) != 0)
            _exit(NOT_ALLOWED);
        tci_host_id(other);
        _exit(memcmp(id, other, sizeof id) == 0 ? SAME : DIFFERS);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_ALLOWED)
        skip();
    assert_int_equal(WEXITSTATUS(status), DIFFERS);
}
