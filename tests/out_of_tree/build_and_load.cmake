# Run by the test of this folder. Input: BUILD_DIR, SOURCE_DIR, WORK_DIR, CXX_COMPILER, SANITIZE, COVERAGE.
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

set(flags "-Wall -Wextra -Werror")
if(SANITIZE)
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()
if(COVERAGE)
  string(APPEND flags " --coverage")
endif()
run("configure" ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/docs/examples/hello-module -B ${WORK_DIR}/build
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${flags}")
run("build" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)

# The installed program, so that the installed layout is proven as well. Configuration of the user must not leak in.
run("svcd --check" ${CMAKE_COMMAND} -E env XDG_CONFIG_HOME=${WORK_DIR}/config --unset=SVC_CONFIG --unset=SVC_DATA_DIR
    ${prefix}/bin/svcd --check --data-dir ${WORK_DIR}/data --modules http --modules.path=${WORK_DIR}/build
    --modules.add=hello --hello.greeting=Hi)
foreach(expected "hello 1.0.0  (${WORK_DIR}/build/hello.so)" "requires svc.http.Server 1 from http" "configuration: ok")
  string(FIND "${output}" "${expected}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "svcd --check does not say \"${expected}\":\n${output}")
  endif()
endforeach()

# Units, of people and of the machine, start the programs of the folder they were installed into, and have no gap left.
foreach(program svcd svc-hostd)
  foreach(kind user system)
    file(READ ${prefix}/lib/systemd/${kind}/${program}.service unit)
    string(FIND "${unit}" "\nExecStart=${prefix}/bin/${program}\n" at)
    if(at EQUAL -1 OR NOT EXISTS ${prefix}/bin/${program} OR unit MATCHES "@[A-Z_]+@")
      message(FATAL_ERROR "the unit does not start ${prefix}/bin/${program}:\n${unit}")
    endif()
  endforeach()
  if(NOT EXISTS ${prefix}/share/man/man1/${program}.1)
    message(FATAL_ERROR "there is no manual page of ${program}")
  endif()
endforeach()
find_program(SYSTEMD_ANALYZE systemd-analyze)
if(SYSTEMD_ANALYZE)
  run("systemd-analyze verify" ${CMAKE_COMMAND} -E env SYSTEMD_LOG_LEVEL=warning ${SYSTEMD_ANALYZE} verify --recursive-errors=no --man=no
      ${prefix}/lib/systemd/system/svcd.service ${prefix}/lib/systemd/system/svc-hostd.service)
endif()
