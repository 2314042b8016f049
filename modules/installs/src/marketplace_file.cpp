#include "marketplace_file.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/fold.h"
#include "svc/common/limits/installs.h"
#include "svc/common/semver.h"

namespace svc::installs {
namespace {

using common::Json;

bool isName(std::string_view text) {
  return !text.empty() && text.size() <= 128 && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

Error wrongFile(std::string message) {
  return refusal("no_manifest", "marketplace.json: " + std::move(message));
}

/// Reads one entry; the first thing that is wrong with it stays in `reason`.
class EntryReader {
 public:
  EntryReader(const Json& value, ListOrigin origin) : value_(value), origin_(origin) {}

  [[nodiscard]] MarketplaceEntry read() {
    MarketplaceEntry out;
    out.id = value_["id"].asString();
    if (!isName(out.id)) {
      fail(R"("id" is not a name of letters, digits, "-", "_" and ".")");
    }
    out.display_name = value_["displayName"].asString();
    if (out.display_name.empty()) {
      out.display_name = out.id;
    }
    out.description = value_["description"].asString();
    out.icon = value_["icon"].asString();
    for (const auto& tag : value_["tags"].items()) {
      out.tags.push_back(tag.asString());
    }
    if (out.tags.size() > limits::kTags) {
      fail(fmt::format("it has {} tags (limit tags: {})", out.tags.size(), limits::kTags));
    }
    out.author = value_["author"]["name"].asString();
    out.author_url = value_["author"]["url"].asString();
    if (out.author.empty()) {
      fail("\"author.name\" is missing");
    }
    out.engine_service = value_["engines"]["svc"].asString();
    out.engine_sdk = value_["engines"]["svcPluginSdk"].asString();
    out.source = readSource(value_["source"]);
    return out;
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void fail(std::string reason) {
    if (reason_.empty()) {
      reason_ = std::move(reason);
    }
  }

  void checkMembers(const Json& object, std::string_view where,
                    std::initializer_list<std::string_view> known) {
    if (!object.isObject()) {
      fail(fmt::format("\"{}\" is not an object", where));
    }
    for (const auto& [key, value] : object.members()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(fmt::format("\"{}.{}\" is unknown to this version", where, key));
      } else if (!key.starts_with("npm") && !key.starts_with("git") && !value.isString()) {
        fail(fmt::format("\"{}.{}\" is not a string", where, key));
      }
    }
  }

  SourceSpec readSource(const Json& source) {
    if (origin_ == ListOrigin::kShipped && source["example"].isString()) {
      return take(
          parseSource(fmt::format("{}{}", kExamplePrefix, source["example"].asString()), {}, ""));
    }
    checkMembers(source, "source", {"npm", "git"});
    if (source.members().size() != 1) {
      fail(R"("source" needs either "npm" or "git")");
      return {};
    }
    return source.find("npm") != nullptr ? readNpm(source["npm"]) : readGit(source["git"]);
  }

  SourceSpec take(Result<SourceSpec> spec) {
    if (!spec) {
      fail(spec.error().message);
      return {};
    }
    return std::move(spec).value();
  }

  SourceSpec readNpm(const Json& npm) {
    checkMembers(npm, "source.npm", {"package", "range", "tag", "registry"});
    const auto& range = npm["range"].asString();
    const auto& tag = npm["tag"].asString();
    if (range.empty() == tag.empty()) {
      fail(R"("source.npm" needs either "range" or "tag")");
    }
    if (!tag.empty() && npmSpecKind(tag) != NpmSpecKind::kTag) {
      fail("\"source.npm.tag\" is not a tag");
    }
    if (!range.empty() && !common::semver::Range::parse(range)) {
      fail("\"source.npm.range\" is not a version range");
    }
    const auto& registry = npm["registry"].asString();
    if (!registry.empty() && !isFetchUrl(registry)) {
      fail("\"source.npm.registry\" is not an https address");
    }
    auto out = take(parseSource(
        fmt::format("npm:{}@{}", npm["package"].asString(), range.empty() ? tag : range), {}, ""));
    out.registry = registry;
    return out;
  }

  SourceSpec readGit(const Json& git) {
    checkMembers(git, "source.git", {"url", "subdir", "ref", "range", "tagPrefix"});
    const auto& range = git["range"].asString();
    const auto& ref = git["ref"].asString();
    const auto& prefix = git["tagPrefix"].asString();
    if (range.empty() == ref.empty() || (range.empty() && !prefix.empty())) {
      fail(R"("source.git" needs either "ref", or "range" with an optional "tagPrefix")");
      return {};
    }
    const auto spec = range.empty()    ? ref
                      : prefix.empty() ? "semver:" + range
                                       : fmt::format("semver:{}:{}", prefix, range);
    Selection selection;
    if (const auto& directory = git["subdir"].asString(); !directory.empty()) {
      selection = {Selection::Kind::kSubdirectory, directory, ""};
    }
    return take(parseSource(fmt::format("git:{}@{}", git["url"].asString(), spec), selection, ""));
  }

  const Json& value_;
  const ListOrigin origin_;
  std::string reason_;
};

int wordScore(const MarketplaceEntry& entry, const std::string& word) {
  const auto has = [&word](std::string_view text) {
    return common::foldCase(text).find(word) != std::string::npos;
  };
  if (common::foldCase(entry.id) == word || common::foldCase(entry.display_name) == word) {
    return 8;
  }
  if (has(entry.id) || has(entry.display_name)) {
    return 4;
  }
  if (std::any_of(entry.tags.begin(), entry.tags.end(), has)) {
    return 2;
  }
  return has(entry.description) || has(entry.author) ? 1 : 0;
}

}  // namespace

Result<MarketplaceFile> parseMarketplace(std::string_view bytes, ListOrigin origin) {
  if (bytes.size() > limits::kMarketplaceFile) {
    return wrongFile(fmt::format("it has {} bytes (limit marketplaceFile: {})", bytes.size(),
                                 limits::kMarketplaceFile));
  }
  const auto parsed = Json::parse(bytes);
  if (!parsed || !parsed.value().isObject()) {
    return wrongFile(parsed ? "it is not an object" : "it is not JSON: " + parsed.error().message);
  }
  const auto& file = parsed.value();
  if (file["schemaVersion"].asInteger() != 1) {
    return Error{errc::kIncompatible,
                 "marketplace.json: \"schemaVersion\" is not 1, the one this version reads"};
  }
  MarketplaceFile out;
  out.name = file["name"].asString();
  if (!isName(out.name)) {
    return wrongFile(R"("name" is not a name of letters, digits, "-", "_" and ".")");
  }
  if (!file["plugins"].isArray()) {
    return wrongFile("\"plugins\" is not an array");
  }
  std::set<std::string> seen;
  std::size_t place = 0;
  for (const auto& plugin : file["plugins"].items()) {
    EntryReader reader(plugin, origin);
    auto entry = reader.read();
    const auto at = place++;
    if (!reader.reason().empty()) {
      out.dropped.push_back(
          {entry.id.empty() ? fmt::format("plugins[{}]", at) : entry.id, reader.reason()});
    } else if (!seen.insert(entry.id).second) {
      out.dropped.push_back({entry.id, "the id is listed twice; the first one counts"});
    } else {
      out.entries.push_back(std::move(entry));
    }
  }
  return out;
}

int searchScore(const MarketplaceEntry& entry, std::string_view query) {
  int score = 1;
  const auto text = common::foldCase(query);
  std::size_t at = 0;
  while ((at = text.find_first_not_of(' ', at)) != std::string::npos) {
    const auto end = std::min(text.find(' ', at), text.size());
    const int word = wordScore(entry, text.substr(at, end - at));
    if (word == 0) {
      return 0;
    }
    score += word;
    at = end;
  }
  return score;
}

}  // namespace svc::installs
