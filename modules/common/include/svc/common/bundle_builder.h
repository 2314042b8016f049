#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/limits/builds.h"
#include "svc/kernel/result.h"

/// The bundles of a plugin, built by a process of its own. Server and command line use it alike.
namespace svc::common {

enum class BuildTarget : std::uint8_t { kServer, kApp, kHost };

/// "server", "app", "host".
[[nodiscard]] std::string_view targetName(BuildTarget target);

struct BuildRequest {
  std::filesystem::path root;
  /// Built in this order, up to the first that fails; files are replaced when all are built. One whose entry the manifest
  /// does not declare is left out.
  std::vector<BuildTarget> targets;
  /// False in a development loop: readable code with an inline source map.
  bool minify = true;
  /// Of a package that nobody trusts yet: nothing of it runs in the build.
  bool foreign = false;
};

struct BuildMessage {
  std::string text;
  std::string file{};         ///< relative to the root; empty when there is no place
  std::int64_t line = 0;      ///< from 1
  std::int64_t column = 0;    ///< from 1
  std::string source_line{};  ///< the text at that place
  std::int64_t length = 0;    ///< characters from `column` on
};

struct BuiltFile {
  std::string path;  ///< relative to the root
  std::uint64_t bytes = 0;
};

/// What became of one target that the manifest declares.
struct TargetReport {
  BuildTarget target = BuildTarget::kApp;
  std::chrono::milliseconds took{};
  std::vector<BuiltFile> files{};  ///< empty when it failed: what was there is untouched
  std::vector<BuildMessage> warnings{};
  std::vector<BuildMessage> errors{};
};

struct BuildReport {
  std::vector<TargetReport> targets;

  /// The target that failed, or null.
  [[nodiscard]] const TargetReport* failed() const;
};

/// "app.tsx:3:7: No matching export …".
[[nodiscard]] std::string shortText(const BuildMessage& message);
/// The same with the source line below it and a mark under the place.
[[nodiscard]] std::string codeFrame(const BuildMessage& message);
/// All errors of a target, short, joined by "; "; at most three of them.
[[nodiscard]] std::string failureText(const TargetReport& report);

/// Runs the builder process and talks to it. The process starts with the first build and is kept for further ones, so
/// that a development loop builds warm. Every call blocks; one thread at a time.
class BundleBuilder {
 public:
  struct Options {
    /// Program that runs the builder: Node.js 20 or newer.
    std::string node = "node";
    /// Directory with build.mjs and its packages: share/svc/toolchain.
    std::filesystem::path toolchain;
    /// Where the packages are installed, once, when that directory does not have them; empty = nowhere.
    std::filesystem::path installed_toolchains{};
    /// For one target; the process is killed when it takes longer.
    std::chrono::milliseconds limit = limits::kBuild;
  };
  explicit BundleBuilder(Options options);
  BundleBuilder(const BundleBuilder&) = delete;
  BundleBuilder& operator=(const BundleBuilder&) = delete;
  ~BundleBuilder();

  /// A build that fails is a report. Errors: `unavailable` (no suitable Node.js, the process ended), `timeout`, `aborted`.
  /// `progress` gets one line per step.
  [[nodiscard]] Result<BuildReport> build(
      const BuildRequest& request, const std::stop_token& stop = {},
      const std::function<void(const std::string& step)>& progress = {});

 private:
  class Process;

  using Progress = std::function<void(const std::string& step)>;

  [[nodiscard]] Status ensureProcess();
  [[nodiscard]] Result<BuildReport> attempt(const BuildRequest& request,
                                            const std::stop_token& stop, const Progress& progress);

  Options options_;
  std::unique_ptr<Process> process_;
  std::uint64_t last_request_ = 0;
};

}  // namespace svc::common
