# Third-party libraries, by the names that their Debian packages give them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(pugixml REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)

pkg_check_modules(spirv_cross REQUIRED IMPORTED_TARGET spirv-cross-c-shared)
pkg_check_modules(shaderc REQUIRED IMPORTED_TARGET shaderc)
if(ANTIPHON_BUILD_SAMPLES)
  pkg_check_modules(libav REQUIRED IMPORTED_TARGET libavformat libavcodec libswscale libavutil)
endif()

# Header-only packages without a CMake config of their own.
function(antiphon_header_library name file)
  cmake_parse_arguments(ARG "" "PACKAGE" "SUFFIXES;HINTS" ${ARGN})
  find_path(${name}_INCLUDE_DIR ${file} PATH_SUFFIXES ${ARG_SUFFIXES} HINTS ${ARG_HINTS})
  if(NOT ${name}_INCLUDE_DIR)
    message(FATAL_ERROR "${file} not found: install ${ARG_PACKAGE}, or run ./dev setup")
  endif()
  add_library(antiphon_dep_${name} INTERFACE)
  target_include_directories(antiphon_dep_${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
endfunction()

# VMA is not in Debian 12; ./dev setup unpacks Debian 13's header here.
set(ANTIPHON_VMA_DIR ${PROJECT_SOURCE_DIR}/build/deps/vma/usr/include
    CACHE PATH "Where vk_mem_alloc.h is looked for first")
antiphon_header_library(vulkan vulkan/vulkan.h PACKAGE libvulkan-dev)
antiphon_header_library(volk volk.c PACKAGE libvulkan-volk-dev)
antiphon_header_library(vma vk_mem_alloc.h PACKAGE libvulkan-memory-allocator-dev
                        HINTS ${ANTIPHON_VMA_DIR} SUFFIXES vma)
antiphon_header_library(asio asio.hpp PACKAGE libasio-dev)
antiphon_header_library(concurrentqueue concurrentqueue.h PACKAGE libconcurrentqueue-dev
                        SUFFIXES concurrentqueue concurrentqueue/moodycamel)
target_compile_definitions(antiphon_dep_asio INTERFACE ASIO_NO_DEPRECATED)

if(ANTIPHON_BUILD_TESTS)
  find_package(doctest REQUIRED)
endif()
if(ANTIPHON_BUILD_PERF)
  find_package(benchmark REQUIRED)
endif()
find_program(GLSLC glslc REQUIRED)
