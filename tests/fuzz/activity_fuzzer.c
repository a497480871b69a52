/* A node's answers to tc-info --watch: parts of accepted ones lie within the answer, their
 * texts end and can be shown on a terminal, and two of them have rates that can be printed, as
 * lines and as JSON; every refusal has a reason. The first two bytes of the input are the size
 * of the older answer. */
#include "../../tools/watch_report.h"
#include "fuzzer.h"

#include <math.h>
#include <string.h>

static watch_rates rates; /* too large for a stack */

static void check_text(const char *text)
{
    MUST(memchr(text, '\0', NODE_ACTIVITY_TEXT_MAX) != NULL);
    for (; *text != '\0'; text++)
        MUST(*text >= 0x20 && *text < 0x7f);
}

static watch_sample take(const uint8_t *data, size_t size)
{
    watch_sample sample = {.bytes = malloc(size + 1)};
    char why[200] = "";
    MUST(sample.bytes != NULL);
    if (size > 0)
        memcpy(sample.bytes, data, size);
    sample.is_there = node_activity_read(sample.bytes, size, &sample.activity, why, sizeof why);
    MUST(sample.is_there == (why[0] == '\0'));
    if (!sample.is_there)
        return sample;
    const node_activity *a = &sample.activity;
    MUST((const uint8_t *)(a->entries + a->head.entries) ==
         (const uint8_t *)sample.bytes + size);
    for (uint64_t i = 0; i < a->head.entries; i++) {
        check_text(a->entries[i].name);
        check_text(a->entries[i].identity);
    }
    return sample;
}

static void check_rows(const watch_sample *sample)
{
    uint64_t rows = 0;
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++) {
        rows += rates.counts[kind];
        for (size_t i = 0; i < rates.counts[kind]; i++) {
            const watch_row *row = &rates.rows[kind][i];
            MUST(row->entry->kind == kind && row->calls >= 0 && isfinite(row->calls));
            MUST(i == 0 || row[-1].entry->is_other <= row->entry->is_other ||
                 row->entry->is_other != 0);
        }
    }
    MUST(rows == sample->activity.head.entries);
}

static void print(const watch_sample *sample)
{
    for (unsigned lines = 0; lines < 40; lines += 13) {
        const watch_report report = {.peer = "127.0.0.1:7000",
                                     .rates = &rates,
                                     .sample = sample,
                                     .columns = lines,
                                     .lines = lines};
        char *text = NULL;
        size_t size = 0, found = 0;
        FILE *out = open_memstream(&text, &size);
        MUST(out != NULL);
        watch_report_text(out, &report);
        MUST(fclose(out) == 0);
        for (size_t i = 0; i < size; i++) {
            MUST(text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f));
            found += text[i] == '\n';
        }
        MUST(lines == 0 || found <= lines);
        free(text);
        out = open_memstream(&text, &size);
        MUST(out != NULL);
        watch_report_json(out, &report);
        MUST(fclose(out) == 0 && size > 2 && text[size - 1] == '\n');
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t older = (size_t)data[0] | (size_t)data[1] << 8;
    if (older > size - 2)
        older = size - 2;
    watch_sample before = take(data + 2, older);
    watch_sample now = take(data + 2 + older, size - 2 - older);
    if (now.is_there) {
        watch_rates_compute(&before, &now, &rates);
        check_rows(&now);
        print(&now);
    }
    free(before.bytes);
    free(now.bytes);
    return 0;
}
