#include "launch.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace svc::node {

int launch(char** argv) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const auto root = self.parent_path().parent_path();
  const auto program = root / "lib/svc/programs" / (self.filename().string() + ".so");
  const auto runtime = root / "libexec/svc-runtime";
  // The process has one thread. NOLINTNEXTLINE(concurrency-mt-unsafe)
  ::setenv(kProgramVariable, program.c_str(), 1);
  ::execv(runtime.c_str(), argv);
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  std::fprintf(stderr, "%s: %s: %s\n", argv[0], runtime.c_str(), std::strerror(errno));
  constexpr int kNotStarted = 1;
  return kNotStarted;
}

}  // namespace svc::node
