#include "package_source.h"

#define BYTES_PER_LINE 24

static void print_bytes(FILE *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%s%u,", i % BYTES_PER_LINE == 0 ? "\n    " : " ", bytes[i]);
}

/* --- header ------------------------------------------------------------------------------- */

static void print_numbers(const package_plan *plan, FILE *out)
{
    fprintf(
        out,
        "\n/* Numbers of elements, which stay the same from version to version. */\nenum {\n");
    for (size_t i = 0; i < plan->count; i++)
        fprintf(out, "    %s_id_%s = %u%s\n", plan->name, plan->parts[i].element.name,
                plan->parts[i].element.id, i + 1 < plan->count ? "," : "");
    fputs("};\n", out);
}

static void print_opening(const package_plan *plan, const tci_content_id *id, FILE *out)
{
    fprintf(out,
            "\n/* The content id of the package that this header was made with. */\n"
            "static inline const uint8_t *%s_package_id(void)\n{\n"
            "    static const uint8_t id[TC_PACKAGE_ID_BYTES] = {",
            plan->name);
    print_bytes(out, id->bytes, sizeof id->bytes);
    fprintf(out,
            "\n    };\n    return id;\n}\n\n"
            "/* Opens the very package that this header was made with. TC_E_VERSION: it is\n"
            " * another one. Else as tc_package_open. */\n"
            "TC_MUST_CHECK static inline tc_status\n"
            "%s_package_open(tc_context *ctx, const char *path, tc_package **package_out, "
            "tc_error *err)\n{\n"
            "    return tc_package_open(ctx, path, %s_package_id(), package_out, err);\n}\n",
            plan->name, plan->name);
}

/* Prints the parameters with the data to send; size_of gives its size in bytes. */
static void print_takes(const package_part *part, FILE *out)
{
    if (part->takes == NULL)
        fputs("const void *args, size_t size", out);
    else if (part->takes_many)
        fprintf(out, "const %s *args, size_t count", part->takes);
    else
        fprintf(out, "const %s *args", part->takes);
}

static const char *size_of(const package_part *part)
{
    if (part->takes == NULL)
        return "size";
    return part->takes_many ? "count * sizeof *args" : "sizeof *args";
}

static void print_senders(const package_plan *plan, const package_part *part, FILE *out)
{
    const char *package = plan->name, *name = part->element.name;
    fprintf(out,
            "\n/* tc_send of %s. */\n"
            "TC_MUST_CHECK static inline tc_status %s_send_%s(const tc_package *package, "
            "tc_ep *ep,\n        ",
            name, package, name);
    print_takes(part, out);
    fprintf(out,
            ")\n{\n"
            "    return tc_send(ep, tc_package_ifunc(package, %s_id_%s), args, %s);\n}\n"
            "\n/* tc_call of %s. */\n"
            "TC_MUST_CHECK static inline tc_status %s_call_%s(const tc_package *package, "
            "tc_ep *ep,\n        ",
            package, name, size_of(part), name, package, name);
    print_takes(part, out);
    fprintf(out,
            ", void *reply, size_t *reply_size,\n"
            "        uint64_t timeout_ns, tc_error *err)\n{\n"
            "    return tc_call(ep, tc_package_ifunc(package, %s_id_%s), args, %s, reply, "
            "reply_size,\n                   timeout_ns, err);\n}\n",
            package, name, size_of(part));
}

void package_source_header(const package_plan *plan, const tci_content_id *id, FILE *out)
{
    fprintf(out,
            "/* The package %s. Made by tc-package build. */\n"
            "#ifndef TC_PACKAGE_OF_%s\n#define TC_PACKAGE_OF_%s\n\n"
            "#include <tc/call.h>\n#include <tc/package.h>\n",
            plan->name, plan->name, plan->name);
    for (size_t i = 0; i < plan->include_count; i++)
        fprintf(out, "#include \"%s\"\n", plan->includes[i]);
    fputs("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n", out);
    print_numbers(plan, out);
    print_opening(plan, id, out);
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].element.kind == TCI_ELEMENT_FUNCTION)
            print_senders(plan, &plan->parts[i], out);
    }
    fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
}

/* --- vector ------------------------------------------------------------------------------- */

static bool makes_payloads(const package_part *part)
{
    return (part->entries & TCI_ENTRY_INIT) != 0;
}

static void print_declarations(const package_part *part, FILE *out)
{
    const char *name = part->element.name;
    fprintf(out, "extern void %s_main(void *, size_t, void *);\n", name);
    if (makes_payloads(part))
        fprintf(out,
                "extern size_t %s_payload_get_max_size(void *, size_t);\n"
                "extern int %s_payload_init(void *, size_t, void *, size_t);\n",
                name, name);
}

static void print_entry(const package_part *part, FILE *out)
{
    const char *name = part->element.name;
    if (makes_payloads(part))
        fprintf(out, "    {%u, %s_main, %s_payload_get_max_size, %s_payload_init},\n",
                part->element.id, name, name, name);
    else
        fprintf(out, "    {%u, %s_main, NULL, NULL},\n", part->element.id, name);
}

void package_source_vector(const package_plan *plan, const void *bytes, size_t size, FILE *out)
{
    fprintf(out,
            "/* The functions of the package %s, for tc_package_use_local. Made by tc-package "
            "build. */\n"
            "#include <tc/package.h>\n\n",
            plan->name);
    for (size_t i = 0; i < plan->count; i++)
        print_declarations(&plan->parts[i], out);
    fputs("\nstatic const tc_package_entry entries[] = {\n", out);
    for (size_t i = 0; i < plan->count; i++)
        print_entry(&plan->parts[i], out);
    fputs("};\n\nstatic const unsigned char package[] = {", out);
    print_bytes(out, bytes, size);
    fprintf(out,
            "\n};\n\n"
            "__attribute__((visibility(\"default\"))) extern const tc_package_vector %s;\n"
            "const tc_package_vector %s = {\n"
            "    TC_PACKAGE_VECTOR_VERSION, sizeof entries / sizeof entries[0], entries, "
            "package, sizeof package,\n};\n",
            "tc_package_local", "tc_package_local");
}
