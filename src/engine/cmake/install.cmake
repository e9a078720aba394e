# What `cmake --install` puts in place: the library and its headers, for find_package(kvasir), and the programs.
include(CMakePackageConfigHelpers)
set(KVASIR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kvasir)

install(TARGETS kvasir EXPORT kvasir-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/kvasir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS map-aggregate group-by-key reduce-by-key sort-records check-records generate hdfs-jobs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT kvasir-targets NAMESPACE kvasir:: DESTINATION ${KVASIR_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kvasir-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/kvasir-config.cmake
                              INSTALL_DESTINATION ${KVASIR_PACKAGE_DIR})
# Before version 1 a new minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/kvasir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kvasir-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/kvasir-config-version.cmake
        DESTINATION ${KVASIR_PACKAGE_DIR})
