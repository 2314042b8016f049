#include "server_artifact.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/plugins/versions.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuilt = "dist/server.js";
constexpr std::uintmax_t kMetaFile = 64UL * 1024;

std::int64_t sdkMajor() {
  std::int64_t major = -1;
  std::from_chars(kSdkVersion.data(), kSdkVersion.data() + kSdkVersion.size(), major);
  return major;
}

common::Json readMeta(const fs::path& file) {
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure || size > kMetaFile) {
    return {};
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto parsed = common::Json::parse(text);
  return parsed ? std::move(parsed).value() : common::Json();
}

}  // namespace

ServerArtifact chooseServer(const fs::path& root, const Manifest& manifest,
                            const std::string& source_kind) {
  // A bundled plugin whose author has built it is loaded from that, any other as it is.
  std::error_code failure;
  const bool in_place = source_kind.empty() || source_kind == "path" ||
                        (source_kind == "builtin" && !fs::exists(root / kBuilt, failure));
  if (in_place) {
    return {manifest.server, ""};
  }
  if (!fs::is_regular_file(root / kBuilt, failure)) {
    if (source_kind == "git") {
      return {manifest.server,
              ""};  // a repository has its source, and nothing in it has to be built
    }
    return {manifest.server, fmt::format("the package has no {}: {} is loaded from source", kBuilt,
                                         manifest.server)};
  }
  const auto meta = readMeta(root / "dist/server.meta.json");
  if (meta["pluginId"].asString() != manifest.id || meta["sdkMajor"].asInteger(-1) != sdkMajor() ||
      meta["artifactFormatVersion"].asInteger() != 1) {
    return {manifest.server, fmt::format("{} was not built for SDK {}: {} is loaded from source",
                                         kBuilt, kSdkVersion, manifest.server)};
  }
  return {kBuilt, ""};
}

}  // namespace svc::plugins
