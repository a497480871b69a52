; Values of 240 MB, which the compiler writes into memory that it doubles as often as it is full.
@data = internal constant { i8, [240000000 x i8] } { i8 1, [240000000 x i8] zeroinitializer }

define void @greedy_main(ptr %payload, i64 %size, ptr %args) {
  %place = getelementptr i8, ptr @data, i64 %size
  %value = load i8, ptr %place
  store i8 %value, ptr %args
  ret void
}
