# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Halide's own package file wants a newer CMake than Debian 12 has, so the wheel's files are imported by hand.
# tools/setup puts the wheel into a virtual environment inside the build folder; -DHalide_ROOT=... overrides.
#
# Defines the target Halide::Halide and Halide_VERSION.
file(GLOB _halide_wheels ${CMAKE_BINARY_DIR}/venv/lib/python3*/site-packages/halide)
find_path(Halide_INCLUDE_DIR Halide.h HINTS ${_halide_wheels} ${Halide_ROOT} PATH_SUFFIXES include)
find_library(Halide_LIBRARY Halide HINTS ${_halide_wheels} ${Halide_ROOT} PATH_SUFFIXES lib64 lib)
if(Halide_INCLUDE_DIR)
  file(STRINGS ${Halide_INCLUDE_DIR}/HalideRuntime.h _halide_defines REGEX "define HALIDE_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" Halide_VERSION "${_halide_defines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Halide REQUIRED_VARS Halide_LIBRARY Halide_INCLUDE_DIR VERSION_VAR Halide_VERSION)

if(Halide_FOUND AND NOT TARGET Halide::Halide)
  add_library(Halide::Halide SHARED IMPORTED)
  set_target_properties(Halide::Halide PROPERTIES
    IMPORTED_LOCATION ${Halide_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Halide_INCLUDE_DIR})
endif()
