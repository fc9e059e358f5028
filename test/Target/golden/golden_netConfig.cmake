# find_package(golden_net) gives the target golden_net::golden_net (static), golden_net::shared, and golden_net_WEIGHTS, the path of the weights file.
get_filename_component(_golden_net_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(_golden_net_root MATCHES ";")
  set(golden_net_FOUND FALSE)
  set(golden_net_NOT_FOUND_MESSAGE "CMake cannot use ${_golden_net_root}, because ; separates the entries of its lists; rename the folder")
  return()
endif()
# A folder's name is never a generator expression.
string(REPLACE "$<" "$<1:$><" _golden_net_include "${_golden_net_root}/include")
set(golden_net_WEIGHTS "${_golden_net_root}/share/golden_net/golden_net.weights")
set(golden_net_VERSION "VERSION")

include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)

if(NOT TARGET golden_net::golden_net)
  add_library(golden_net::golden_net STATIC IMPORTED)
  set_target_properties(golden_net::golden_net PROPERTIES
    IMPORTED_LOCATION "${_golden_net_root}/lib/libgolden_net.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_golden_net_include}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m")
  add_library(golden_net::shared SHARED IMPORTED)
  set_target_properties(golden_net::shared PROPERTIES
    IMPORTED_LOCATION "${_golden_net_root}/lib/libgolden_net.so"
    IMPORTED_SONAME "libgolden_net.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_golden_net_include}")
endif()
unset(_golden_net_include)
unset(_golden_net_root)
