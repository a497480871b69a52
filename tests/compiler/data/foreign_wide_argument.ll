; The same in the arguments of a call.
target triple = "x86_64-unknown-linux-gnu"

declare void @takes(i8388608)

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  call void @takes(i8388608 5)
  ret void
}
