/* Types in LLVM's assembly text: how fields are found, and that a text cut anywhere is read
 * without harm. */
#include "tool_run.h"

#include "layout_compare.h"

static const char text[] =
    "define void @f() !dbg !9 {\n"
    "  ret void, !dbg !10\n"
    "}\n"
    "!llvm.dbg.cu = !{!0}\n"
    "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: \"a (b, c)\")\n"
    "!1 = !DIFile(filename: \"dir/a.c\", directory: \"/some where, else\", checksum: \"0\")\n"
    "!2 = !DIDerivedType(tag: DW_TAG_typedef, name: \"point_t\", file: !1, line: 9, "
    "baseType: !3)\n"
    "!3 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"point\", file: !1, "
    "line: 4, size: 96, align: 64, elements: !4)\n"
    "!4 = !{!5, null, !6}\n"
    "!5 = !DIDerivedType(tag: DW_TAG_member, name: \"x\", scope: !3, file: !1, line: 5, "
    "baseType: !7, size: 32)\n"
    "!6 = !DIDerivedType(tag: DW_TAG_member, name: \"self\", scope: !3, file: !1, line: 6, "
    "baseType: !8, size: 64, offset: 32)\n"
    "!7 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n"
    "!8 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !3, size: 64)\n"
    "!9 = !DICompositeType(tag: DW_TAG_structure_type, name: \"later\", flags: DIFlagFwdDecl)\n"
    "!10 = !DIDerivedType(tag: DW_TAG_typedef, name: \"later_t\", baseType: !9)\n"
    "!11 = !DIDerivedType(tag: DW_TAG_typedef, name: \"ring_t\", baseType: !11)\n";

static tci_debug_types types;

static int read_text(void **state)
{
    return tci_debug_types_read(text, sizeof text - 1, &types, NULL) == TC_OK ? 0 : -1;
}

static int free_types(void **state)
{
    tci_debug_types_fini(&types);
    return 0;
}

TEST(names)
{
    assert_int_equal(tci_debug_find(&types, "point"), 3);
    assert_int_equal(tci_debug_find(&types, "struct point"), 3);
    assert_int_equal(tci_debug_find(&types, "struct  point"), 3);
    assert_int_equal(tci_debug_find(&types, "point_t"), 2);
    assert_true(tci_debug_find(&types, "union point") == TCI_NODE_NONE);
    assert_true(tci_debug_find(&types, "struct point_t") == TCI_NODE_NONE);
    assert_true(tci_debug_find(&types, "later") == TCI_NODE_NONE);
    assert_true(tci_debug_find(&types, "later_t") == TCI_NODE_NONE);
    assert_true(tci_debug_find(&types, "poin") == TCI_NODE_NONE);
    assert_true(tci_debug_find(&types, "") == TCI_NODE_NONE);
}

TEST(fields)
{
    char name[TCI_TYPE_NAME_MAX], place[TCI_PLACE_MAX];
    assert_int_equal(tci_debug_strip(&types, 2), 3);
    assert_int_equal(tci_debug_number(&types, 3, "size"), 96);
    assert_int_equal(tci_debug_number(&types, 5, "offset"), 0);
    assert_int_equal(tci_debug_node(&types, 3, "elements"), 4);
    assert_int_equal(tci_debug_item(&types, 4, 0), 5);
    assert_true(tci_debug_item(&types, 4, 1) == TCI_NODE_NONE);
    assert_int_equal(tci_debug_item(&types, 4, 2), 6);
    assert_true(tci_debug_item(&types, 4, 3) == TCI_NODE_NONE);
    assert_string_equal(tci_debug_text(&types, 6, "name", name), "self");
    assert_string_equal(tci_debug_text(&types, 0, "producer", name), "a (b, c)");
    assert_true(tci_debug_has(&types, 7, "encoding", "DW_ATE_signed"));
    assert_true(tci_debug_is(&types, 7, "DIBasicType"));
    assert_false(tci_debug_is(&types, 7, "DIBasic"));
    tci_debug_place(&types, 3, place);
    assert_string_equal(place, "/some where, else/dir/a.c:4");
    tci_debug_place(&types, 7, place);
    assert_string_equal(place, "?");
}

TEST(a_type_that_is_itself)
{
    tci_text_list findings = {0};
    const tci_layout_side side = {&types, tci_debug_find(&types, "ring_t"), "here"};
    assert_int_equal(tci_layout_compare("ring_t", &side, &side, &findings), 0);
    tci_text_list_fini(&findings);
}

TEST(texts_that_are_cut)
{
    const tci_layout_side whole = {&types, 3, "here"};
    for (size_t size = 0; size < sizeof text; size++) {
        tci_text_list findings = {0};
        tci_debug_types cut;
        assert_ok(tci_debug_types_read(text, size, &cut, NULL));
        const tci_layout_side there = {&cut, 3, "there"};
        (void)tci_debug_find(&cut, "point_t");
        (void)tci_layout_compare("point", &whole, &there, &findings);
        (void)tci_layout_compare("point", &there, &whole, &findings);
        assert_false(findings.failed);
        tci_text_list_fini(&findings);
        tci_debug_types_fini(&cut);
    }
}

int main(void)
{
    return test_run(read_text, free_types);
}
