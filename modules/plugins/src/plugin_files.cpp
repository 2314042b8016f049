#include "plugin_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/path_bounds.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kManifestFile = 1024UL * 1024;

Result<std::string> readManifestFile(const fs::path& path) {
  if (const auto unread = base::unreadable(path)) {
    return Error{kNoManifest, unread->message};
  }
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  if (failure) {
    return Error{kNoManifest, fmt::format("package.json cannot be read in {}: {}",
                                          path.parent_path().string(), failure.message())};
  }
  if (size > kManifestFile) {
    return Error{kNoManifest, fmt::format("package.json has {} bytes, at most {} are read", size,
                                          kManifestFile)};
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{kNoManifest, fmt::format("{} cannot be read", path.string())};
  }
  return bytes;
}

bool isDevice(fs::file_type type) {
  return type == fs::file_type::block || type == fs::file_type::character;
}

Status refuseSpecial(const fs::path& root, const fs::path& file) {
  std::error_code gone;
  const auto type = fs::status(file, gone).type();  // links followed
  if (type != fs::file_type::fifo && !isDevice(type)) {
    return {};
  }
  return Error{
      errc::kInvalidArgument,
      fmt::format("{} in the plugin's directory is a {}: remove it, a plugin has files, "
                  "directories and links",
                  file.lexically_relative(root).string(), isDevice(type) ? "device" : "FIFO")};
}

/// Of dependencies only what a build opens to find them: the rest may be a hundred thousand files.
Status refuseSpecialPackages(const fs::path& root, const fs::path& packages) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(packages, failure)) {
    const bool scope = entry.path().filename().string().starts_with('@');
    auto status = scope ? refuseSpecialPackages(root, entry.path())
                        : refuseSpecial(root, entry.path() / "package.json");
    if (status && !scope && !entry.is_symlink(failure)) {
      status = refuseSpecialPackages(root, entry.path() / "node_modules");
    }
    if (!status) {
      return status;
    }
  }
  return {};
}

/// Whoever reads a FIFO waits for a writer, and a device need not end: nothing of a plugin may open either.
Status refuseSpecialFiles(const fs::path& root) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    const auto name = entry->path().filename();
    if (name == "node_modules" || name == ".git") {
      entry.disable_recursion_pending();
    }
    const auto status = name == "node_modules" ? refuseSpecialPackages(root, entry->path())
                                               : refuseSpecial(root, entry->path());
    if (!status) {
      return status;
    }
  }
  return {};
}

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

bool isInside(const fs::path& root, const fs::path& path) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  const auto real = failure ? fs::path() : fs::canonical(path, failure);
  return !failure && base::isWithin(real.native(), real_root.native());
}

Status checkFile(const fs::path& root, std::string_view key, std::string_view relative) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  const auto real = failure ? fs::path() : fs::canonical(root / relative, failure);
  if (failure) {
    return Error{errc::kNotFound, fmt::format("package.json: {}: \"{}\" cannot be read: {}", key,
                                              relative, failure.message())};
  }
  if (!base::isWithin(real.native(), real_root.native())) {
    return Error{kPathEscape,
                 fmt::format("package.json: {}: \"{}\" is a link that leaves the plugin directory",
                             key, relative)};
  }
  if (!fs::is_regular_file(real, failure)) {
    return Error{errc::kNotFound,
                 fmt::format("package.json: {}: \"{}\" is not a file", key, relative)};
  }
  return {};
}

Result<ParsedManifest> readPlugin(const fs::path& root) {
  if (const auto unread = base::unreadable(root)) {
    return Error{kNoManifest, unread->message};
  }
  std::error_code failure;
  if (!fs::is_directory(root, failure)) {
    return Error{kNoDirectory, fmt::format("plugin directory not found: {}", root.string())};
  }
  if (auto status = refuseSpecialFiles(root); !status) {
    return std::move(status).error();
  }
  auto bytes = readManifestFile(root / "package.json");
  if (!bytes) {
    return std::move(bytes).error();
  }
  auto parsed = parseManifest(bytes.value());
  if (!parsed) {
    return parsed;
  }
  const auto& manifest = parsed.value().manifest;
  const std::array<std::pair<std::string_view, const std::string*>, 3> entries{
      {{"svc.server", &manifest.server}, {"svc.app", &manifest.app}, {"svc.host", &manifest.host}}};
  for (const auto& [key, path] : entries) {
    if (path->empty()) {
      continue;
    }
    if (auto status = checkFile(root, key, *path); !status) {
      return std::move(status).error();
    }
  }
  return parsed;
}

Status removePluginData(const fs::path& directory, bool purge) {
  std::error_code failure;
  if (purge) {
    fs::remove_all(directory, failure);
  } else {
    for (const auto* part : {"secrets", "cache"}) {
      fs::remove_all(directory / part, failure);
      if (failure) {
        break;
      }
    }
  }
  if (failure) {
    return Error{errc::kUnavailable, fmt::format("cannot delete files of {}: {}",
                                                 directory.string(), failure.message())};
  }
  return {};
}

std::size_t characterCount(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string firstCharacters(std::string text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (startsCharacter(text[end]) && seen++ == count) {
      break;
    }
  }
  text.resize(end);
  return text;
}

std::string sizeText(std::uintmax_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"kB", "MB", "GB", "TB"};
  constexpr double kStep = 1000;
  if (bytes < 1000) {
    return fmt::format("{} bytes", bytes);
  }
  auto value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  while (value >= kStep && unit + 1 < kUnits.size()) {
    value /= kStep;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

}  // namespace svc::plugins
