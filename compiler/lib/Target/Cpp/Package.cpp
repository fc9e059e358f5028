// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What lets a product find the library: CMake package, pkg-config file, and an
/// example that uses either.
#include "Text.h"

using namespace vitc;

std::string vitc::emitCMakeConfig(const LibraryDescription &library) {
  return fill(
      R"(# find_package(@ID@) gives the target @ID@::@ID@ (static), @ID@::shared, and @ID@_WEIGHTS, the path of the weights file.
get_filename_component(_@ID@_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(_@ID@_root MATCHES ";")
  set(@ID@_FOUND FALSE)
  set(@ID@_NOT_FOUND_MESSAGE "CMake cannot use ${_@ID@_root}, because ; separates the entries of its lists; rename the folder")
  return()
endif()
# A folder's name is never a generator expression.
string(REPLACE "$<" "$<1:$><" _@ID@_include "${_@ID@_root}/include")
set(@ID@_WEIGHTS "${_@ID@_root}/share/@ID@/@ID@.weights")
set(@ID@_VERSION "@VERSION@")

include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)

if(NOT TARGET @ID@::@ID@)
  add_library(@ID@::@ID@ STATIC IMPORTED)
  set_target_properties(@ID@::@ID@ PROPERTIES
    IMPORTED_LOCATION "${_@ID@_root}/lib/lib@ID@.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_@ID@_include}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;m")
  add_library(@ID@::shared SHARED IMPORTED)
  set_target_properties(@ID@::shared PROPERTIES
    IMPORTED_LOCATION "${_@ID@_root}/lib/lib@ID@.so"
    IMPORTED_SONAME "lib@ID@.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_@ID@_include}")
endif()
unset(_@ID@_include)
unset(_@ID@_root)
)",
      wordsOf(library, Language::CMake));
}

std::string vitc::emitPkgConfig(const LibraryDescription &library) {
  return fill(R"(prefix=${pcfiledir}/../..
libdir=${prefix}/lib
includedir=${prefix}/include
weights=${prefix}/share/@ID@/@ID@.weights

Name: @ID@
Description: @MODEL@ compiled by vitc
Version: @VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -l@ID@
Libs.private: -lm -pthread
)",
              wordsOf(library, Language::PkgConfig));
}

std::string vitc::emitExample(const LibraryDescription &library) {
  Words words = wordsOf(library, Language::Cpp);
  std::string declarations;
  for (const OutputDescription &output : library.outputs)
    declarations +=
        ("  static " + output.type->cType + " " + output.name + "[" +
         library.name + "_" + upper(output.name) + "_ELEMENTS];\n")
            .str();
  words["DECLARATIONS"] = declarations;
  words["FIRST"] = library.outputs.front().name;
  words["PIXELS"] =
      std::to_string(library.height * library.width * library.channels);
  return fill(
      R"(// Runs @ID@ on a grey test image and prints the first numbers. Usage: example WEIGHTS
#include "@ID@.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  static unsigned char pixels[@PIXELS@];
  memset(pixels, 128, sizeof pixels);
@DECLARATIONS@  @ID@_image images[@ID@_BATCH];
  for (int i = 0; i < @ID@_BATCH; ++i)
    images[i] = {pixels, @ID@_WIDTH, @ID@_HEIGHT, @ID@_PIXELS_NATIVE, @ID@_WIDTH * @ID@_CHANNELS, {0, 0, 0, 0}};

  @ID@_net net(argc > 1 ? argv[1] : nullptr);
  @ID@_status status = net.status();
  if (status == @ID@_OK)
    status = net.run(images, @ID@_BATCH@EXAMPLE_ARGUMENTS@);
  if (status != @ID@_OK) {
    fprintf(stderr, "%s\n", @ID@_status_text(status));
    return 1;
  }
  for (int i = 0; i < 5 && i < @ID@_@FIRST_UPPER@_ELEMENTS; ++i)
    printf("@FIRST@[%d] = %g\n", i, double(@FIRST@[i]));
}
)",
      words);
}

std::string vitc::emitExampleCMake(const LibraryDescription &library) {
  return fill(
      R"(# cmake -S . -B build -D@ID@_ROOT=.. && cmake --build build && build/example ../share/@ID@/@ID@.weights
#
# or, with pkg-config:
#   c++ main.cpp $(PKG_CONFIG_PATH=../lib/pkgconfig pkg-config --cflags --libs @ID@) -Wl,-rpath,$PWD/../lib -o example
cmake_minimum_required(VERSION 3.16)
project(example LANGUAGES C CXX)
find_package(@ID@ REQUIRED HINTS "${CMAKE_CURRENT_SOURCE_DIR}/..")
add_executable(example main.cpp)
target_link_libraries(example PRIVATE @ID@::@ID@)
)",
      wordsOf(library, Language::CMake));
}

std::string vitc::emitToolchainFile(llvm::StringRef triple,
                                    llvm::StringRef processor,
                                    llvm::StringRef emulator) {
  return fill(
      R"(# Builds a product for @PROCESSOR@ on another machine:
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake
# -DCMAKE_CXX_COMPILER and -DCMAKE_SYSROOT name other tools than the distribution's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR @PROCESSOR@)
if(NOT CMAKE_C_COMPILER)
  set(CMAKE_C_COMPILER @TRIPLE@-gcc)
endif()
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER @TRIPLE@-g++)
endif()
# Where it is installed, tests run under the emulator.
find_program(VITC_EMULATOR @EMULATOR@)
if(VITC_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${VITC_EMULATOR} -L /usr/@TRIPLE@)
endif()
)",
      {{"PROCESSOR", processor.str()},
       {"TRIPLE", triple.str()},
       {"EMULATOR", emulator.str()}});
}
