#include "entry_sources.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"

#include "host_artifact.h"

namespace svc::hosts {
namespace {

/// How a daemon calls the entry, in a directory that has its digest as name.
constexpr std::string_view kEntryFile = "/host.mjs:";

/// Takes a number and the character behind it, when there is to be one, off the front of `text`.
std::optional<std::uint32_t> takeNumber(std::string_view& text, bool colon) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (failure != std::errc() || (colon && !text.starts_with(':'))) {
    return std::nullopt;
  }
  text.remove_prefix(colon ? 1 : 0);
  return number;
}

/// Where the path begins that ends at the end of `text`: behind what a URL has not, a space, a parenthesis, in JSON a quote; a line
/// break is two characters there, so that a scheme says more.
std::size_t startOfPath(std::string_view text) {
  const auto before = text.find_last_of(" \t\n(\"");
  const auto start = before == std::string_view::npos ? 0 : before + 1;
  const auto scheme = text.substr(start).rfind("file://");
  return scheme == std::string_view::npos ? start : start + scheme;
}

/// `before` is what stands before the name of the entry, `rest` what stands behind; a position is taken off `rest`.
std::optional<common::SourcePosition> sourceAt(std::string_view before, std::string_view& rest,
                                               const FindSources& find) {
  const auto digest = before.substr(before.size() - std::min(before.size(), kDigestLength));
  const auto line = takeNumber(rest, true);
  const auto column = line ? takeNumber(rest, false) : std::nullopt;
  const auto sources = column && isDigest(digest) ? find(digest) : nullptr;
  return sources ? sources->find(*line, *column) : std::nullopt;
}

enum class Written : unsigned char { kPlain, kJson };

std::string nameIn(std::string text, const FindSources& find, Written written) {
  std::string named;
  const std::string_view all(text);
  std::size_t copied = 0;
  for (auto at = all.find(kEntryFile); at != std::string_view::npos;
       at = all.find(kEntryFile, at + kEntryFile.size())) {
    auto rest = all.substr(at + kEntryFile.size());
    if (const auto source = sourceAt(all.substr(copied, at - copied), rest, find)) {
      auto path = written == Written::kJson ? common::jsonString(source->source) : source->source;
      if (written == Written::kJson) {
        path = path.substr(1, path.size() - 2);
      }
      named += all.substr(copied, startOfPath(all.substr(copied, at - copied)));
      named += fmt::format("{}:{}:{}", path, source->line, source->column);
      copied = all.size() - rest.size();
    }
  }
  if (copied == 0) {
    return text;
  }
  return named.append(all.substr(copied));
}

}  // namespace

std::optional<common::SourcePosition> EntrySources::find(std::uint32_t line, std::uint32_t column) {
  if (!text_.empty()) {
    map_ = common::SourceMap::parse(std::exchange(text_, {}), built_.string());
  }
  return map_ ? map_->find(line, column) : std::nullopt;
}

std::string nameSources(std::string text, const FindSources& find) {
  return nameIn(std::move(text), find, Written::kPlain);
}

std::string nameSourcesInJson(std::string json, const FindSources& find) {
  return nameIn(std::move(json), find, Written::kJson);
}

}  // namespace svc::hosts
