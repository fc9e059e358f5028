# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# vitc_listed_sources(VARIABLE LIST.def): the sources that the rows of a list of the C++ code name, so that a list is written once.
function(vitc_listed_sources variable list)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${list})
  file(STRINGS ${list} rows REGEX "^VITC_.*\\.cpp\"\\)$")
  list(TRANSFORM rows REPLACE "^.*\"([^\"]+\\.cpp)\"\\)$" "\\1" OUTPUT_VARIABLE sources)
  list(REMOVE_DUPLICATES sources)
  list(SORT sources)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
