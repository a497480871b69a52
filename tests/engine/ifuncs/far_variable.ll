@data = internal global i32 1, align 4294967296

define void @far_variable_main(ptr %payload, i64 %size, ptr %args) {
  store i32 2, ptr @data
  ret void
}
