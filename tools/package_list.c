/* Lists the contents of a package, for people and for programs. */
#include "tc_package.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "oci_reader.h"
#include "oci_reference.h"
#include "tool_json.h"
#include "tool_status.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listing {
    bool json;
} listing;

static const tool_option options[] = {
    {.name = "json",
     .letter = 'j',
     .offset = offsetof(listing, json),
     .help = "one JSON object"},
};

const tool_command package_list_command = {
    .name = "tc-package list",
    .usage = "FILE.tcp | oci:DIR[:TAG] [--json]",
    .summary = "what is in a package; checks every byte of it",
    .about =
        "Prints a package's name, content id and elements: number, kind, name, size, and the "
        "targets\nthat each has code for.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .rest_min = 1,
    .rest_max = 1,
};

static const char *kind_text(const tci_package_element *element)
{
    return element->kind == TCI_ELEMENT_LIBRARY ? "library" : "function";
}

static bool is_first_of_its_target(const tci_archive *archive, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(tci_archive_slice(archive, i)->triple,
                   tci_archive_slice(archive, index)->triple) == 0)
            return false;
    }
    return true;
}

/* Prints the targets with quotes and commas as in JSON, or with blanks only. */
static void print_targets(const tci_package_element *element, bool json)
{
    tci_archive *archive;
    tc_error err;
    const char *before = "";
    if (tci_archive_open(element->archive, element->archive_size, &archive, &err) != TC_OK) {
        if (!json)
            printf("unreadable: %s", err.text);
        return;
    }
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        if (!is_first_of_its_target(archive, i))
            continue;
        fputs(before, stdout);
        if (json)
            tool_json_text(stdout, tci_archive_slice(archive, i)->triple);
        else
            fputs(tci_archive_slice(archive, i)->triple, stdout);
        before = json ? ", " : " ";
    }
    tci_archive_close(archive);
}

static void print_element(const tci_package_element *element)
{
    printf("  %5u  %-8s  %-24s  %8zu bytes  ", element->id, kind_text(element), element->name,
           element->archive_size);
    print_targets(element, false);
    puts(element->signature_size > 0 ? "  signed" : "");
}

static void print_element_json(const tci_package_element *element)
{
    printf("{\"id\": %u, ", element->id);
    tool_json_member(stdout, "kind", kind_text(element));
    fputs(", ", stdout);
    tool_json_member(stdout, "name", element->name);
    printf(", \"bytes\": %zu, \"signed\": %s, \"targets\": [", element->archive_size,
           element->signature_size > 0 ? "true" : "false");
    print_targets(element, true);
    fputs("]}", stdout);
}

void package_list_print(const char *path, const tci_package *package, size_t size, bool json)
{
    char id[TCI_CONTENT_ID_TEXT];
    tci_content_id_text(&package->id, id);
    if (!json) {
        printf("%s: package %s, id %s, %zu bytes\n", path, package->name, id, size);
        for (size_t i = 0; i < package->count; i++)
            print_element(&package->elements[i]);
        return;
    }
    putchar('{');
    tool_json_member(stdout, "file", path);
    fputs(", ", stdout);
    tool_json_member(stdout, "package", package->name);
    fputs(", ", stdout);
    tool_json_member(stdout, "id", id);
    printf(", \"bytes\": %zu, \"elements\": [", size);
    for (size_t i = 0; i < package->count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_element_json(&package->elements[i]);
    }
    puts("]}");
}

static tc_status list(const char *path, bool json, tc_error *err)
{
    tci_package package;
    void *bytes;
    size_t size;
    TC_TRY(strncmp(path, OCI_PREFIX, strlen(OCI_PREFIX)) == 0
               ? oci_reader_read(path + strlen(OCI_PREFIX), &bytes, &size, err)
               : tci_archive_file_read(path, TCI_PACKAGE_BYTES_MAX, &bytes, &size, err));
    tc_status status = tci_package_open(bytes, size, &package, err);
    if (status == TC_OK) {
        package_list_print(path, &package, size, json);
        tci_package_close(&package);
    } else {
        tci_error_prefix(err, "%s", path);
    }
    free(bytes);
    return status;
}

int package_list(int argc, char **argv)
{
    listing l = {.json = false};
    tc_error err;
    int result = tool_options_parse(&package_list_command, argc, argv, &l);
    if (result != TOOL_GO_ON)
        return result;
    return list(argv[optind], l.json, &err) == TC_OK ? TOOL_OK : package_report(&err);
}
