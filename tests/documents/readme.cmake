# The README shows a program and a message. Both are compared with what is really there.
#   cmake -DSOURCE=… -DPROGRAM=…/antiphon -P readme.cmake
file(READ ${SOURCE}/README.md readme)
file(READ ${SOURCE}/samples/hello/hello.cpp hello)
execute_process(COMMAND ${PROGRAM} check starved.yaml WORKING_DIRECTORY ${SOURCE}/tests/documents
                OUTPUT_VARIABLE message RESULT_VARIABLE status)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "antiphon check starved.yaml exits with ${status}, not with 1")
endif()
foreach(what hello message)
  string(FIND "${readme}" "${${what}}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md does not show this as it is now:\n${${what}}")
  endif()
endforeach()
