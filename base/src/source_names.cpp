#include "svc/base/source_names.h"

namespace svc::base {

bool isIgnoredDirectory(std::string_view name) {
  return name == "dist" || name == "node_modules" || name == ".git";
}

bool isIgnoredFile(std::string_view name) {
  const bool vim = name.starts_with('.') &&
                   (name.ends_with(".swp") || name.ends_with(".swx") || name.ends_with(".swo"));
  const bool emacs = name.starts_with(".#") || (name.starts_with('#') && name.ends_with('#'));
  return vim || emacs || name.ends_with('~') || name == ".DS_Store" || isIgnoredDirectory(name);
}

bool isIgnoredSource(const std::string& path, bool is_directory) {
  const auto name = std::string_view(path).substr(path.rfind('/') + 1);
  return is_directory ? isIgnoredDirectory(name) : isIgnoredFile(name);
}

}  // namespace svc::base
