# Finds cctz (libcctz-dev), which comes without CMake or pkg-config files of its own.
#
# Result   Cctz_FOUND
# Target   Cctz::Cctz
include(FindPackageHandleStandardArgs)

find_path(Cctz_INCLUDE_DIR cctz/time_zone.h)
find_library(Cctz_LIBRARY cctz)
mark_as_advanced(Cctz_INCLUDE_DIR Cctz_LIBRARY)
find_package_handle_standard_args(Cctz REQUIRED_VARS Cctz_LIBRARY Cctz_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Install libcctz-dev, as scripts/test and scripts/run do.")

if(Cctz_FOUND AND NOT TARGET Cctz::Cctz)
  add_library(Cctz::Cctz UNKNOWN IMPORTED)
  set_target_properties(Cctz::Cctz PROPERTIES
    IMPORTED_LOCATION "${Cctz_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Cctz_INCLUDE_DIR}")
endif()
