# Language level, warnings, sanitizers, ccache: the same for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_program(SVC_CCACHE ccache)
if(SVC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need these two relaxations to be cacheable.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SVC_CCACHE})
endif()

# Some 90 programs and libraries are linked after a change of the kernel: a quick linker halves that wait.
find_program(SVC_MOLD mold)
if(SVC_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SVC_SANITIZE AND NOT SVC_COVERAGE)
  add_link_options(-fuse-ld=mold)
endif()

# Most of a clean build is templates of the same headers, made again for each source: two dozen compiled as one take a third.
# Names of unnamed namespaces are therefore unique within a target. Tools that look at each source alone build without.
if(SVC_UNITY AND NOT SVC_TIDY AND NOT SVC_COVERAGE)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
  # Unnamed namespaces of a source look to GCC as if they came with a header.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# GCC collects its own garbage after each 128 MiB, which takes a tenth of a compilation; with memory to spare it need not.
cmake_host_system_information(RESULT SVC_MEMORY_MIB QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND SVC_MEMORY_MIB GREATER 12000)
  add_compile_options(--param=ggc-min-heapsize=1500000)
endif()

add_library(svc_options INTERFACE)
target_compile_options(svc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
  -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # ccache and precompiled headers work together only with preprocessed-include bookkeeping.
  target_compile_options(svc_options INTERFACE -fpch-preprocess)
else()
  target_compile_options(svc_options INTERFACE -Wthread-safety)
endif()
# Poco's definitions change what the C library declares: one precompiled header serves all who have the same.
target_compile_definitions(svc_options INTERFACE BOOST_DLL_USE_STD_FS BOOST_ASIO_NO_DEPRECATED RAPIDJSON_HAS_STDSTRING=1
  $<TARGET_PROPERTY:Poco::Foundation,INTERFACE_COMPILE_DEFINITIONS>)

if(SVC_SANITIZE)
  # What a sanitizer adds makes GCC see uninitialised values where there are none, inside of std::regex for example.
  add_compile_options(-fsanitize=${SVC_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${SVC_SANITIZE})
  if(SVC_SANITIZE MATCHES "thread")
    # Asio's fences are beyond the thread sanitizer, and the compiler says so; its locks are seen.
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
  if(SVC_SANITIZE MATCHES "undefined")
    # libnode is built without type information, so vptr checks on its classes cannot work.
    add_compile_options(-fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
endif()
if(SVC_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(SVC_TIDY)
  find_program(SVC_CLANG_TIDY NAMES clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${SVC_CLANG_TIDY})
endif()
