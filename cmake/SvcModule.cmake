# Declares modules, their tests, and the JavaScript they embed.

# Every modules/<name>/api folder becomes the header-only target svc_<name>_api, whether or not the module is built.
function(svc_declare_module_apis)
  file(GLOB api_dirs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/modules/*/api)
  foreach(dir ${api_dirs})
    get_filename_component(module_dir ${dir} DIRECTORY)
    get_filename_component(name ${module_dir} NAME)
    add_library(svc_${name}_api INTERFACE)
    target_include_directories(svc_${name}_api INTERFACE $<BUILD_INTERFACE:${dir}>)
    target_link_libraries(svc_${name}_api INTERFACE svc_kernel svc_common)
    install(DIRECTORY ${dir}/svc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel)
  endforeach()
endfunction()

# What nearly every source of a module reads, compiled once for all of them. Only headers that seldom change: a change of
# one compiles everything again.
function(svc_add_module_headers)
  add_library(svc_module_headers STATIC ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(svc_module_headers PRIVATE svc_kernel svc_common svc_options)
  target_precompile_headers(svc_module_headers PRIVATE
    <algorithm> <array> <atomic> <chrono> <deque> <filesystem> <functional> <map> <memory> <mutex> <optional> <set> <span>
    <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
    <svc/common/json.h> <svc/kernel/async.h>)
endfunction()

function(svc_add_modules)
  svc_add_module_headers()
  set(names ${SVC_MODULES})
  if(NOT names)
    file(GLOB lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/modules/*/CMakeLists.txt)
    foreach(list ${lists})
      get_filename_component(dir ${list} DIRECTORY)
      get_filename_component(name ${dir} NAME)
      list(APPEND names ${name})
    endforeach()
  endif()
  list(REMOVE_ITEM names common skillfiles none)
  foreach(name ${names})
    add_subdirectory(${PROJECT_SOURCE_DIR}/modules/${name})
  endforeach()
endfunction()

# svc_module(<name>
#   SOURCES   src/a.cpp …        the core: everything tests link
#   GLUE      module.cpp         default: module.cpp
#   LINK      svc_x_api … libs   api targets and third-party libraries; another module's core is refused
#   SCRIPTS   js/rpc.ts …        bundled and embedded; see svc_embed_scripts
# )
function(svc_module name)
  cmake_parse_arguments(ARG "" "GLUE" "SOURCES;LINK;SCRIPTS" ${ARGN})
  foreach(link ${ARG_LINK})
    if(link MATCHES "^svc_.*_core$")
      message(FATAL_ERROR "module ${name} links ${link}: a core links only interfaces (svc_*_api), never another core")
    endif()
  endforeach()
  string(REPLACE "-" "_" target ${name})
  add_library(svc_${target}_core STATIC ${ARG_SOURCES})
  target_include_directories(svc_${target}_core PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(svc_${target}_core PUBLIC svc_kernel svc_common ${ARG_LINK} PRIVATE svc_options)
  if(TARGET svc_${target}_api)
    target_link_libraries(svc_${target}_core PUBLIC svc_${target}_api)
  endif()
  target_precompile_headers(svc_${target}_core REUSE_FROM svc_module_headers)
  if(ARG_SCRIPTS)
    svc_embed_scripts(svc_${target}_core ${target} ${ARG_SCRIPTS})
  endif()
  if(NOT ARG_GLUE)
    set(ARG_GLUE module.cpp)
  endif()
  add_library(svc_${target} MODULE ${ARG_GLUE})
  target_link_libraries(svc_${target} PRIVATE svc_${target}_core svc_options)
  target_precompile_headers(svc_${target} REUSE_FROM svc_module_headers)
  set_target_properties(svc_${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${SVC_MODULE_DIR}
    INSTALL_RPATH "$ORIGIN/..;$ORIGIN/../deps")
  # A loaded module is never unloaded: replaced vtables would be used after free.
  target_link_options(svc_${target} PRIVATE -Wl,-z,nodelete)
  if(NOT SVC_SANITIZE)
    target_link_options(svc_${target} PRIVATE -Wl,--no-undefined)
  endif()
  install(TARGETS svc_${target} LIBRARY DESTINATION ${SVC_MODULE_DIR})
endfunction()

# Bundles TypeScript with esbuild (types are checked by `npm run typecheck`, not here) and embeds the result as
# `svc::<target>::scripts::k<Name>` in the generated header "<target>_scripts.h"; js/plugin_api.ts becomes kPluginApi.
function(svc_embed_scripts core target)
  set(outputs)
  set(header_text "#pragma once\n\n#include <string_view>\n\nnamespace svc::${target}::scripts {\n")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  foreach(script ${ARGN})
    get_filename_component(stem ${script} NAME_WE)
    string(REPLACE "_" ";" words ${stem})
    set(symbol k)
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 first)
      string(TOUPPER ${first} first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(APPEND symbol ${first}${rest})
    endforeach()
    set(bundle ${generated}/${stem}.js)
    set(source ${generated}/${stem}_script.cpp)
    add_custom_command(
      OUTPUT ${source}
      COMMAND ${PROJECT_SOURCE_DIR}/node_modules/.bin/esbuild ${CMAKE_CURRENT_SOURCE_DIR}/${script}
              --bundle --platform=node --target=node18 --format=cjs --log-level=warning --outfile=${bundle}
      COMMAND ${CMAKE_COMMAND} -DINPUT=${bundle} -DOUTPUT=${source} -DNAMESPACE=svc::${target}::scripts
              -DSYMBOL=${symbol} -DHEADER=${target}_scripts.h -P ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${PROJECT_SOURCE_DIR}/cmake/EmbedText.cmake
              ${svc_script_dependencies}
      COMMENT "Embedding ${script}" VERBATIM)
    list(APPEND outputs ${source})
    string(APPEND header_text "extern const std::string_view ${symbol};\n")
  endforeach()
  string(APPEND header_text "}  // namespace svc::${target}::scripts\n")
  file(CONFIGURE OUTPUT ${generated}/${target}_scripts.h CONTENT "${header_text}" @ONLY)
  set_source_files_properties(${outputs} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${core} PRIVATE ${outputs})
  target_include_directories(${core} PUBLIC ${generated})
endfunction()

# svc_test(<name> LABEL unit SOURCES a_test.cpp … LINK svc_x_core …): a GoogleTest program. For ctest each suite is a test; of
# LABEL integration each case, because those wait for servers and go better beside each other.
function(svc_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LINK" ${ARGN})
  set(program ${name})
  set(headers svc_test_headers)
  if("svc_jsruntime_core" IN_LIST ARG_LINK)
    svc_node_program(${name} tests ${ARG_SOURCES})
    set(program ${SVC_NODE_PROGRAM})
  else()
    add_executable(${name} ${ARG_SOURCES})
  endif()
  if(NOT program STREQUAL name)
    set(headers svc_runtime_test_headers)  # those of a library
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} svc_mocks GTest::gmock_main)
  svc_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM ${headers})
  # What mocks and matchers are made of costs more than the sources: together most programs take half as long.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
                                           UNITY_BUILD_BATCH_SIZE 48)
  # A bound for what hangs, not for what is slow: machines that share their cores take three times as long as a quiet one.
  set(properties LABELS ${ARG_LABEL} TIMEOUT 300)
  if(ARG_LABEL STREQUAL "integration")
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES ${properties})
  else()
    set(suites ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    file(GENERATE OUTPUT ${suites} CONTENT
      "include(${PROJECT_SOURCE_DIR}/cmake/SvcTestSuites.cmake)\nsvc_add_suites(${CMAKE_BINARY_DIR}/tests/${name} BUILT $<TARGET_FILE:${name}> LIST ${CMAKE_CURRENT_BINARY_DIR}/${name}_list.cmake PROPERTIES ${properties})\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites})
  endif()
endfunction()

# svc_program(<name> MODULES a b c …): the kernel's main under another name with a default module set.
#   DESCRIPTION …      first line of --help
#   LISTENS            offers --listen
#   CONFIG_FILE, DATA_DIRECTORY, LOCK_FILE, LOG_FILE, DRAIN_MS   see ProgramDescription in svc/kernel/program.h
#   COMMANDS a b=x,y   first words: a flag of the usual set, or a program of its own with the modules x and y
# What loads jsruntime runs in the runtime where SVC_NODE is `executable`: the whole program or one of its commands.
function(svc_program name)
  cmake_parse_arguments(ARG "LISTENS" "DESCRIPTION;CONFIG_FILE;DATA_DIRECTORY;LOCK_FILE;LOG_FILE;DRAIN_MS" "MODULES;COMMANDS" ${ARGN})
  set(programs ${name})
  set(launched ${ARG_COMMANDS})
  list(FILTER launched INCLUDE REGEX "[=,]jsruntime")
  list(TRANSFORM launched REPLACE "=.*" "")
  if(SVC_NODE STREQUAL "executable" AND (launched OR "jsruntime" IN_LIST ARG_MODULES))
    add_library(${name}_program MODULE ${PROJECT_SOURCE_DIR}/kernel/app/main.cpp)
    svc_node_library(${name}_program ${name})
    install(TARGETS ${name}_program LIBRARY DESTINATION lib/svc/programs)
    if("jsruntime" IN_LIST ARG_MODULES)
      svc_node_launcher(${name})
      set(programs ${name}_program)
    else()
      add_executable(${name} ${PROJECT_SOURCE_DIR}/kernel/app/main.cpp)
      target_link_libraries(${name} PRIVATE svc_node_launch)
      target_compile_definitions(${name} PRIVATE SVC_LAUNCHED_COMMAND="${launched}")
      list(APPEND programs ${name}_program)
    endif()
    add_dependencies(${name} ${name}_program)
  else()
    add_executable(${name} ${PROJECT_SOURCE_DIR}/kernel/app/main.cpp)
  endif()
  foreach(program ${programs})
    target_link_libraries(${program} PRIVATE svc_kernel svc_options CLI11::CLI11)
    target_compile_definitions(${program} PRIVATE SVC_VERSION="${PROJECT_VERSION}")
  endforeach()
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/svc")
  svc_json_list(modules ${ARG_MODULES})
  set(members "\"name\": \"${name}\", \"version\": \"${PROJECT_VERSION}\", \"modules\": ${modules}")
  foreach(member DESCRIPTION:description CONFIG_FILE:configFile DATA_DIRECTORY:dataDirectory LOCK_FILE:lockFile LOG_FILE:logFile)
    string(REPLACE ":" ";" pair ${member})
    list(GET pair 0 argument)
    list(GET pair 1 key)
    if(ARG_${argument})
      string(APPEND members ", \"${key}\": \"${ARG_${argument}}\"")
    endif()
  endforeach()
  if(ARG_DRAIN_MS)
    string(APPEND members ", \"drainMs\": ${ARG_DRAIN_MS}")
  endif()
  if(ARG_LISTENS)
    string(APPEND members ", \"listens\": true")
  endif()
  set(commands)
  foreach(command ${ARG_COMMANDS})
    string(REGEX REPLACE "=.*" "" word ${command})
    set(modules "[]")
    if(command MATCHES "=(.+)")
      string(REPLACE "," ";" names ${CMAKE_MATCH_1})
      svc_json_list(modules ${names})
    endif()
    list(APPEND commands "\"${word}\": ${modules}")
  endforeach()
  if(commands)
    list(JOIN commands ", " joined)
    string(APPEND members ", \"commands\": { ${joined} }")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lib/svc/programs/${name}.json CONTENT "{ ${members} }\n" @ONLY)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
  install(FILES ${CMAKE_BINARY_DIR}/lib/svc/programs/${name}.json DESTINATION lib/svc/programs)
endfunction()

function(svc_json_list out)
  list(TRANSFORM ARGN REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE quoted)
  list(JOIN quoted ", " joined)
  set(${out} "[${joined}]" PARENT_SCOPE)
endfunction()
