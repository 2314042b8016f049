#include "daemon_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

namespace svc::machines {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr const char* kProgram = "bin/svc-hostd";
constexpr const char* kDescription = "lib/svc/programs/svc-hostd.json";
constexpr const char* kKernel = "lib/svc/libsvc_kernel.so";
/// What runs JavaScript, all of it, where that is the executable of Node.js (cmake/node).
constexpr std::array kRuntime{"lib/svc/programs/svc-hostd.so", "lib/svc/start.so",
                              "libexec/svc-runtime"};
/// Whole directories: libraries and scripts that a distribution does not have, and our own.
constexpr std::array kDirectories{"lib/svc/deps", "share/svc/nodejs", "share/svc/runtime"};

Error incomplete(const fs::path& prefix, const std::string& what) {
  return {errc::kNotFound,
          fmt::format("the server has no svc-hostd to give: {} is not below {}; install svc there "
                      "as a whole",
                      what, prefix.string())};
}

/// Every module that the program loads in one role or another.
std::set<std::string> modulesOf(const Json& description) {
  std::set<std::string> names;
  const auto add = [&names](const Json& list) {
    for (const auto& name : list.items()) {
      names.insert(name.asString());
    }
  };
  add(description["modules"]);
  for (const auto& [command, modules] : description["commands"].members()) {
    add(modules);
  }
  return names;
}

void addDirectory(const fs::path& prefix, const std::string& directory,
                  std::vector<std::string>& paths) {
  std::error_code failed;
  for (auto each = fs::recursive_directory_iterator(prefix / directory, failed);
       !failed && each != fs::recursive_directory_iterator(); each.increment(failed)) {
    if (each->is_regular_file(failed)) {
      paths.push_back(each->path().lexically_relative(prefix).string());
    }
  }
}

}  // namespace

Result<std::vector<DaemonFile>> daemonFiles(const fs::path& prefix) {
  std::ifstream in(prefix / kDescription, std::ios::binary);
  const auto description = Json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
  if (!description) {
    return incomplete(prefix, kDescription);
  }
  std::vector<std::string> paths{kProgram, kDescription, kKernel};
  for (const auto& module : modulesOf(description.value())) {
    paths.push_back("lib/svc/modules/" + module + ".so");
  }
  std::error_code none;
  if (fs::exists(prefix / kRuntime.front(), none)) {
    paths.insert(paths.end(), kRuntime.begin(), kRuntime.end());
  }
  for (const auto* directory : kDirectories) {
    addDirectory(prefix, directory, paths);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<DaemonFile> files;
  for (auto& path : paths) {
    std::error_code failed;
    // What runs may itself be an update: a link, which is packed as what it leads to.
    auto source = fs::canonical(prefix / path, failed);
    if (failed || !fs::is_regular_file(source, failed)) {
      return incomplete(prefix, path);
    }
    const bool executable =
        (fs::status(source, failed).permissions() & fs::perms::owner_exec) != fs::perms::none;
    files.push_back({std::move(path), std::move(source), executable});
  }
  return files;
}

}  // namespace svc::machines
