// The executable of Node.js (make_runtime.mjs) begins here: the program that its launcher names runs in it.
#include <dlfcn.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "launch.h"

namespace {

using Main = int (*)(int, char**, char**);

int refuse(const std::string& why) {
  std::fprintf(stderr, "svc-runtime: %s\n", why.c_str());
  return 1;
}

}  // namespace

// NOLINTBEGIN(concurrency-mt-unsafe): the process has one thread
extern "C" [[gnu::visibility("default")]] int main(int argc, char** argv, char** environment) {
  const char* named = std::getenv(svc::node::kProgramVariable);
  if (named == nullptr) {
    return refuse("it is started by svcd and svc-hostd, which say what runs in it");
  }
  const std::filesystem::path program = named;
  ::unsetenv(svc::node::kProgramVariable);
  ::prctl(PR_SET_NAME, program.stem().c_str());
  auto* const library = ::dlopen(program.c_str(), RTLD_NOW);
  if (library == nullptr) {
    return refuse(::dlerror());
  }
  const auto run = reinterpret_cast<Main>(::dlsym(library, "main"));
  return run == nullptr ? refuse(program.string() + " has no main()")
                        : run(argc, argv, environment);
}
// NOLINTEND(concurrency-mt-unsafe)
