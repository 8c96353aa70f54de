# What `cmake --install` puts where. Three components: `check` (the library that needs no Vulkan, all public
# headers), `run` (the one that runs graphs) and `program` (`antiphon`, which needs both: neither needs a
# Vulkan loader to be there); a package may split them along these lines.
include(CMakePackageConfigHelpers)

set(antiphon_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/antiphon)
set(antiphon_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS antiphon-check EXPORT antiphonCheckTargets COMPONENT check)
install(TARGETS antiphon EXPORT antiphonTargets COMPONENT run)
install(TARGETS antiphon_cli COMPONENT program)
install(DIRECTORY include/antiphon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT check)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT check OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT check)

install(EXPORT antiphonCheckTargets NAMESPACE antiphon:: DESTINATION ${antiphon_package_dir}
        COMPONENT check)
install(EXPORT antiphonTargets NAMESPACE antiphon:: DESTINATION ${antiphon_package_dir} COMPONENT run)
configure_package_config_file(
  cmake/antiphonConfig.cmake.in ${PROJECT_BINARY_DIR}/antiphonConfig.cmake
  INSTALL_DESTINATION ${antiphon_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/antiphonConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/antiphonConfig.cmake
              ${PROJECT_BINARY_DIR}/antiphonConfigVersion.cmake
        DESTINATION ${antiphon_package_dir} COMPONENT check)
install(FILES cmake/AntiphonKernel.cmake DESTINATION ${antiphon_package_dir} COMPONENT run)

# Relative to the .pc file itself, so that the tree may be moved.
file(RELATIVE_PATH antiphon_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/antiphon-check.pc.in ${PROJECT_BINARY_DIR}/antiphon-check.pc @ONLY)
configure_file(cmake/antiphon.pc.in ${PROJECT_BINARY_DIR}/antiphon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/antiphon-check.pc DESTINATION ${antiphon_pkgconfig_dir}
        COMPONENT check)
install(FILES ${PROJECT_BINARY_DIR}/antiphon.pc DESTINATION ${antiphon_pkgconfig_dir} COMPONENT run)
