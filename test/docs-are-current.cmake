# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails when a reference page in docs/generated is not what ODS gives now; `ninja vitc-docs` renews them.
file(GLOB pages RELATIVE ${GENERATED} ${GENERATED}/*.md)
file(GLOB committed RELATIVE ${COMMITTED} ${COMMITTED}/*.md)
if(NOT pages OR NOT pages STREQUAL committed)
  message(FATAL_ERROR "docs/generated has [${committed}], expected [${pages}]; run `ninja vitc-docs`")
endif()
foreach(page IN LISTS pages)
  file(READ ${GENERATED}/${page} now)
  file(READ ${COMMITTED}/${page} before)
  if(NOT now STREQUAL before)
    message(FATAL_ERROR "docs/generated/${page} is stale; run `ninja vitc-docs`")
  endif()
endforeach()
