; As flang writes `print *, size`.
source_filename = "FIRModule"
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %unit = call ptr @_FortranAioBeginExternalListOutput(i32 6, ptr %payload, i32 1)
  %said = call i1 @_FortranAioOutputInteger64(ptr %unit, i64 %size)
  %ended = call i32 @_FortranAioEndIoStatement(ptr %unit)
  ret void
}

declare ptr @_FortranAioBeginExternalListOutput(i32, ptr, i32)
declare i1 @_FortranAioOutputInteger64(ptr, i64)
declare i32 @_FortranAioEndIoStatement(ptr)
