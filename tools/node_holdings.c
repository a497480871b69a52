#include "node_holdings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Terminates the text and makes it printable, as a terminal obeys other characters. */
static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text != '\0'; text++) {
        if (*text < 0x20 || *text > 0x7e)
            *text = '?';
    }
}

static void end_texts(node_holdings *h)
{
    for (size_t i = 0; i < h->library_count; i++) {
        end_text(h->libraries[i].name, sizeof h->libraries[i].name);
        end_text(h->libraries[i].owner, sizeof h->libraries[i].owner);
    }
    for (size_t i = 0; i < h->package_count; i++)
        end_text(h->packages[i].name, sizeof h->packages[i].name);
}

/* Returns whether the counted elements fill exactly `size` bytes. */
static bool is_whole(const node_holdings_head *head, size_t size)
{
    return head->libraries <= size / sizeof(node_holdings_library) &&
           head->packages <= size / sizeof(node_holdings_package) &&
           head->libraries * sizeof(node_holdings_library) +
                   head->packages * sizeof(node_holdings_package) ==
               size;
}

bool node_holdings_read(void *answer, size_t size, node_holdings *holdings_out, char *why_out,
                        size_t why_size)
{
    node_holdings_head *head = answer;
    node_holdings *h = holdings_out;
    if (size < sizeof *head) {
        (void)snprintf(why_out, why_size, "an answer of %zu bytes, expected %zu at least", size,
                       sizeof *head);
        return false;
    }
    if (!is_whole(head, size - sizeof *head)) {
        (void)snprintf(why_out, why_size,
                       "an answer of %zu bytes, expected those of %" PRIu64
                       " libraries and %" PRIu64 " packages",
                       size, head->libraries, head->packages);
        return false;
    }
    h->libraries = (node_holdings_library *)(head + 1);
    h->library_count = head->libraries;
    h->packages = (node_holdings_package *)(h->libraries + h->library_count);
    h->package_count = head->packages;
    end_texts(h);
    return true;
}
