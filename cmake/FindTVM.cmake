# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# TVM's wheels have libraries and tvm-ffi's headers, but a package file that does not work, so they are imported by hand.
# tools/setup puts the wheels into a virtual environment inside the build folder; -DTVM_ROOT=.../site-packages overrides.
# The compiler's library crashes with another tvm-ffi than the one it was built with: both versions have to be these.
#
# Defines the target TVM::TVM and TVM_VERSION.
set(_tvm_versions 0.27.0.post1) # apache-tvm
set(_tvm_ffi_versions 0.1.14.post1) # apache-tvm-ffi

file(GLOB _tvm_places ${CMAKE_BINARY_DIR}/venv/lib/python3*/site-packages)
find_path(TVM_FFI_INCLUDE_DIR tvm/ffi/tvm_ffi.h HINTS ${_tvm_places} ${TVM_ROOT} PATH_SUFFIXES tvm_ffi/include)
find_library(TVM_LIBRARY tvm_compiler HINTS ${_tvm_places} ${TVM_ROOT} PATH_SUFFIXES tvm/lib)
find_library(TVM_RUNTIME_LIBRARY tvm_runtime HINTS ${_tvm_places} ${TVM_ROOT} PATH_SUFFIXES tvm/lib)
find_library(TVM_FFI_LIBRARY tvm_ffi HINTS ${_tvm_places} ${TVM_ROOT} PATH_SUFFIXES tvm_ffi/lib)
if(TVM_LIBRARY)
  get_filename_component(_tvm_packages ${TVM_LIBRARY}/../../.. ABSOLUTE)
  foreach(package tvm tvm_ffi)
    foreach(version IN LISTS _${package}_versions)
      if(EXISTS ${_tvm_packages}/apache_${package}-${version}.dist-info)
        set(_${package}_found ${version})
      endif()
    endforeach()
  endforeach()
  if(_tvm_found AND _tvm_ffi_found)
    set(TVM_VERSION ${_tvm_found})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TVM
  REQUIRED_VARS TVM_LIBRARY TVM_RUNTIME_LIBRARY TVM_FFI_LIBRARY TVM_FFI_INCLUDE_DIR TVM_VERSION
  VERSION_VAR TVM_VERSION)

if(TVM_FOUND AND NOT TARGET TVM::TVM)
  add_library(TVM::FFI SHARED IMPORTED)
  set_target_properties(TVM::FFI PROPERTIES
    IMPORTED_LOCATION ${TVM_FFI_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${TVM_FFI_INCLUDE_DIR})
  add_library(TVM::Runtime SHARED IMPORTED)
  set_target_properties(TVM::Runtime PROPERTIES IMPORTED_LOCATION ${TVM_RUNTIME_LIBRARY})
  # Nothing names the compiler's symbols: its functions are found in the registry that loading it fills.
  add_library(TVM::TVM INTERFACE IMPORTED)
  set_target_properties(TVM::TVM PROPERTIES INTERFACE_LINK_LIBRARIES
    "-Wl,--push-state,--no-as-needed;${TVM_LIBRARY};TVM::Runtime;TVM::FFI;-Wl,--pop-state")
endif()
