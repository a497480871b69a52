; Variables that lie where no target can place them, one as far as LLVM goes.
target triple = "x86_64-unknown-linux-gnu"

@most = internal global i32 1, align 4294967296
@much = internal global i32 1, align 8192

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  store i32 2, ptr @most
  store i32 2, ptr @much
  ret void
}
