#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "svc/plugins/versions.h"

#include "app_bundle.h"

namespace svc::app {

/// A plugin directory with a dist, removed at the end of the test.
class DistDirectory {
 public:
  DistDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "svc-app-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  DistDirectory(const DistDirectory&) = delete;
  DistDirectory& operator=(const DistDirectory&) = delete;
  ~DistDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  static std::string appMeta(std::string_view id = "todo",
                             std::string_view sdk = plugins::kSdkVersion, int major = 0,
                             int format = 1) {
    return R"({"sdkMajor":)" + std::to_string(major) + R"(,"sdkVersion":")" + std::string(sdk) +
           R"(","artifactFormatVersion":)" + std::to_string(format) + R"(,"pluginId":")" +
           std::string(id) + R"(","pluginVersion":"1.0.0","runtimeSlots":[]})";
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  void write(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  void writeApp(std::string_view js) const { writeApp(js, appMeta()); }
  void writeApp(std::string_view js, const std::string& meta) const {
    write("dist/app.js", js);
    write("dist/app.meta.json", meta);
  }
  /// Sets the time of a file to so many seconds after a moment that is the same for all.
  void setTime(const std::filesystem::path& file, int seconds) const {
    // Long before anything else a test writes.
    static const auto moment =
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
    std::filesystem::last_write_time(root_ / file, moment + std::chrono::seconds(seconds));
  }

 private:
  std::filesystem::path root_;
};

/// A bundle that was never on disk.
inline AppBundlePtr makeBundle(const std::string& hash, std::string js = "js",
                               const std::string& css = "") {
  auto bundle = std::make_shared<AppBundle>();
  bundle->hash = hash;
  bundle->js = std::make_shared<const ServedFile>(std::move(js), "text/javascript; charset=utf-8");
  if (!css.empty()) {
    bundle->css = std::make_shared<const ServedFile>(css, "text/css; charset=utf-8");
  }
  return bundle;
}

}  // namespace svc::app
