; Adds atomically, then adds one to each of 1000 numbers: what a processor can do shows in both.
define void @cpu_features_main(ptr noalias %numbers, i64 %n, ptr noalias %sum) {
entry:
  %old = atomicrmw add ptr %sum, i64 %n seq_cst
  %place = getelementptr i64, ptr %sum, i64 1
  store i64 %old, ptr %place, align 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %numbers, i64 %i
  %value = load i32, ptr %at, align 4
  %more = add i32 %value, 1
  store i32 %more, ptr %at, align 4
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 1000
  br i1 %done, label %end, label %loop
end:
  ret void
}
