# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags that every target of the project shares, as an interface target: link to vitc_options.
add_library(vitc_options INTERFACE)
target_compile_options(vitc_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
# References to temporaries, which only Clang sees: the presets compile with the system's compiler, fuzzers with Clang.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(vitc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror=dangling>)
endif()
if(VITC_ASAN)
  target_compile_options(vitc_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(vitc_options INTERFACE -fsanitize=address,undefined)
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
