; A gibibyte to be set without a call.
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  call void @llvm.memset.inline.p0.i64(ptr %payload, i8 0, i64 1073741824, i1 false)
  ret void
}
