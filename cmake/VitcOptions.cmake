# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags that every target of the project shares, as an interface target: link to vitc_options.
add_library(vitc_options INTERFACE)
target_compile_options(vitc_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # References to temporaries, which only Clang sees, are errors. Deprecated functions are what libstdc++'s own algorithms
  # use, and Clang sees in instances of ours.
  target_compile_options(vitc_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror=dangling> -Werror=return-stack-address -Wno-deprecated-declarations)
endif()
if(VITC_WERROR)
  target_compile_options(vitc_options INTERFACE -Werror)
endif()
if(VITC_ASAN)
  target_compile_options(vitc_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(vitc_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Coverage for test/fuzz, whose targets share these objects. LLVM's own libraries are built without sanitizers, which
    # those that are turned off cannot bear (vptr, function) or which ASan makes needless and which cost a third of the
    # time to compile (null, object-size).
    target_compile_options(vitc_options INTERFACE
      -fsanitize=fuzzer-no-link -fno-sanitize=vptr,function,null,object-size)
  endif()
endif()
if(VITC_TSAN)
  target_compile_options(vitc_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(vitc_options INTERFACE -fsanitize=thread)
endif()

find_program(VITC_CCACHE ccache)
if(VITC_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${VITC_CCACHE})
  # Without these two, ccache leaves sources that use a precompiled header alone.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${VITC_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(vitc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
