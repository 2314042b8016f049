# What a module outside this tree is built against: headers, libraries and a CMake package, all in component devel.
# The headers are installed next to the targets that own them.
include(CMakePackageConfigHelpers)

set(svc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/svc)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/svc-config.cmake.in ${CMAKE_BINARY_DIR}/svc-config.cmake INSTALL_DESTINATION ${svc_package_dir})
# Pre-1.0: a minor version may change an interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/svc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/svc-config.cmake ${CMAKE_BINARY_DIR}/svc-config-version.cmake
        DESTINATION ${svc_package_dir} COMPONENT devel)
install(TARGETS svc_common ARCHIVE DESTINATION lib COMPONENT devel)
