# antiphon_kernels(TARGET file.comp...): compiles each GLSL compute shader to SPIR-V and gives TARGET a
# header kernels/<name>.hpp with `inline constexpr std::uint32_t <name>_spirv[]`.
function(antiphon_kernels target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    get_filename_component(source ${file} ABSOLUTE)
    set(words ${folder}/kernels/${name}.inc)
    set(header ${folder}/kernels/${name}.hpp)
    file(MAKE_DIRECTORY ${folder}/kernels)
    file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"#pragma once
#include <cstdint>
inline constexpr std::uint32_t ${name}_spirv[] =
#include \"${name}.inc\"
    ;
")
    add_custom_command(OUTPUT ${words}
      COMMAND ${GLSLC} --target-env=vulkan1.2 -O -mfmt=c -MD -MF ${words}.d -o ${words} ${source}
      DEPENDS ${source} DEPFILE ${words}.d VERBATIM)
    target_sources(${target} PRIVATE ${words})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
