; A gibibyte of zeros in a few bytes.
@data = internal global [1073741824 x i8] zeroinitializer, align 16

define void @huge_data_main(ptr %payload, i64 %size, ptr %args) {
  %place = getelementptr [1073741824 x i8], ptr @data, i64 0, i64 %size
  store i8 1, ptr %place
  ret void
}
