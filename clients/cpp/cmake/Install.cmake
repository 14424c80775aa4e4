# `cmake --install build` makes find_package(memoryd) work.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/memoryd")

install(TARGETS memoryd memoryd_testing EXPORT memorydTargets)
install(DIRECTORY include/memoryd DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${MEMORYD_STUBS_DIR}/memoryd" "${MEMORYD_STUBS_DIR}/google" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.pb.h")
install(FILES "${PROJECT_SOURCE_DIR}/../../LICENSE" "${PROJECT_SOURCE_DIR}/../../NOTICE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT memorydTargets NAMESPACE memoryd:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/memorydConfig.cmake.in "${PROJECT_BINARY_DIR}/memorydConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/memorydConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/memorydConfig.cmake" "${PROJECT_BINARY_DIR}/memorydConfigVersion.cmake"
  DESTINATION "${package_dir}")
