#include "line_diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <dtl/dtl.hpp>
#include <fmt/format.h>

namespace svc::agentd {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;

Lines linesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A line of the result: ' ' in both, '-' in the old text only, '+' in the new one only.
using Marks = std::vector<char>;

/// Lines of either side beyond which what differs is shown as replaced: finding what stayed takes their product.
constexpr std::size_t kCompared = 4000;

Marks compare(Lines before, Lines after, std::size_t& compared) {
  const auto lines = before.size() + after.size();
  if (before.size() > kCompared || after.size() > kCompared || lines > compared) {
    Marks marks(before.size(), '-');
    marks.insert(marks.end(), after.size(), '+');
    return marks;
  }
  compared -= lines;
  dtl::Diff<std::string_view, Lines> diff(before, after);
  diff.compose();
  Marks marks;
  for (const auto& [line, info] : diff.getSes().getSequence()) {
    marks.push_back(info.type == dtl::SES_DELETE ? '-' : info.type == dtl::SES_ADD ? '+' : ' ');
  }
  // Of what is replaced the old lines come first, as everywhere.
  for (auto at = marks.begin(); at != marks.end();) {
    const auto begin = std::find_if(at, marks.end(), [](char mark) { return mark != ' '; });
    at = std::find(begin, marks.end(), ' ');
    std::stable_partition(begin, at, [](char mark) { return mark == '-'; });
  }
  return marks;
}

Marks marksOf(const Lines& before, const Lines& after, std::size_t& compared) {
  const auto shorter = std::min(before.size(), after.size());
  std::size_t first = 0;
  while (first < shorter && before[first] == after[first]) {
    ++first;
  }
  std::size_t last = 0;
  while (last < shorter - first &&
         before[before.size() - 1 - last] == after[after.size() - 1 - last]) {
    ++last;
  }
  const auto middle = [first, last](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(first),
                 lines.end() - static_cast<std::ptrdiff_t>(last));
  };
  Marks marks(first, ' ');
  const auto changed = compare(middle(before), middle(after), compared);
  marks.insert(marks.end(), changed.begin(), changed.end());
  marks.insert(marks.end(), last, ' ');
  return marks;
}

std::string range(std::size_t from, std::size_t count) {
  return fmt::format("{},{}", count == 0 ? from : from + 1, count);
}

/// Writes marks from `begin` to `end`; `old_at` and `new_at` are the lines that come next, and move on.
std::string hunk(const Marks& marks, std::size_t begin, std::size_t end, const Lines& before,
                 std::size_t& old_at, const Lines& after, std::size_t& new_at) {
  const auto old_from = old_at;
  const auto new_from = new_at;
  std::string lines;
  for (auto at = begin; at < end; ++at) {
    const char mark = marks[at];
    lines += mark;
    lines += mark == '+' ? after[new_at] : before[old_at];
    lines += '\n';
    old_at += mark == '+' ? 0 : 1;
    new_at += mark == '-' ? 0 : 1;
  }
  return fmt::format("@@ -{} +{} @@\n", range(old_from, old_at - old_from),
                     range(new_from, new_at - new_from)) +
         lines;
}

}  // namespace

std::string unifiedDiff(std::string_view path, const std::optional<std::string>& before,
                        std::string_view after, std::size_t& compared) {
  const auto old_lines = linesOf(before ? *before : std::string_view());
  const auto new_lines = linesOf(after);
  const auto marks = marksOf(old_lines, new_lines, compared);
  const auto name = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  auto out =
      fmt::format("--- {}\n+++ b/{}\n", before ? fmt::format("a/{}", name) : "/dev/null", name);
  const auto changed = [&marks](std::size_t from) {
    return static_cast<std::size_t>(std::find_if(marks.begin() + static_cast<std::ptrdiff_t>(from),
                                                 marks.end(),
                                                 [](char mark) { return mark != ' '; }) -
                                    marks.begin());
  };
  std::size_t done = 0;
  std::size_t old_at = 0;
  std::size_t new_at = 0;
  for (auto next = changed(0); next < marks.size();) {
    const auto begin = next - std::min(next - done, kContext);
    auto end = next + 1;
    // What is near is one hunk.
    for (next = changed(end); next < marks.size() && next - end <= 2 * kContext;
         next = changed(end)) {
      end = next + 1;
    }
    end = std::min(marks.size(), end + kContext);
    old_at += begin - done;
    new_at += begin - done;
    out += hunk(marks, begin, end, old_lines, old_at, new_lines, new_at);
    done = end;
  }
  return out;
}

std::string unifiedDiff(std::string_view path, const std::optional<std::string>& before,
                        std::string_view after) {
  std::size_t compared = 2 * kCompared;
  return unifiedDiff(path, before, after, compared);
}

}  // namespace svc::agentd
