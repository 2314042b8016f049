#include "digests.h"

#include <array>
#include <fstream>
#include <sstream>
#include <system_error>

#include <Poco/Base64Encoder.h>
#include <Poco/SHA1Engine.h>
#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/shown_text.h"
#include "svc/common/utf8.h"

#include "source_spec.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using Poco::DigestEngine;
using Poco::SHA1Engine;
using Poco::SHA2Engine;

constexpr const char* kDependencies = "node_modules";
constexpr const char* kDependenciesKey = "node_modules/";

Error unreadable(const fs::path& file, const std::string& why) {
  return {errc::kUnavailable, fmt::format("cannot read {}: {}", file.string(), why)};
}

Status feed(DigestEngine& engine, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 65536>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    engine.update(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return in.eof() ? Status() : Status(unreadable(file, "it is gone or cannot be opened"));
}

std::string base64(const DigestEngine::Digest& digest) {
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  encoder.rdbuf()->setLineLength(0);
  for (const auto byte : digest) {
    encoder << static_cast<char>(byte);
  }
  encoder.close();
  return out.str();
}

Result<std::string> entryDigest(const fs::directory_entry& entry) {
  std::error_code failure;
  if (entry.is_symlink(failure)) {
    const auto target = fs::read_symlink(entry.path(), failure);
    return failure ? Result<std::string>(unreadable(entry.path(), failure.message()))
                   : Result<std::string>(textSha256("link " + target.string()));
  }
  if (!entry.is_regular_file(failure)) {
    return unreadable(entry.path(), "it is no file");
  }
  return fileSha256(entry.path());
}

bool skipped(const fs::path& relative) {
  const auto name = relative.filename();
  return name == ".git" || (name == ".cache" && relative.parent_path() == kDependencies);
}

/// Digests are recorded by name, in JSON, which has no other text.
Status checkName(const std::string& name) {
  if (common::isUtf8(name)) {
    return {};
  }
  return refusal(
      "path_escape",
      fmt::format("the package is refused: the name of the file \"{}\" is not UTF-8; give "
                  "it another name",
                  common::shownOnOneLine(name)));
}

/// Every file and link below `root` with its digest. `into` is called in no particular order.
template <class Into>
Status walk(const fs::path& root, const fs::path& from, bool into_dependencies, Into into) {
  std::error_code failure;
  for (auto each = fs::recursive_directory_iterator(from, failure);
       !failure && each != fs::recursive_directory_iterator(); each.increment(failure)) {
    const auto relative = each->path().lexically_relative(root);
    std::error_code ignored;
    const bool directory = !each->is_symlink(ignored) && each->is_directory(ignored);
    if (skipped(relative) || (!into_dependencies && relative == kDependencies)) {
      each.disable_recursion_pending();
      continue;
    }
    if (directory) {
      continue;
    }
    const auto name = relative.generic_string();
    if (auto named = into_dependencies ? Status() : checkName(name); !named) {
      return named;
    }
    auto digest = entryDigest(*each);
    if (!digest) {
      return std::move(digest).error();
    }
    into(name, std::move(digest).value());
  }
  return failure ? Status(unreadable(from, failure.message())) : Status();
}

Result<std::string> dependenciesDigest(const fs::path& root) {
  Digests files;
  const auto status =
      walk(root, root / kDependencies, true, [&files](std::string name, std::string digest) {
        files.emplace(std::move(name), std::move(digest));
      });
  if (!status) {
    return status.error();
  }
  std::string all;
  for (const auto& [name, digest] : files) {
    all += fmt::format("{} {}\n", digest, name);
  }
  return textSha256(all);
}

bool hasDependencies(const fs::path& root) {
  std::error_code ignored;
  return fs::is_directory(root / kDependencies, ignored);
}

Result<bool> matches(DigestEngine& engine, const fs::path& file, std::string_view expected) {
  if (auto read = feed(engine, file); !read) {
    return std::move(read).error();
  }
  return base64(engine.digest()) == expected;
}

}  // namespace

Result<std::string> fileSha256(const fs::path& file) {
  SHA2Engine engine(SHA2Engine::SHA_256);
  if (auto read = feed(engine, file); !read) {
    return std::move(read).error();
  }
  return DigestEngine::digestToHex(engine.digest());
}

std::string textSha256(std::string_view text) {
  SHA2Engine engine(SHA2Engine::SHA_256);
  engine.update(text.data(), text.size());
  return DigestEngine::digestToHex(engine.digest());
}

Result<Digests> computeDigests(const fs::path& root) {
  Digests out;
  const auto status = walk(root, root, false, [&out](std::string name, std::string digest) {
    out.emplace(std::move(name), std::move(digest));
  });
  if (!status) {
    return status.error();
  }
  if (hasDependencies(root)) {
    auto digest = dependenciesDigest(root);
    if (!digest) {
      return std::move(digest).error();
    }
    out.emplace(kDependenciesKey, std::move(digest).value());
  }
  return out;
}

Result<std::string> firstDifference(const fs::path& root, const Digests& recorded) {
  for (const auto& [name, expected] : recorded) {
    std::error_code ignored;
    const bool dependencies = name == kDependenciesKey;
    const auto path = root / name;
    if (dependencies ? !hasDependencies(root) : !fs::exists(fs::symlink_status(path, ignored))) {
      return name + " is missing";
    }
    auto actual =
        dependencies ? dependenciesDigest(root) : entryDigest(fs::directory_entry(path, ignored));
    if (!actual) {
      return std::move(actual).error();
    }
    if (actual.value() != expected) {
      return name + " has changed";
    }
  }
  return std::string();
}

std::string toJsonText(const Digests& digests) {
  common::Json::Object members;
  for (const auto& [name, digest] : digests) {
    members.emplace_back(name, digest);
  }
  return common::Json(std::move(members)).dump();
}

Result<Digests> digestsFromJson(std::string_view text) {
  const auto parsed = common::Json::parse(text);
  if (!parsed || !parsed.value().isObject()) {
    return Error{errc::kInvalidArgument, "the recorded digests cannot be read"};
  }
  Digests out;
  for (const auto& [name, digest] : parsed.value().members()) {
    out.emplace(name, digest.asString());
  }
  return out;
}

Result<bool> hasIntegrity(const fs::path& file, std::string_view integrity) {
  constexpr std::string_view kStrong = "sha512-";
  constexpr std::string_view kWeak = "sha1-";
  for (const auto prefix : {kStrong, kWeak}) {
    const auto at = integrity.find(prefix);
    if (at == std::string_view::npos) {
      continue;
    }
    auto expected = integrity.substr(at + prefix.size());
    expected = expected.substr(0, expected.find_first_of(" ?"));
    if (prefix == kStrong) {
      SHA2Engine engine(SHA2Engine::SHA_512);
      return matches(engine, file, expected);
    }
    SHA1Engine engine;
    return matches(engine, file, expected);
  }
  return false;
}

Result<std::string> integrityOf(const fs::path& file) {
  SHA2Engine engine(SHA2Engine::SHA_512);
  if (auto read = feed(engine, file); !read) {
    return std::move(read).error();
  }
  return "sha512-" + base64(engine.digest());
}

}  // namespace svc::installs
