#include "app_bundle.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <Poco/DeflatingStream.h>
#include <Poco/SHA2Engine.h>
#include <brotli/encode.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"
#include "svc/plugins/versions.h"

namespace svc::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 16;
constexpr std::int64_t kFormatVersion = 1;
constexpr std::size_t kMetaFile = 64UL * 1024;

/// Nothing when there is no such file; an error when it is larger than the limit or cannot be read.
Result<std::optional<std::string>> readFile(const fs::path& path, std::size_t limit,
                                            std::string_view limit_name) {
  using Text = std::optional<std::string>;
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  if (failure) {
    return Text();
  }
  if (size > limit) {
    return Error{errc::kTooLarge, fmt::format("dist/{} has {} bytes, limit {} is {}",
                                              path.filename().string(), size, limit_name, limit)};
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{errc::kUnavailable, fmt::format("{} cannot be read", path.string())};
  }
  return Text(std::move(bytes));
}

std::int64_t majorOf(std::string_view version) {
  std::int64_t major = -1;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

/// The metadata when it is complete and about this plugin; null otherwise.
common::Json readMeta(const std::string& text, const std::string& plugin_id) {
  auto parsed = common::Json::parse(text);
  if (!parsed) {
    return {};
  }
  auto meta = std::move(parsed).value();
  const bool valid = meta["sdkMajor"].isInteger() && meta["sdkVersion"].isString() &&
                     meta["artifactFormatVersion"].isInteger() &&
                     meta["pluginId"].asString() == plugin_id &&
                     meta["sdkMajor"].asInteger() == majorOf(meta["sdkVersion"].asString());
  return valid ? std::move(meta) : common::Json();
}

/// What is no list of names counts as not said.
common::Json readSlots(const common::Json& slots) {
  const auto& items = slots.items();
  return std::all_of(items.begin(), items.end(),
                     [](const common::Json& slot) { return slot.isString(); })
             ? slots
             : common::Json();
}

bool fits(const common::Json& meta) {
  return meta["sdkMajor"].asInteger() == majorOf(plugins::kSdkVersion) &&
         meta["artifactFormatVersion"].asInteger() == kFormatVersion;
}

std::string compressGzip(const std::string& bytes) {
  std::ostringstream out;
  Poco::DeflatingOutputStream deflater(out, Poco::DeflatingStreamBuf::STREAM_GZIP);
  deflater << bytes;
  deflater.close();
  return std::move(out).str();
}

std::string compressBrotli(const std::string& bytes) {
  // Higher qualities take seconds for a megabyte, and somebody waits for the first answer.
  constexpr int kQuality = 6;
  auto size = BrotliEncoderMaxCompressedSize(bytes.size());
  std::string out(size, '\0');
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): the library speaks in bytes
  const auto done =
      BrotliEncoderCompress(kQuality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, bytes.size(),
                            reinterpret_cast<const std::uint8_t*>(bytes.data()), &size,
                            reinterpret_cast<std::uint8_t*>(out.data()));
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  out.resize(done == BROTLI_TRUE ? size : 0);
  return out;
}

std::string hexDigest(Poco::SHA2Engine& engine) {
  return Poco::DigestEngine::digestToHex(engine.digest());
}

}  // namespace

ServedFile::ServedFile(std::string bytes, std::string content_type)
    : bytes_(std::move(bytes)), content_type_(std::move(content_type)) {}

const std::string& ServedFile::encoded(Encoding encoding) const {
  switch (encoding) {
    case Encoding::kGzip:
      std::call_once(gzip_once_, [this] { gzip_ = compressGzip(bytes_); });
      return gzip_;
    case Encoding::kBrotli:
      std::call_once(brotli_once_, [this] { brotli_ = compressBrotli(bytes_); });
      return brotli_;
    case Encoding::kIdentity:
      break;
  }
  return bytes_;
}

Result<AppBundlePtr> readAppBundle(const fs::path& root, const std::string& plugin_id) {
  const auto dist = root / "dist";
  auto js = readFile(dist / "app.js", limits::kBundleJs, "bundle-js");
  auto css = readFile(dist / "app.css", limits::kBundleCss, "bundle-css");
  auto meta_text = readFile(dist / "app.meta.json", kMetaFile, "of metadata");
  for (const auto* part : {&js, &css, &meta_text}) {
    if (!*part) {
      return part->error();
    }
  }
  if (!js.value() || !meta_text.value()) {
    return AppBundlePtr();
  }
  const auto meta = readMeta(*meta_text.value(), plugin_id);
  if (meta.isNull()) {
    return AppBundlePtr();
  }
  Poco::SHA2Engine engine;
  engine.update(*js.value());
  engine.update(css.value().value_or(""));
  engine.update(*meta_text.value());
  auto bundle = std::make_shared<AppBundle>();
  bundle->hash = hexDigest(engine).substr(0, kHashDigits);
  bundle->js =
      std::make_shared<const ServedFile>(*std::move(js).value(), "text/javascript; charset=utf-8");
  if (css.value()) {
    bundle->css =
        std::make_shared<const ServedFile>(*std::move(css).value(), "text/css; charset=utf-8");
  }
  bundle->sdk_major = meta["sdkMajor"].asInteger();
  bundle->sdk_version = meta["sdkVersion"].asString();
  bundle->compatible = fits(meta);
  bundle->runtime_slots = readSlots(meta["runtimeSlots"]);
  return AppBundlePtr(std::move(bundle));
}

common::Json describe(const AppBundle& bundle, const std::string& plugin_id) {
  const auto url = [&](std::string_view file) {
    return fmt::format("/api/v1/plugins/{}/assets/{}?h={}", plugin_id, file, bundle.hash);
  };
  auto out = common::Json::object()
                 .set("jsUrl", url("app.js"))
                 .set("cssUrl", bundle.css ? common::Json(url("app.css")) : common::Json())
                 .set("hash", bundle.hash)
                 .set("jsBytes", static_cast<std::uint64_t>(bundle.js->bytes().size()))
                 .set("sdkMajor", bundle.sdk_major)
                 .set("sdkVersion", bundle.sdk_version)
                 .set("compatible", bundle.compatible);
  if (bundle.runtime_slots.isArray()) {
    out.set("runtimeSlots", bundle.runtime_slots);
  }
  return out;
}

Status checkHostArtifact(const fs::path& root, const std::string& plugin_id) {
  constexpr std::string_view kRemedy = "build it again with `svc plugin build`";
  const auto dist = root / "dist";
  auto meta_text = readFile(dist / "host.meta.json", kMetaFile, "of metadata");
  auto js = readFile(dist / "host.js", limits::kArtifact, "artifact");
  for (const auto* part : {&meta_text, &js}) {
    if (!*part) {
      return part->error();
    }
  }
  if (!js.value() || js.value()->empty() || !meta_text.value()) {
    return Error{errc::kNotFound,
                 fmt::format("the host entry has no built dist/host.js and dist/host.meta.json; {}",
                             kRemedy)};
  }
  const auto meta = readMeta(*meta_text.value(), plugin_id);
  if (meta.isNull()) {
    return Error{
        errc::kInvalidArgument,
        fmt::format("dist/host.meta.json does not describe a host bundle of plugin \"{}\"; {}",
                    plugin_id, kRemedy)};
  }
  if (!fits(meta)) {
    return Error{errc::kInvalidArgument,
                 fmt::format("dist/host.js was built for SDK {}, this service has {}; {}",
                             meta["sdkVersion"].asString(), plugins::kSdkVersion, kRemedy)};
  }
  Poco::SHA2Engine engine;
  engine.update(*js.value());
  const auto digest = hexDigest(engine);
  if (const auto& declared = meta["artifactDigest"].asString(); declared != digest) {
    return Error{
        errc::kInvalidArgument,
        fmt::format("dist/host.js does not match host.meta.json: its SHA-256 is {}, declared is "
                    "\"{}\"; {}",
                    digest, declared, kRemedy)};
  }
  return {};
}

std::string builtWithSdk(const fs::path& root, std::string_view target,
                         const std::string& plugin_id) {
  const auto text = readFile(root / "dist" / fmt::format("{}.meta.json", target), kMetaFile, "");
  if (!text || !text.value()) {
    return {};
  }
  return readMeta(*text.value(), plugin_id)["sdkVersion"].asString();
}

}  // namespace svc::app
