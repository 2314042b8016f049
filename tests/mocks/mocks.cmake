# What all test programs share: gtest and gmock compiled as a header once, and the code of the mocks once. What gmock makes of
# a class is emitted where its destructor is defined, and that takes a compiler longer than most tests.

# svc_test_options(<target>): how tests are compiled; the precompiled header is only good for the same options.
function(svc_test_options target)
  target_link_libraries(${target} PRIVATE svc_kernel svc_common svc_options Poco::Foundation GTest::gmock GTest::gtest)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # Compilers spend longest on optimising matchers and mocks, and nobody waits for those to run.
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT SVC_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# A program, because its position-independent code differs from a library's.
add_executable(svc_test_headers ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
svc_test_options(svc_test_headers)
target_precompile_headers(svc_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)

file(GLOB mock_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB api_dirs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/modules/*/api)
add_library(svc_mocks STATIC ${mock_sources})
svc_test_options(svc_mocks)
target_include_directories(svc_mocks PRIVATE ${api_dirs})
if(SVC_NODE STREQUAL "executable")
  # Some tests are libraries there (svc_node_program), whose headers these are. Programs take what libraries take.
  add_library(svc_runtime_test_headers MODULE ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
  svc_test_options(svc_runtime_test_headers)
  set_target_properties(svc_runtime_test_headers PROPERTIES DEFINE_SYMBOL "")
  target_precompile_headers(svc_runtime_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  target_precompile_headers(svc_mocks REUSE_FROM svc_runtime_test_headers)
else()
  set_target_properties(svc_mocks PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(svc_mocks PRIVATE -fPIE)
  target_precompile_headers(svc_mocks REUSE_FROM svc_test_headers)
endif()
