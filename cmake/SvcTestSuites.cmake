# ctest includes this for a GoogleTest program and gets a test for each of its suites. A process for each case costs more than
# most cases do, and a suite is what people ask for by name.

# svc_add_suites(<program> BUILT <file> LIST <file> PROPERTIES …): LIST keeps the names until BUILT, which has the tests, is newer.
function(svc_add_suites program)
  cmake_parse_arguments(ARG "" "BUILT;LIST" "PROPERTIES" ${ARGN})
  if(NOT EXISTS ${ARG_BUILT})
    # As a test that cannot start; with no test at all nobody would miss it.
    get_filename_component(name ${program} NAME)
    add_test(${name}_is_not_built ${program})
    return()
  endif()
  if(NOT EXISTS ${ARG_LIST} OR ${ARG_BUILT} IS_NEWER_THAN ${ARG_LIST})
    execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE result TIMEOUT 60)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${program} --gtest_list_tests ended with ${result}:\n${listed}")
    endif()
    # Comments tell types and parameters. A suite is a line at the margin that ends with a dot, its cases are indented.
    string(REGEX REPLACE " +#[^\n]*" "" listed "\n${listed}")
    string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\.(\n  [^\n]+)+" blocks "${listed}")
    set(lines)
    foreach(block IN LISTS blocks)
      string(REGEX MATCH "[A-Za-z0-9_/]+" suite "${block}")
      string(REGEX MATCHALL "\n  " cases "${block}")
      list(LENGTH cases count)
      string(APPEND lines "svc_add_suite(${suite} ${count})\n")
    endforeach()
    file(WRITE ${ARG_LIST} "${lines}")
  endif()
  # Those of many cases begin first: one that is left over would run alone at the end.
  macro(svc_add_suite suite cases)
    add_test(${suite} ${program} --gtest_filter=${suite}.*)
    set_tests_properties(${suite} PROPERTIES COST ${cases} ${ARG_PROPERTIES})
  endmacro()
  include(${ARG_LIST})
endfunction()
