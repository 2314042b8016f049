#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// A component that authors take into their plugins as source (scaffold/registry).
struct RegistryItem {
  struct File {
    std::filesystem::path path;  ///< relative to the plugin
    std::string content;
  };
  /// A package and the range that package.json declares.
  struct Package {
    std::string name;
    std::string range;
  };
  std::string name;
  std::vector<File> files;
  std::vector<std::string> needs;  ///< names of other items
  std::vector<Package> dependencies;
  std::vector<Package> dev_dependencies;
};

struct RegistryEntry {
  std::string name;
  std::string description;
};

/// <share>/registry, which svcd serves, too: files in the format of the shadcn command.
class ComponentRegistry {
 public:
  explicit ComponentRegistry(std::filesystem::path share) : directory_(share / "registry") {}

  /// Ascending by name; the error says which file of the installation is missing or damaged.
  [[nodiscard]] Result<std::vector<RegistryEntry>> list() const;
  /// These and all that they need, each once; those that were asked for come first. `names` are in the list.
  [[nodiscard]] Result<std::vector<RegistryItem>> resolve(std::vector<std::string> names) const;

 private:
  [[nodiscard]] Result<RegistryItem> read(const std::string& name) const;

  std::filesystem::path directory_;
};

}  // namespace svc::client
