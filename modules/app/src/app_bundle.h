#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/http/encoding.h"
#include "svc/kernel/result.h"

namespace svc::app {

using http::Encoding;

/// A file that is served. Thread-safe; its bytes never change.
class ServedFile {
 public:
  ServedFile(std::string bytes, std::string content_type);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] const std::string& contentType() const { return content_type_; }
  /// The bytes in that encoding. Compresses once, which takes time: call it on a worker.
  [[nodiscard]] const std::string& encoded(Encoding encoding) const;

 private:
  const std::string bytes_;
  const std::string content_type_;
  mutable std::once_flag gzip_once_;
  mutable std::once_flag brotli_once_;
  mutable std::string gzip_;
  mutable std::string brotli_;
};

/// The app bundle of one plugin as it was in dist when it was read.
struct AppBundle {
  std::string hash;  ///< first 16 hex digits of the SHA-256 of app.js, app.css and app.meta.json
  std::shared_ptr<const ServedFile> js;
  std::shared_ptr<const ServedFile> css;  ///< null when there is none
  std::int64_t sdk_major = 0;
  std::string sdk_version;
  bool compatible = false;
  common::Json runtime_slots;  ///< array of names; null when the metadata does not say
};
using AppBundlePtr = std::shared_ptr<const AppBundle>;

/// Reads dist below the root. Null when there is no bundle, or when its metadata does not describe one of this plugin.
/// `too_large` names the limit. Blocks.
[[nodiscard]] Result<AppBundlePtr> readAppBundle(const std::filesystem::path& root,
                                                 const std::string& plugin_id);

/// What the record of the plugin shows of it, as registration "app".
[[nodiscard]] common::Json describe(const AppBundle& bundle, const std::string& plugin_id);

/// Compares dist/host.js with the digest in dist/host.meta.json. The error says what is wrong and what to do. Blocks.
[[nodiscard]] Status checkHostArtifact(const std::filesystem::path& root,
                                       const std::string& plugin_id);

/// Version of the SDK that built dist/<target>.meta.json; empty when that is not there or does not belong to the plugin.
[[nodiscard]] std::string builtWithSdk(const std::filesystem::path& root, std::string_view target,
                                       const std::string& plugin_id);

}  // namespace svc::app
