# The code of the mocks, once for all test programs: what gmock makes of a class is emitted where its destructor is
# defined, and that takes a compiler longer than most tests.
file(GLOB mock_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB api_dirs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/modules/*/api)
add_library(svc_mocks STATIC ${mock_sources})
target_include_directories(svc_mocks PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(svc_mocks PUBLIC svc_kernel svc_common GTest::gmock GTest::gtest PRIVATE svc_options)
foreach(dir ${api_dirs})
  target_include_directories(svc_mocks PRIVATE ${dir})
endforeach()
target_precompile_headers(svc_mocks PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT SVC_SANITIZE)
  target_compile_options(svc_mocks PRIVATE -O0)
endif()
