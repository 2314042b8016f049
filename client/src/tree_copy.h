#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::client {

/// How a tree of texts changes on the way. Both get the path relative to the tree.
struct TreeCopy {
  std::function<std::filesystem::path(const std::filesystem::path&)> name;
  std::function<std::string(const std::filesystem::path&, std::string)> text;
};

/// Everything below `from` into the directory `to`. `from` ships with the service, so that a missing one is a damaged installation. New
/// files have the permissions of new files: what is installed may be read-only.
[[nodiscard]] Status copyTree(const std::filesystem::path& from, const std::filesystem::path& to,
                              const TreeCopy& copy);
/// One file as it is.
[[nodiscard]] Status copyText(const std::filesystem::path& from, const std::filesystem::path& to);

/// What is there is replaced.
[[nodiscard]] Status writeText(const std::filesystem::path& file, std::string_view text);

[[nodiscard]] Result<std::string> readShipped(const std::filesystem::path& file);
[[nodiscard]] Error cannotWrite(const std::filesystem::path& path, int reason);

}  // namespace svc::client
