; Over the division LLVM would never come to an end.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %a = load i8388608, ptr %payload
  %b = udiv i8388608 %a, 3
  store i8388608 %b, ptr %payload
  ret void
}
