#include "plugin_files.h"

#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kManifestFile = 1024UL * 1024;
constexpr std::uintmax_t kLogoFile = 256UL * 1024;
constexpr std::uintmax_t kIconFile = 32UL * 1024;

Result<std::string> readManifestFile(const fs::path& path) {
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

bool isInside(const fs::path& root, const fs::path& path) {
  const auto relative = path.lexically_relative(root);
  return !relative.empty() && *relative.begin() != "..";
}

Status checkSize(const fs::path& root, std::string_view key, const std::string& relative,
                 std::string_view limit_name, std::uintmax_t limit) {
  if (relative.empty()) {
    return {};
  }
  if (auto status = checkFile(root, key, relative); !status) {
    return status;
  }
  std::error_code failure;
  const auto size = fs::file_size(root / relative, failure);
  if (!failure && size > limit) {
    return Error{errc::kInvalidArgument,
                 fmt::format("package.json: {}: \"{}\" has {} bytes, the limit {} is {}", key,
                             relative, size, limit_name, limit)};
  }
  return {};
}

}  // namespace

Status checkFile(const fs::path& root, std::string_view key, std::string_view relative) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  const auto real = failure ? fs::path() : fs::canonical(root / relative, failure);
  if (failure) {
    return Error{errc::kNotFound, fmt::format("package.json: {}: \"{}\" cannot be read: {}", key,
                                              relative, failure.message())};
  }
  if (!isInside(real_root, real)) {
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
  std::error_code failure;
  if (!fs::is_directory(root, failure)) {
    return Error{kNoDirectory, fmt::format("plugin directory not found: {}", root.string())};
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

Status checkBranding(const fs::path& root, const Branding& branding) {
  const std::array checks{
      checkSize(root, "svc.branding.icon", branding.icon_file, "iconFile", kIconFile),
      checkSize(root, "svc.branding.logo.light", branding.logo_light, "logo", kLogoFile),
      checkSize(root, "svc.branding.logo.dark", branding.logo_dark, "logo", kLogoFile),
  };
  for (const auto& check : checks) {
    if (!check) {
      return check;
    }
  }
  for (const auto& [name, path] : branding.icons) {
    auto status =
        checkSize(root, "svc.branding.experimental_icons." + name, path, "iconFile", kIconFile);
    if (!status) {
      return status;
    }
  }
  return {};
}

Status makePrivateDirectory(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (!failure) {
    fs::permissions(directory, fs::perms::owner_all, failure);
  }
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot create {}: {}", directory.string(), failure.message())};
  }
  return {};
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
