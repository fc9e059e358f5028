# cmake -S . -B build -Dgolden_net_ROOT=.. && cmake --build build && build/example ../share/golden_net/golden_net.weights
#
# or, with pkg-config:
#   c++ main.cpp $(PKG_CONFIG_PATH=../lib/pkgconfig pkg-config --cflags --libs golden_net) -Wl,-rpath,$PWD/../lib -o example
cmake_minimum_required(VERSION 3.16)
project(example LANGUAGES C CXX)
find_package(golden_net REQUIRED HINTS "${CMAKE_CURRENT_SOURCE_DIR}/..")
add_executable(example main.cpp)
target_link_libraries(example PRIVATE golden_net::golden_net)
