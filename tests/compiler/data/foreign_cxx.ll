; As clang++ writes a function that makes an object and catches an exception.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) personality ptr @__gxx_personality_v0 {
  %object = invoke ptr @_Znwm(i64 %size) to label %made unwind label %caught
made:
  store ptr %object, ptr %target
  ret void
caught:
  %pad = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %pad, 0
  %begun = call ptr @__cxa_begin_catch(ptr %exception)
  call void @__cxa_end_catch()
  ret void
}

declare ptr @_Znwm(i64)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @__gxx_personality_v0(...)
