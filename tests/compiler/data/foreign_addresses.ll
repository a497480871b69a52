; As a compiler in the process that runs the code writes what lives there.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %type = load ptr, ptr inttoptr (i64 140024829204088 to ptr)
  store ptr %type, ptr getelementptr (i8, ptr inttoptr (i64 94354705992912 to ptr), i64 8)
  %mark = icmp eq ptr %payload, inttoptr (i64 -1 to ptr)
  %small = icmp eq ptr %payload, inttoptr (i64 16 to ptr)
  %any = or i1 %mark, %small
  br i1 %any, label %end, label %set
set:
  store ptr %type, ptr %target
  br label %end
end:
  ret void
}
