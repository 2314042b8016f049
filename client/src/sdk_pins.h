#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

#include "server_locator.h"

namespace svc::client {

inline constexpr std::string_view kSdkPackage = "@get-svc/plugin-sdk";

/// <prefix>/share/svc, beside the directory of this program.
[[nodiscard]] std::filesystem::path shareDir(const Environment& environment);

/// The SDK that this program carries, and the packages the app window supplies.
struct CarriedSdk {
  std::string version;
  /// Its files, as they are below `dist` of the package.
  std::filesystem::path files;
  /// `npm install` takes it in place of the registry's copy.
  std::filesystem::path tarball;
  /// Package name → exact version.
  std::map<std::string, std::string> runtime_packages;
};

/// From <share>/sdk. The error says which file is missing or damaged: the installation is incomplete.
[[nodiscard]] Result<CarriedSdk> readCarriedSdk(const std::filesystem::path& share);

struct PinChange {
  std::string name;
  std::string from;  ///< "none" when the package is not declared
  std::string to;
};

/// Sets the exact pins in `devDependencies` of a package.json and takes those packages out of `dependencies`. The SDK
/// is added when it is missing; packages of the window only change where they are declared. The SDK comes first.
[[nodiscard]] std::vector<PinChange> applyPins(common::Json& manifest, const CarriedSdk& sdk);

inline constexpr const char* kDependencies = "dependencies";
inline constexpr const char* kDevDependencies = "devDependencies";
/// Declares a package in the block unless one of the two has it; true when it was missing.
[[nodiscard]] bool declareMissing(common::Json& manifest, const char* block,
                                  const std::string& name, const std::string& range);

/// One line when the manifest pins another SDK than the carried one; empty otherwise.
[[nodiscard]] std::string pinWarning(const common::Json& manifest, const CarriedSdk& sdk);

/// A package.json or lock file: its text, for the way it is written, and its content.
struct PackageFile {
  std::filesystem::path path;
  std::string text;
  common::Json json;
};

/// `not_found` when it cannot be read, `invalid_argument` when it is not a JSON object.
[[nodiscard]] Result<PackageFile> readJsonFile(const std::filesystem::path& path);
/// <directory>/package.json
[[nodiscard]] Result<PackageFile> readPackageFile(const std::filesystem::path& directory);
/// Replaces the file as a whole; indentation and the newline at the end stay as they were.
[[nodiscard]] Status writePackageFile(const PackageFile& file);

}  // namespace svc::client
