; As rustc writes `*t += payload[3] / (n - 4)` without -C panic=abort.
source_filename = "foreign.7rcbfp3g-cgu.0"
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) personality ptr @rust_eh_personality {
start:
  %inside = icmp ugt i64 %size, 3
  br i1 %inside, label %add, label %panic
panic:
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 3, i64 %size)
  unreachable
add:
  %left = sub i64 %size, 4
  %zero = icmp eq i64 %left, 0
  br i1 %zero, label %divided, label %end
divided:
  call void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_div_by_zero(ptr %target)
  unreachable
end:
  %rest = udiv i64 %size, %left
  invoke void @_RNvCs1234_6helper4note(i64 %rest) to label %done unwind label %caught
caught:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
done:
  ret void
}

declare i32 @rust_eh_personality(...)
declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64)
declare void @_RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const23panic_const_div_by_zero(ptr)
declare void @_RNvCs1234_6helper4note(i64)

!llvm.ident = !{!0}
!0 = !{!"rustc version 1.63.0"}
