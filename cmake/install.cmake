# What `cmake --install` lays down: the header, both libraries, the command, and two ways to find them.
include(CMakePackageConfigHelpers)
install(TARGETS impel impel_static EXPORT impel_targets)
install(DIRECTORY include/impel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(TARGET impel_cli)
  install(TARGETS impel_cli)
endif()
if(TARGET impel_mpi)
  install(TARGETS impel_mpi)
endif()

# find_package(impel)
install(EXPORT impel_targets NAMESPACE impel:: FILE impelTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/impel)
configure_package_config_file(cmake/impelConfig.cmake.in impelConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/impel)
write_basic_package_version_file(impelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/impelConfig.cmake ${PROJECT_BINARY_DIR}/impelConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/impel)

# pkg-config impel
list(TRANSFORM impel_needs PREPEND -l OUTPUT_VARIABLE impel_private_libraries)
list(JOIN impel_private_libraries " " impel_private_libraries)
configure_file(cmake/impel.pc.in impel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/impel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
