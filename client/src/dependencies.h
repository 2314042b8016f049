#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/common/limits/builds.h"

#include "child_process.h"
#include "sdk_pins.h"

namespace svc::client {

/// What a person types to do the same.
inline constexpr std::string_view kInstallCommand = "npm install --include=dev";

/// Where npm finds the pinned SDK.
enum class Registry { kHasSdk, kLacksSdk, kUnreachable };

struct InstallReport {
  enum class Outcome { kInstalled, kFailed, kInterrupted };
  Outcome outcome = Outcome::kInstalled;
  Registry registry = Registry::kHasSdk;
  /// Why it failed, and the end of what npm printed.
  std::string problem;
  std::vector<std::string> tail;
};

/// node_modules/<package> of the directory or of one above it.
[[nodiscard]] std::optional<std::filesystem::path> resolvePackage(const std::filesystem::path& from,
                                                                  const std::string& package);

/// The dependencies of one plugin directory, installed by the machine's npm.
class Dependencies {
 public:
  Dependencies(IChildRunner& children, const CarriedSdk& sdk, std::filesystem::path directory)
      : children_(children), sdk_(sdk), directory_(std::move(directory)) {}

  /// Asks the registry for the carried SDK's version.
  [[nodiscard]] Registry askRegistry();
  /// Installs everything that package.json declares; package.json stays as it is. The SDK pin must be the carried
  /// version: its copy is taken where the registry has none. Without a registry everything comes from npm's cache.
  [[nodiscard]] InstallReport install(Registry registry, const IChildRunner::Tick& tick);

  /// Version of the SDK in node_modules; empty when there is none.
  [[nodiscard]] std::string installedSdk() const;
  /// Removes an SDK of the carried version that an interrupted install left in part: npm takes the version for all of it. True when
  /// there was one. A link, as that of a workspace, is left alone.
  [[nodiscard]] bool removePartOfSdk() const;
  /// Declared packages that do not resolve from the directory, as Node looks for them.
  [[nodiscard]] std::vector<std::string> missing(const common::Json& manifest) const;

 private:
  [[nodiscard]] InstallReport runNpm(const std::vector<std::string>& further,
                                     const IChildRunner::Tick& tick);
  void writeLock();

  IChildRunner& children_;
  const CarriedSdk& sdk_;
  std::filesystem::path directory_;
};

/// The command that does the same by hand.
[[nodiscard]] std::string installCommand(Registry registry, const CarriedSdk& sdk);
/// "… is the copy that comes with this svc; the registry does not have it."; empty when the registry has it.
[[nodiscard]] std::string carriedNote(Registry registry, const CarriedSdk& sdk);

/// The last non-empty lines of a program's output, at most limits::kNpmTail, safe for a terminal.
[[nodiscard]] std::vector<std::string> lastLines(std::string_view output);

}  // namespace svc::client
