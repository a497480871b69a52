; A structure of structures as one value: two to the 25th bytes.
target triple = "x86_64-unknown-linux-gnu"

%T0 = type { i8, i8 }
%T1 = type { %T0, %T0 }
%T2 = type { %T1, %T1 }
%T3 = type { %T2, %T2 }
%T4 = type { %T3, %T3 }
%T5 = type { %T4, %T4 }
%T6 = type { %T5, %T5 }
%T7 = type { %T6, %T6 }
%T8 = type { %T7, %T7 }
%T9 = type { %T8, %T8 }
%T10 = type { %T9, %T9 }
%T11 = type { %T10, %T10 }
%T12 = type { %T11, %T11 }
%T13 = type { %T12, %T12 }
%T14 = type { %T13, %T13 }
%T15 = type { %T14, %T14 }
%T16 = type { %T15, %T15 }
%T17 = type { %T16, %T16 }
%T18 = type { %T17, %T17 }
%T19 = type { %T18, %T18 }
%T20 = type { %T19, %T19 }
%T21 = type { %T20, %T20 }
%T22 = type { %T21, %T21 }
%T23 = type { %T22, %T22 }
%T24 = type { %T23, %T23 }

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %a = load %T24, ptr %payload
  store %T24 %a, ptr %target
  ret void
}
