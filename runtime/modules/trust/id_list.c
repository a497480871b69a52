#include "id_list.h"

#include "base/error_text.h"
#include "base/file_guard.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(tci_id));
}

/* The tool prints a key's id as a number; files have it little-endian. */
static void turn_round(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

static bool parse_line(const char *line, size_t digits, tci_id *id_out)
{
    tci_id id = {0};
    size_t got;
    const char *end;
    if (digits != 2 * TCI_ID_KEY && digits != 2 * TCI_ID_CODE && digits != 2 * TCI_ID_CONTENT)
        return false;
    if (sodium_hex2bin(id.bytes, sizeof id.bytes, line, digits, NULL, &got, &end) != 0 ||
        end != line + digits)
        return false;
    id.kind = (uint8_t)got;
    if (id.kind == TCI_ID_KEY)
        turn_round(id.bytes, TCI_ID_KEY);
    *id_out = id;
    return true;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

static tc_status parse_lines(const char *text, size_t size, tci_id_list *list, tc_error *err)
{
    const char *at = text, *end = text + size;
    for (unsigned number = 1; at < end; number++) {
        const char *line = at, *stop = memchr(at, '\n', (size_t)(end - at));
        size_t left = (size_t)((stop != NULL ? stop : end) - at);
        at += left + (stop != NULL);
        while (left > 0 && (line[left - 1] == ' ' || line[left - 1] == '\r'))
            left--;
        if (left == 0 || line[0] == '#')
            continue;
        if (!parse_line(line, left, &list->ids[list->count]))
            return tci_error_set(
                err, TC_E_INVALID,
                "line %u: '%.*s', expected 16 (a key), 32 (a content id) or 64 "
                "(a digest of content) hexadecimal digits",
                number, (int)(left < 80 ? left : 80), line);
        list->count++;
    }
    return TC_OK;
}

tc_status tci_id_list_parse(const char *text, size_t size, tci_id_list *list_out, tc_error *err)
{
    /* bound: TCI_ID_LIST_FILE_MAX */
    tci_id_list list = {.ids = calloc(count_lines(text, size), sizeof *list.ids)};
    if (list.ids == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "list of ids: out of memory");
    tc_status status = parse_lines(text, size, &list, err);
    if (status != TC_OK) {
        free(list.ids);
        return status;
    }
    qsort(list.ids, list.count, sizeof *list.ids, compare);
    *list_out = list;
    return TC_OK;
}

tc_status tci_id_list_read(const char *option, tci_id_list *list_out, tc_error *err)
{
    char *text;
    size_t size;
    *list_out = (tci_id_list){0};
    if (option[0] == '\0')
        return TC_OK;
    if (option[0] != '@')
        return tci_error_set(err, TC_E_INVALID, "'%.200s', expected @FILE", option);
    TC_TRY(tci_file_guard_read(AT_FDCWD, option + 1, option + 1, TCI_GUARD_TRUSTED,
                               TCI_ID_LIST_FILE_MAX, &text, &size, err));
    tc_status status = tci_id_list_parse(text, size, list_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", option + 1);
    free(text);
    return status;
}

void tci_id_list_free(tci_id_list *list)
{
    free(list->ids);
    *list = (tci_id_list){0};
}

bool tci_id_list_has(const tci_id_list *list, tci_id_kind kind, const uint8_t *bytes)
{
    tci_id wanted = {.kind = (uint8_t)kind};
    memcpy(wanted.bytes, bytes, (size_t)kind);
    return list->count > 0 &&
           bsearch(&wanted, list->ids, list->count, sizeof wanted, compare) != NULL;
}
