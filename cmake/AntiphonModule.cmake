# antiphon_module(NAME SOURCES ... USES module... LIBRARIES target... [HALF check|run])
#
# A folder in runtime/ is one module: an object library antiphon_NAME. USES names the modules whose
# headers it may include; tests/structure holds every #include against that list. LIBRARIES are
# third-party targets, private to the module. HALF says which of the two shared libraries it is in.
set_property(GLOBAL PROPERTY ANTIPHON_MODULES "")

function(antiphon_module name)
  cmake_parse_arguments(ARG "" "HALF" "SOURCES;USES;LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target "antiphon_${name}")
  add_library(${target} OBJECT ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                               ${PROJECT_SOURCE_DIR}/runtime)
  target_link_libraries(${target} PRIVATE antiphon_build ${ARG_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY ANTIPHON_MODULES ${name})
  set_property(GLOBAL PROPERTY ANTIPHON_USES_${name} "${ARG_USES}")
  set_property(GLOBAL PROPERTY ANTIPHON_MODULE_HALF_${name} ${ARG_HALF})
  set_property(GLOBAL APPEND PROPERTY ANTIPHON_HALF_${ARG_HALF} ${target})
  set_property(GLOBAL APPEND PROPERTY ANTIPHON_LIBRARIES_${ARG_HALF} ${ARG_LIBRARIES})
endfunction()

# antiphon_library(NAME HALF half [LINK target...]): the shared library of one half.
function(antiphon_library name)
  cmake_parse_arguments(ARG "" "HALF" "LINK" ${ARGN})
  get_property(modules GLOBAL PROPERTY ANTIPHON_HALF_${ARG_HALF})
  get_property(libraries GLOBAL PROPERTY ANTIPHON_LIBRARIES_${ARG_HALF})
  list(REMOVE_DUPLICATES libraries)
  add_library(${name} SHARED)
  foreach(module IN LISTS modules)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${module}>)
  endforeach()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE antiphon_build ${libraries})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  # Only names in namespace antiphon leave the library: what it is built from stays inside.
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map" "LINKER:-Bsymbolic-functions")
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map
    INSTALL_RPATH "$ORIGIN")
endfunction()
