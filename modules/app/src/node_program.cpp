#include "node_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

namespace svc::app {
namespace {

bool isProgram(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool isOnPath(const std::string& name) {
  // Nobody changes the environment. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* const variable = std::getenv("PATH");
  const std::string path(variable == nullptr ? "" : variable);
  for (std::size_t start = 0; start < path.size();) {
    const auto end = std::min(path.find(':', start), path.size());
    if (isProgram(std::filesystem::path(path.substr(start, end - start)) / name)) {
      return true;
    }
    start = end + 1;
  }
  return false;
}

}  // namespace

Status isNodeProgram(const IConfig& config, std::string_view key) {
  const auto program = config.getString(key);
  if (program.empty()) {
    return Error{errc::kInvalidArgument, "expected the name or path of a program, got \"\""};
  }
  const bool is_path = program.find('/') != std::string::npos;
  const bool found =
      is_path ? isProgram(program) : config.origin(key) == "default" || isOnPath(program);
  return found ? Status()
               : Status(Error{errc::kUnavailable,
                              fmt::format("expected a program, got \"{}\", which {}", program,
                                          is_path ? "is no executable file" : "is not on PATH")});
}

}  // namespace svc::app
