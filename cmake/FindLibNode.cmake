# Finds V8 + Node as a shared library (Debian's libnode) and proves that headers and library belong together.
#
# Input    LIBNODE_ROOT (cache or environment): a folder with usr/include/node and usr/lib/<triplet>/libnode.so.N, or
#          the same without usr/. Without it: <source>/.deps/libnode when scripts/run unpacked one there, then the system.
# Result   LibNode_FOUND, LibNode_VERSION (18.20.4), LibNode_MODULE_VERSION (108), LibNode_LIBRARY, LibNode_INCLUDE_DIR,
#          LibNode_IS_PRIVATE (true: not on the loader's path, an installed program needs an RPATH to it)
# Target   LibNode::LibNode (system includes; brings libuv)
#
# Where SVC_NODE is `executable` (SvcNode.cmake) there is no library: the target has the headers, LibNode_LIBRARY is empty.
#
# The check exists because a foreign /usr/include/node is common: NodeSource's nodejs package ships headers of its own
# Node there. They compile against libnode and crash at run time.

include(FindPackageHandleStandardArgs)

# Sets <out_module> (108) and <out_version> (18.20.4) from <include>/node_version.h.
function(_libnode_read_version include out_module out_version)
  file(READ "${include}/node_version.h" text)
  set(version "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    string(REGEX MATCH "#define NODE_${part}_VERSION ([0-9]+)" _ "${text}")
    list(APPEND version "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN version "." version)
  string(REGEX MATCH "#define NODE_MODULE_VERSION ([0-9]+)" _ "${text}")
  set(${out_module} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  set(${out_version} "${version}" PARENT_SCOPE)
endfunction()

if(SVC_NODE STREQUAL "executable")
  set(LibNode_IS_PRIVATE FALSE)
  set(LibNode_LIBRARY "")
  set(LibNode_INCLUDE_DIR "${SVC_NODE_PACKAGE}/include/node")
  _libnode_read_version("${LibNode_INCLUDE_DIR}" LibNode_MODULE_VERSION LibNode_VERSION)
  find_package_handle_standard_args(LibNode REQUIRED_VARS LibNode_INCLUDE_DIR VERSION_VAR LibNode_VERSION)
  if(NOT TARGET LibNode::LibNode)
    add_library(LibNode::LibNode INTERFACE IMPORTED GLOBAL)
    set_target_properties(LibNode::LibNode PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${LibNode_INCLUDE_DIR}"
      INTERFACE_COMPILE_DEFINITIONS SVC_NODE_EXECUTABLE
      # The executable has what is missing; that it has all of it is seen when it loads the library (RTLD_NOW).
      INTERFACE_LINK_OPTIONS "-Wl,-z,undefs,--unresolved-symbols=ignore-all")
  endif()
  return()
endif()

set(_libnode_root "${LIBNODE_ROOT}")
if(NOT _libnode_root AND DEFINED ENV{LIBNODE_ROOT})
  set(_libnode_root "$ENV{LIBNODE_ROOT}")
endif()
set(_libnode_explicit "${_libnode_root}")
if(NOT _libnode_root AND EXISTS "${CMAKE_SOURCE_DIR}/.deps/libnode/usr")
  set(_libnode_root "${CMAKE_SOURCE_DIR}/.deps/libnode")
endif()

# Sets <out_include> and <out_library> to what lies under <root>, or to "" where a part is missing.
function(_libnode_look_in root out_include out_library)
  set(found_include "")
  set(found_library "")
  foreach(prefix IN ITEMS "${root}/usr" "${root}")
    if(EXISTS "${prefix}/include/node/node.h" AND EXISTS "${prefix}/include/node/node_version.h")
      set(found_include "${prefix}/include/node")
    endif()
    # The file with the number is the real library; its name carries the module version the headers must match.
    file(GLOB libraries "${prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libnode.so.[0-9]*"
         "${prefix}/lib/libnode.so.[0-9]*" "${prefix}/lib64/libnode.so.[0-9]*")
    if(libraries)
      list(SORT libraries COMPARE NATURAL ORDER DESCENDING)
      list(GET libraries 0 found_library)
      # A system between two releases has several; the one the headers are for is meant.
      if(found_include)
        _libnode_read_version("${found_include}" module version)
        list(FILTER libraries INCLUDE REGEX "\\.${module}$")
        if(libraries)
          list(GET libraries 0 found_library)
        endif()
      endif()
    endif()
    if(found_include OR found_library)
      break()
    endif()
  endforeach()
  set(${out_include} "${found_include}" PARENT_SCOPE)
  set(${out_library} "${found_library}" PARENT_SCOPE)
endfunction()

set(LibNode_IS_PRIVATE FALSE)
set(LibNode_INCLUDE_DIR "")
set(LibNode_LIBRARY "")
if(_libnode_root)
  _libnode_look_in("${_libnode_root}" LibNode_INCLUDE_DIR LibNode_LIBRARY)
  set(_libnode_searched "${_libnode_root}")
endif()
if(LibNode_LIBRARY AND LibNode_INCLUDE_DIR)
  set(LibNode_IS_PRIVATE TRUE)
elseif(NOT _libnode_explicit)
  # An explicit root that is wrong must fail; falling back to the system would hide the mistake.
  _libnode_look_in("/usr" LibNode_INCLUDE_DIR LibNode_LIBRARY)
  list(APPEND _libnode_searched "/usr")
endif()
if(_libnode_root STREQUAL "/" OR _libnode_root STREQUAL "/usr")
  set(LibNode_IS_PRIVATE FALSE)
endif()
list(JOIN _libnode_searched " and " _libnode_searched)

set(LibNode_VERSION "")
set(LibNode_MODULE_VERSION "")
set(_libnode_advice "Run scripts/test (or scripts/run): it installs libnode-dev or unpacks it into .deps/libnode. \
For a copy elsewhere configure with -DLIBNODE_ROOT=<folder>.")
set(_libnode_problem "")
set(LibNode_COMPATIBLE FALSE)
if(NOT LibNode_LIBRARY)
  set(_libnode_problem "no libnode.so.<number> under ${_libnode_searched}. ${_libnode_advice}")
elseif(NOT LibNode_INCLUDE_DIR)
  set(_libnode_problem "found ${LibNode_LIBRARY}, but no node.h and node_version.h under ${_libnode_searched}. \
${_libnode_advice}")
else()
  _libnode_read_version("${LibNode_INCLUDE_DIR}" LibNode_MODULE_VERSION LibNode_VERSION)
  string(REGEX MATCH "[0-9]+$" _libnode_soname "${LibNode_LIBRARY}")
  if(LibNode_MODULE_VERSION STREQUAL _libnode_soname)
    set(LibNode_COMPATIBLE TRUE)
  else()
    set(_libnode_problem "headers and library do not belong together: ${LibNode_LIBRARY} expects headers with \
NODE_MODULE_VERSION ${_libnode_soname}, found ${LibNode_MODULE_VERSION} (Node ${LibNode_VERSION}) in \
${LibNode_INCLUDE_DIR}. ${_libnode_advice}")
  endif()
endif()

find_path(LibNode_UV_INCLUDE_DIR uv.h PATHS /usr/include NO_DEFAULT_PATH)
find_path(LibNode_UV_INCLUDE_DIR uv.h)
find_library(LibNode_UV_LIBRARY uv)
mark_as_advanced(LibNode_UV_INCLUDE_DIR LibNode_UV_LIBRARY)
if(LibNode_COMPATIBLE AND NOT (LibNode_UV_INCLUDE_DIR AND LibNode_UV_LIBRARY))
  set(_libnode_problem "libuv's header or library is missing: install libuv1-dev.")
endif()

find_package_handle_standard_args(LibNode
  REQUIRED_VARS LibNode_LIBRARY LibNode_INCLUDE_DIR LibNode_COMPATIBLE LibNode_UV_LIBRARY LibNode_UV_INCLUDE_DIR
  VERSION_VAR LibNode_VERSION
  REASON_FAILURE_MESSAGE "${_libnode_problem}")

if(LibNode_FOUND AND NOT TARGET LibNode::LibNode)
  # Global: what links it (a static library) is itself linked from other folders.
  add_library(LibNode::LibNode SHARED IMPORTED GLOBAL)
  set_target_properties(LibNode::LibNode PROPERTIES
    IMPORTED_LOCATION "${LibNode_LIBRARY}"
    IMPORTED_SONAME "libnode.so.${LibNode_MODULE_VERSION}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibNode_INCLUDE_DIR};${LibNode_UV_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${LibNode_UV_LIBRARY}")
endif()
