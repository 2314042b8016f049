#include "linked_packages.h"

#include <array>
#include <system_error>

#include "sdk_pins.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackages = "node_modules";

bool isLinkToOwnCode(const fs::path& package) {
  std::error_code failure;
  const auto target =
      fs::is_symlink(package, failure) ? fs::canonical(package, failure) : fs::path();
  return !failure && fs::is_directory(target, failure) &&
         target.string().find("/node_modules/") == std::string::npos;
}

}  // namespace

std::vector<std::string> linkedPackages(const fs::path& plugin) {
  std::vector<std::string> links;
  const auto file = readPackageFile(plugin);
  if (!file) {
    return links;
  }
  for (const auto* block : {kDependencies, kDevDependencies}) {
    for (const auto& [name, wanted] : file.value().json[block].members()) {
      if (name.find("..") != std::string::npos) {
        continue;
      }
      std::error_code failure;
      auto up = fs::path();
      for (auto folder = fs::absolute(plugin).lexically_normal();; up /= "..") {
        const auto package = folder / kPackages / name;
        if (fs::exists(fs::symlink_status(package, failure))) {
          if (isLinkToOwnCode(package)) {
            links.push_back((up / kPackages / name).string());
          }
          break;
        }
        if (folder == folder.parent_path()) {
          break;
        }
        folder = folder.parent_path();
      }
    }
  }
  return links;
}

}  // namespace svc::client
