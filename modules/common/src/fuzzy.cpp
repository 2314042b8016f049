#include "svc/common/fuzzy.h"

#include <algorithm>

#include "svc/common/fold.h"

namespace svc::common {
namespace {

constexpr std::int64_t kMatched = 16;
constexpr std::int64_t kAdjacent = 16;
constexpr std::int64_t kWordBegin = 12;
constexpr std::int64_t kInName = 8;
/// What separates two matches costs, up to this.
constexpr std::int64_t kGapMost = 12;

/// Code points; bytes that are none stand for themselves.
std::u32string decoded(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t point = more == 0 ? lead : lead & (0x3FU >> more);
    const auto end = std::min(at + more, text.size() - 1);
    for (++at; at <= end; ++at) {
      point = (point << 6U) | (static_cast<unsigned char>(text[at]) & 0x3FU);
    }
    out.push_back(point);
  }
  return out;
}

bool isUpper(char32_t c) { return foldCase(c) != c; }
constexpr bool separates(char32_t c) {
  return c == U'/' || c == U'.' || c == U'-' || c == U'_' || c == U' ';
}

bool beginsWord(const std::u32string& path, std::size_t at) {
  return at == 0 || separates(path[at - 1]) || (isUpper(path[at]) && !isUpper(path[at - 1]));
}

/// The first place from `from` on where all of it is, and then each character as late as possible: the shortest such stretch.
std::vector<std::size_t> shortest(const std::u32string& path, const std::u32string& wanted,
                                  std::size_t from) {
  std::size_t next = 0;
  std::size_t at = from;
  for (; at < path.size() && next < wanted.size(); ++at) {
    next += foldCase(path[at]) == wanted[next] ? 1 : 0;
  }
  if (next < wanted.size()) {
    return {};
  }
  std::vector<std::size_t> positions(wanted.size());
  while (next > 0) {
    --at;
    if (foldCase(path[at]) == wanted[next - 1]) {
      positions[--next] = at;
    }
  }
  return positions;
}

std::int64_t scoreOf(const std::u32string& path, const std::vector<std::size_t>& positions,
                     std::size_t name) {
  std::int64_t score = 0;
  for (std::size_t index = 0; index < positions.size(); ++index) {
    const auto at = positions[index];
    score += kMatched + (beginsWord(path, at) ? kWordBegin : 0) + (at >= name ? kInName : 0);
    if (index > 0) {
      const auto gap = static_cast<std::int64_t>(at - positions[index - 1] - 1);
      score += gap == 0 ? kAdjacent : -std::min(gap, kGapMost);
    }
  }
  return score;
}

}  // namespace

FuzzyQuery::FuzzyQuery(std::string_view query) {
  for (const auto point : decoded(query)) {
    if (point != U' ') {
      wanted_.push_back(foldCase(point));
    }
  }
}

std::optional<FuzzyMatch> FuzzyQuery::match(std::string_view text) const {
  const auto path = decoded(text);
  const auto slash = path.rfind(U'/');
  const auto name = slash == std::u32string::npos ? 0 : slash + 1;
  auto best = shortest(path, wanted_, 0);
  if (best.empty() && !wanted_.empty()) {
    return std::nullopt;
  }
  auto score = scoreOf(path, best, name);
  // The name alone, where all of it is there, says more than letters of directories.
  if (auto in_name = shortest(path, wanted_, name); !in_name.empty()) {
    if (const auto its = scoreOf(path, in_name, name); its > score) {
      best = std::move(in_name);
      score = its;
    }
  }
  std::size_t units = 0;
  std::size_t next = 0;
  constexpr char32_t kTwoUnits = 0x10000;
  for (std::size_t at = 0; at < path.size() && next < best.size(); ++at) {
    if (best[next] == at) {
      best[next++] = units;
    }
    units += path[at] >= kTwoUnits ? 2 : 1;
  }
  // Of equals, the shorter path is meant.
  return FuzzyMatch{
      score * 1000 - static_cast<std::int64_t>(std::min<std::size_t>(path.size(), 999)),
      std::move(best)};
}

}  // namespace svc::common
