# antiphon_kernels(TARGET file.comp...): compiles each GLSL compute shader to SPIR-V and gives TARGET a
# header <kernels/NAME.hpp> with `inline constexpr std::uint32_t NAME_spirv[]`. NAME is the file's, with
# whatever a C++ name can't hold replaced by `_`. Files that a shader includes count for rebuilding.
find_program(GLSLC glslc DOC "Compiler from GLSL to SPIR-V")

function(antiphon_kernels target)
  if(NOT GLSLC)
    message(FATAL_ERROR "antiphon_kernels(${target}): glslc not found (Debian: glslc)")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  file(MAKE_DIRECTORY ${folder}/kernels)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name} name)
    get_filename_component(source ${file} ABSOLUTE)
    set(words ${folder}/kernels/${name}.inc)
    file(CONFIGURE OUTPUT ${folder}/kernels/${name}.hpp @ONLY CONTENT
"#pragma once
#include <cstdint>
inline constexpr std::uint32_t ${name}_spirv[] =
#include \"${name}.inc\"
    ;
")
    add_custom_command(OUTPUT ${words}
      COMMAND ${GLSLC} --target-env=vulkan1.2 -O -mfmt=c -MD -MF ${words}.d -o ${words} ${source}
      DEPENDS ${source} DEPFILE ${words}.d COMMENT "Compiling kernel ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${words})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
