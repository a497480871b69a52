/* Functions that may keep the variables of their first code once it is replaced. */
#include "../support/test.h"
#include "engine/orc/writable_data.h"

#define HEAD                                                                                   \
    "@kept = internal global ptr null\n@table = internal constant [2 x ptr] "                  \
    "[ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]\n"                                   \
    "@near = internal constant [2 x i32] [i32 0, i32 8]\n"                                     \
    "@written = internal global [2 x ptr] "                                                    \
    "[ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]\n"                                   \
    "define void @f(ptr %p, i64 %n) {\nentry:\n"
#define LABELS ", [label %a, label %b]\n"
#define TAIL "a:\n  store i64 1, ptr %p\n  ret void\nb:\n  store i64 2, ptr %p\n  ret void\n}\n"

static uint32_t count(const char *text)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message;
    if (!tci_llvm_parse_ir(context, text, strlen(text), &module, &message))
        fail_msg("%s", message);
    uint32_t n = tci_writable_data_share(module, TCI_LEVEL_OPTIMISED);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return n;
}

/* Code that replaces other code uses that code's variables, which may be anywhere: LLVM must
 * not take them for near, as it does those that a module has itself. */
TEST(variables_of_other_code_are_not_near)
{
    static const char text[] = "@a = internal global i64 1, align 8\n"
                               "@b = internal constant ptr @a\n"
                               "define ptr @f() {\n  store i64 2, ptr @a\n  ret ptr @b\n}\n";
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message;
    if (!tci_llvm_parse_ir(context, text, sizeof text - 1, &module, &message))
        fail_msg("%s", message);
    LLVMDisposeMessage(message);
    assert_int_equal(tci_writable_data_share(module, TCI_LEVEL_OPTIMISED_SHARED), 1);
    LLVMValueRef shared = LLVMGetNamedGlobal(module, "tc.writable.0");
    assert_non_null(shared);
    assert_true(LLVMIsDeclaration(shared));
    char *line = LLVMPrintValueToString(shared);
    assert_null(strstr(line, "dso_local"));
    assert_non_null(strstr(line, "external global i64, align 8"));
    LLVMDisposeMessage(line);
    assert_null(LLVMGetNamedGlobal(module, "a"));
    assert_ptr_equal(LLVMGetInitializer(LLVMGetNamedGlobal(module, "b")), shared);
    assert_int_equal(LLVMVerifyModule(module, LLVMReturnStatusAction, NULL), 0);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

TEST(variables_are_counted)
{
    assert_int_equal(count("@a = internal global i64 1\n@b = internal constant i64 2\n"
                           "@c = external global i64\n"),
                     1);
    assert_int_equal(count(HEAD "  br label %b\n" TAIL), 2);
}

TEST(jumps_by_constant_tables_hold_up_nothing)
{
    assert_int_equal(count(HEAD "  %e = getelementptr ptr, ptr @table, i64 %n\n"
                                "  %to = load ptr, ptr %e\n  indirectbr ptr %to" LABELS TAIL),
                     2);
    assert_int_equal(count(HEAD "  %e = getelementptr i32, ptr @near, i64 %n\n"
                                "  %d = load i32, ptr %e\n  %far = sext i32 %d to i64\n"
                                "  %to = getelementptr i8, ptr blockaddress(@f, %a), i64 %far\n"
                                "  indirectbr ptr %to" LABELS TAIL),
                     2);
    assert_int_equal(count(HEAD "  %is = icmp eq i64 %n, 0\n  %to = select i1 %is, "
                                "ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)\n"
                                "  indirectbr ptr %to" LABELS TAIL),
                     2);
}

TEST(a_label_in_a_variable_ties_code_to_it)
{
    static const char *const from[] = {
        "  %to = load ptr, ptr @kept\n",
        "  %e = getelementptr ptr, ptr @written, i64 %n\n  %to = load ptr, ptr %e\n",
        "  %to = load ptr, ptr %p\n",
        ("  %old = load ptr, ptr @kept\n  %is = icmp eq ptr %old, null\n"
         "  %to = select i1 %is, ptr blockaddress(@f, %a), ptr %old\n"),
    };
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s%s", HEAD, from[i],
                       "  indirectbr ptr %to" LABELS TAIL);
        assert_int_equal(count(text), TCI_WRITABLE_FIXED);
    }
}

TEST(code_without_variables_can_jump_as_it_likes)
{
    assert_int_equal(count("define void @f(ptr %p, i64 %n) {\nentry:\n  %to = load ptr, ptr "
                           "%p\n  indirectbr ptr %to" LABELS TAIL),
                     0);
}
