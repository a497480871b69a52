; A pointer that is set to several functions without names, as senders strip them. A pass of LLVM
; has no order for these, and never ends over them.
@handler = internal global ptr @0

define internal i64 @0(i64 %x) noinline { %r = add i64 %x, 1 ret i64 %r }
define internal i64 @1(i64 %x) noinline { %r = mul i64 %x, 3 ret i64 %r }
define internal i64 @2(i64 %x) noinline { %r = sub i64 %x, 5 ret i64 %r }
define internal i64 @3(i64 %x) noinline { %r = xor i64 %x, 9 ret i64 %r }

define void @nameless_main(ptr %payload, i64 %size, ptr %args) {
entry:
  %kind = urem i64 %size, 4
  switch i64 %kind, label %call [ i64 0, label %zero i64 1, label %one
                                  i64 2, label %two ]
zero:
  store ptr @1, ptr @handler
  br label %call
one:
  store ptr @2, ptr @handler
  br label %call
two:
  store ptr @3, ptr @handler
  br label %call
call:
  %f = load ptr, ptr @handler
  %r = call i64 %f(i64 %size)
  store i64 %r, ptr %args
  ret void
}
