#include "node_sources.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

namespace svc::jsruntime {
namespace {

constexpr std::string_view kOfDistribution = "/usr/share/nodejs/";

/// lib/svc/modules/jsruntime.so → share/svc/nodejs
std::filesystem::path ownFolder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&ownFolder), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  const auto library = std::filesystem::absolute(info.dli_fname, ignored);
  return library.parent_path().parent_path().parent_path().parent_path() / "share/svc/nodejs";
}

bool isThere(const char* path) { return ::access(path, F_OK) == 0; }

}  // namespace

const NodeSources& NodeSources::ofThisProgram() {
  static const NodeSources sources{ownFolder()};
  return sources;
}

std::string NodeSources::insteadOf(const char* path) const {
  if (path == nullptr || own_.empty() || !std::string_view(path).starts_with(kOfDistribution) ||
      isThere(path)) {
    return {};
  }
  auto own = (own_ / std::string_view(path).substr(kOfDistribution.size())).string();
  return isThere(own.c_str()) ? own : std::string();
}

}  // namespace svc::jsruntime
