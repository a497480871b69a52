/* tc-ar list and show: the contents of an archive, as lines for people or as JSON. */
#include "tc_ar.h"

#include "archive_dictionary.h"
#include "archive_layout.h"
#include "base/content_id.h"
#include "base/error_text.h"
#include "tool_json.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned bit;
    const char *name;
} entry_names[] = {
    {TCI_ENTRY_MAIN, "_main"},
    {TCI_ENTRY_MAX_SIZE, "_payload_get_max_size"},
    {TCI_ENTRY_INIT, "_payload_init"},
    {TCI_ENTRY_LIFE, TCI_LIFE_SUFFIX},
};

static const char *entry_name(const tci_archive *archive, size_t index)
{
    bool original = (tci_archive_entries(archive) & TCI_ENTRY_ORIGINAL) != 0;
    return original && entry_names[index].bit == TCI_ENTRY_MAX_SIZE ? "_payload_bound"
                                                                    : entry_names[index].name;
}
#define ENTRY_COUNT (sizeof entry_names / sizeof entry_names[0])

static void print_json_string(const char *text)
{
    if (text == NULL)
        fputs("null", stdout);
    else
        tool_json_text(stdout, text);
}

/* Returns "bitcode", or "form 9" for one that this library does not know. */
static const char *form_text(const tci_slice *slice, char buffer[16])
{
    const char *known = tci_slice_form_text(slice->form);
    if (known != NULL)
        return known;
    (void)snprintf(buffer, 16, "form %u", (unsigned)slice->form);
    return buffer;
}

static void print_slice(const tci_slice *slice)
{
    char form[16];
    char producer[16];
    (void)snprintf(producer, sizeof producer, "%u.%u.%u", slice->producer_major,
                   slice->producer_minor, slice->producer_patch);
    printf("%-14s %-8s llvm %-8s %8zu bytes %4zu undefined", slice->triple,
           form_text(slice, form), producer, slice->size, slice->symbol_count);
    if (slice->cpu_level != TCI_CPU_ANY) {
        const char *level = tci_cpu_level_text(slice->triple, slice->cpu_level);
        printf(" cpu level %u%s%s", slice->cpu_level, level != NULL ? ": " : "",
               level != NULL ? level : "");
    }
    putchar('\n');
}

/* Amount of detail about images. */
typedef enum image_detail { NO_IMAGE, IMAGE, IMAGE_AND_RELOCATIONS } image_detail;

static void print_slice_json(const tci_archive *archive, size_t index, image_detail detail)
{
    const tci_slice *slice = tci_archive_slice(archive, index);
    char form[16];
    printf("{\"triple\":");
    print_json_string(slice->triple);
    printf(",\"form\":");
    print_json_string(form_text(slice, form));
    printf(",\"cpu_level\":%u,\"producer\":\"%u.%u.%u\",\"bytes\":%zu,\"undefined\":[",
           slice->cpu_level, slice->producer_major, slice->producer_minor,
           slice->producer_patch, slice->size);
    for (size_t i = 0; i < slice->symbol_count; i++) {
        if (i > 0)
            putchar(',');
        print_json_string(tci_archive_symbol(archive, index, i));
    }
    putchar(']');
    if (slice->form == TCI_FORM_IMAGE && detail != NO_IMAGE)
        tci_ar_print_image_json(archive, index, detail == IMAGE_AND_RELOCATIONS);
    putchar('}');
}

static void print_slices_json(const tci_archive *archive, image_detail detail)
{
    printf("\"slices\":[");
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        if (i > 0)
            putchar(',');
        print_slice_json(archive, i, detail);
    }
    putchar(']');
}

/* --- list -------------------------------------------------------------------------------- */

typedef struct choice {
    bool json;
    bool relocations; /* of show only */
} choice;

#define AT(member) offsetof(choice, member)

static const tool_option list_options[] = {
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "one array with an object per file"},
};

const tool_command tci_ar_list_command = {
    .name = "tc-ar list",
    .usage = "[--json] FILE...",
    .summary = "one line per slice",
    .about = "One line per slice, the archive's name first.\n",
    .options = list_options,
    .option_count = sizeof list_options / sizeof list_options[0],
    .rest_min = 1,
    .rest_max = INT_MAX,
};

static void list_json(const tci_ar_input *input)
{
    printf("{\"file\":");
    print_json_string(input->path);
    printf(",\"name\":");
    print_json_string(tci_archive_name(input->archive));
    putchar(',');
    print_slices_json(input->archive, NO_IMAGE);
    putchar('}');
}

static void list_lines(const tci_ar_input *input)
{
    for (size_t i = 0; i < tci_archive_slice_count(input->archive); i++) {
        printf("%s ", tci_archive_name(input->archive));
        print_slice(tci_archive_slice(input->archive, i));
    }
}

static int list_files(int count, char **paths, bool json)
{
    int result = TOOL_OK;
    bool first = true;
    for (int i = 0; i < count; i++) {
        tci_ar_input input;
        tc_error err;
        if (tci_ar_input_open(paths[i], &input, &err) != TC_OK) {
            result = tci_ar_report(&err);
            continue;
        }
        if (json) {
            putchar(first ? '[' : ',');
            list_json(&input);
        } else {
            list_lines(&input);
        }
        first = false;
        tci_ar_input_close(&input);
    }
    if (json)
        puts(first ? "[]" : "]");
    return result;
}

int tci_ar_list(int argc, char **argv)
{
    choice chosen = {.json = false};
    int result = tool_options_parse(&tci_ar_list_command, argc, argv, &chosen);
    if (result != TOOL_GO_ON)
        return result;
    return list_files(argc - optind, argv + optind, chosen.json);
}

/* --- show -------------------------------------------------------------------------------- */

static const tool_option show_options[] = {
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "one object; a byte of a name that is not UTF-8 stands as \\u00XX"},
    {.name = "relocations",
     .offset = AT(relocations),
     .help = "of images: each one, not only how many"},
};

const tool_command tci_ar_show_command = {
    .name = "tc-ar show",
    .usage = "[--json] [--relocations] FILE",
    .summary = "name, content id, entries, slices, symbols, libraries",
    .about =
        "Everything that FILE says about itself. The content id is what names the code between "
        "processes; it\ncovers FILE and the list of libraries beside it (NAME.deps for "
        "NAME.tca).\n"
        "All slices are packed together, so only the whole archive has a packed size.\n",
    .options = show_options,
    .option_count = sizeof show_options / sizeof show_options[0],
    .rest_min = 1,
    .rest_max = 1,
};

static void print_undefined(const tci_archive *archive, size_t index)
{
    for (size_t i = 0; i < tci_archive_slice(archive, index)->symbol_count; i++) {
        const char *symbol = tci_archive_symbol(archive, index, i);
        printf("    ");
        tci_ar_print_clean(symbol, strlen(symbol));
        putchar('\n');
    }
}

/* Returns the dictionary, or NULL. */
static const tci_dictionary_file *dictionary_of(const tci_archive *archive)
{
    size_t index = tci_archive_dictionary(archive);
    return index != TCI_DICTIONARY_NONE ? tci_dictionary_at(index) : NULL;
}

/* Returns the size of the archive that peers without its dictionary get. */
static tc_status measure_plain(const tci_ar_input *input, size_t *size_out, tc_error *err)
{
    void *bytes;
    *size_out = input->size;
    if (dictionary_of(input->archive) == NULL)
        return TC_OK;
    TC_TRY(tci_archive_plain_form(input->archive, &bytes, size_out, err));
    free(bytes);
    return TC_OK;
}

static const char *kind_text(tci_export_kind kind)
{
    return kind == TCI_EXPORT_FUNCTION ? "function" : "data";
}

static void print_exports(const tci_archive *archive)
{
    const size_t count = tci_archive_export_count(archive);
    if (!tci_archive_is_library(archive))
        return;
    printf("\nexports  %zu", count);
    for (size_t i = 0; i < count; i++) {
        const tci_export one = tci_archive_export(archive, i);
        printf("\n  %-8s ", kind_text(one.kind));
        tci_ar_print_clean(one.name, strlen(one.name));
    }
}

static void print_exports_json(const tci_archive *archive)
{
    printf("\"kind\":\"%s\",\"exports\":[",
           tci_archive_is_library(archive) ? "library" : "function");
    for (size_t i = 0; i < tci_archive_export_count(archive); i++) {
        const tci_export one = tci_archive_export(archive, i);
        printf("%s{\"kind\":\"%s\",\"name\":", i > 0 ? "," : "", kind_text(one.kind));
        print_json_string(one.name);
        putchar('}');
    }
    printf("],");
}

static void show_lines(const tci_ar_input *input, const tci_ar_deps *deps, const char *id,
                       size_t plain_size, image_detail detail)
{
    const tci_archive *archive = input->archive;
    const tci_dictionary_file *dictionary = dictionary_of(archive);
    const char *name = tci_archive_name(archive);
    printf("name     %s\nid       %s\n", name, id);
    printf("size     %zu bytes (content %zu bytes, %s)\n", input->size,
           tci_archive_content_size(archive), tci_archive_packing_text(archive));
    if (dictionary != NULL)
        printf("packed   with dictionary %08x of LLVM %u; %zu bytes without\n", dictionary->id,
               dictionary->llvm_major, plain_size);
    fputs(tci_archive_is_library(archive) ? "kind     library" : "entries ", stdout);
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if ((tci_ar_entries(archive) & entry_names[i].bit) != 0)
            printf(" %s%s", name, entry_name(archive, i));
    }
    if (tci_archive_payload_unit(archive))
        fputs("\nshape    active message", stdout);
    if (tci_archive_payload_readonly(archive))
        fputs("\npayload  read-only, in pages of its own", stdout);
    else if (tci_archive_payload_alignment(archive) != TCI_PAYLOAD_ALIGNMENT_MIN)
        printf("\npayload  aligned to %u bytes", tci_archive_payload_alignment(archive));
    if (tci_archive_prototype(archive) != NULL)
        printf("\nprototype %s", tci_archive_prototype(archive));
    print_exports(archive);
    printf("\nslices\n");
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++) {
        printf("  ");
        print_slice(tci_archive_slice(archive, i));
        if (tci_archive_slice(archive, i)->form == TCI_FORM_IMAGE)
            tci_ar_print_image(archive, i, detail == IMAGE_AND_RELOCATIONS);
        print_undefined(archive, i);
    }
    printf("deps    %s\n", deps->bytes == NULL ? " no .deps file" : "");
    const char *library;
    for (size_t at = 0, length; (library = tci_ar_deps_next(deps, &at, &length)) != NULL;) {
        printf("  ");
        tci_ar_print_clean(library, length);
        putchar('\n');
    }
}

static void print_dictionary_json(const tci_archive *archive, size_t plain_size)
{
    const tci_dictionary_file *dictionary = dictionary_of(archive);
    if (dictionary == NULL)
        printf(",\"dictionary\":null");
    else
        printf(",\"dictionary\":{\"id\":\"%08x\",\"llvm\":%u}", dictionary->id,
               dictionary->llvm_major);
    printf(",\"plain_bytes\":%zu", plain_size);
}

static void show_json(const tci_ar_input *input, const tci_ar_deps *deps, const char *id,
                      size_t plain_size, image_detail detail)
{
    const tci_archive *archive = input->archive;
    printf("{\"file\":");
    print_json_string(input->path);
    printf(",\"name\":");
    print_json_string(tci_archive_name(archive));
    printf(",\"id\":\"%s\",\"format_version\":%u,\"archive_bytes\":%zu,\"content_bytes\":%zu",
           id, TCI_ARCHIVE_VERSION, input->size, tci_archive_content_size(archive));
    printf(",\"packing\":\"%s\"", tci_archive_packing_text(archive));
    print_dictionary_json(archive, plain_size);
    printf(",\"entries\":[");
    const char *comma = "";
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if ((tci_ar_entries(archive) & entry_names[i].bit) == 0)
            continue;
        printf("%s\"%s\"", comma, entry_name(archive, i) + 1);
        comma = ",";
    }
    printf("],\"payload_alignment\":%u,\"payload_readonly\":%s,\"active_message\":%s,"
           "\"prototype\":",
           tci_archive_payload_alignment(archive),
           tci_archive_payload_readonly(archive) ? "true" : "false",
           tci_archive_payload_unit(archive) ? "true" : "false");
    print_json_string(tci_archive_prototype(archive));
    putchar(',');
    print_exports_json(archive);
    print_slices_json(archive, detail);
    printf(",\"deps\":[");
    comma = "";
    const char *library;
    for (size_t at = 0, length; (library = tci_ar_deps_next(deps, &at, &length)) != NULL;) {
        fputs(comma, stdout);
        tool_json_bytes(stdout, library, length);
        comma = ",";
    }
    printf("]}\n");
}

static tc_status show(const char *path, bool json, image_detail detail, tc_error *err)
{
    tci_ar_input input;
    tci_ar_deps deps;
    tci_content_id id;
    char id_text[TCI_CONTENT_ID_TEXT];
    size_t plain_size;
    TC_TRY(tci_ar_input_open(path, &input, err));
    tc_status status = measure_plain(&input, &plain_size, err);
    if (status == TC_OK)
        status = tci_ar_deps_read(path, &deps, err);
    if (status != TC_OK)
        goto close_input;
    tci_content_id_of(input.bytes, input.size, deps.bytes, deps.size, &id);
    tci_content_id_text(&id, id_text);
    (json ? show_json : show_lines)(&input, &deps, id_text, plain_size, detail);
    free(deps.bytes);

close_input:
    tci_ar_input_close(&input);
    return status;
}

int tci_ar_show(int argc, char **argv)
{
    choice chosen = {.json = false};
    tc_error err;
    int result = tool_options_parse(&tci_ar_show_command, argc, argv, &chosen);
    if (result != TOOL_GO_ON)
        return result;
    if (show(argv[optind], chosen.json, chosen.relocations ? IMAGE_AND_RELOCATIONS : IMAGE,
             &err) != TC_OK)
        return tci_ar_report(&err);
    return TOOL_OK;
}
