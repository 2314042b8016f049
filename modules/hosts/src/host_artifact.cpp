#include "host_artifact.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <Poco/SHA2Engine.h>
#include <Poco/UUIDGenerator.h>
#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/builds.h"

namespace svc::hosts {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMetaFile = 64UL * 1024;
/// Of a larger one the decoding would hold up everybody else on the io thread.
constexpr std::size_t kMapFile = 8UL * 1024 * 1024;
constexpr std::string_view kRemedy = "build it again with `svc plugin build`";

Result<std::string> readFile(const fs::path& path, std::size_t limit, std::string_view limit_name) {
  const auto name = path.filename().string();
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  if (failure) {
    return Error{errc::kLoadFailed,
                 fmt::format("host bundle: there is no dist/{}; {}", name, kRemedy)};
  }
  if (size > limit) {
    return Error{errc::kLoadFailed, fmt::format("host bundle: dist/{} has {} bytes, limit {} is {}",
                                                name, size, limit_name, limit)};
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{errc::kLoadFailed, fmt::format("host bundle: {} cannot be read", path.string())};
  }
  return bytes;
}

std::string digestOf(const std::string& bytes) {
  Poco::SHA2Engine engine;
  engine.update(bytes);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

}  // namespace

Result<HostArtifactPtr> readHostArtifact(const fs::path& root, const std::string& plugin_id) {
  const auto dist = root / "dist";
  auto meta_text = readFile(dist / "host.meta.json", kMetaFile, "of metadata");
  if (!meta_text) {
    return std::move(meta_text).error();
  }
  auto bytes = readFile(dist / "host.js", limits::kArtifact, "artifact");
  if (!bytes) {
    return std::move(bytes).error();
  }
  if (bytes.value().empty()) {
    return Error{errc::kLoadFailed, fmt::format("host bundle: dist/host.js is empty; {}", kRemedy)};
  }
  const auto meta = common::Json::parse(meta_text.value());
  if (!meta || meta.value()["pluginId"].asString() != plugin_id) {
    return Error{errc::kLoadFailed,
                 fmt::format("host bundle: dist/host.meta.json does not describe a host bundle of "
                             "plugin \"{}\"; {}",
                             plugin_id, kRemedy)};
  }
  auto digest = digestOf(bytes.value());
  if (const auto& declared = meta.value()["artifactDigest"].asString(); declared != digest) {
    return Error{errc::kLoadFailed,
                 fmt::format("host bundle: dist/host.js does not match host.meta.json: its SHA-256 "
                             "is {}, declared is \"{}\"; {}",
                             digest, declared, kRemedy)};
  }
  auto artifact = std::make_shared<HostArtifact>();
  artifact->identity = Poco::UUIDGenerator::defaultGenerator().createRandom().toString();
  artifact->digest = std::move(digest);
  artifact->sdk_version = meta.value()["sdkVersion"].asString();
  artifact->bytes = std::make_shared<const std::string>(std::move(bytes).value());
  if (auto map = base::readFile(dist / "host.js.map", kMapFile)) {
    artifact->sources = std::make_shared<EntrySources>(std::move(map).value(), dist / "host.js");
  }
  return HostArtifactPtr(std::move(artifact));
}

bool isDigest(std::string_view text) {
  return text.size() == kDigestLength && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace svc::hosts
