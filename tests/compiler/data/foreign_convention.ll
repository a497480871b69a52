; An entry as compilers make functions that they alone call.
target triple = "x86_64-unknown-linux-gnu"

define fastcc void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  ret void
}
