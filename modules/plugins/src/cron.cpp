#include "cron.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "svc/base/text.h"

namespace svc::plugins {
namespace {

struct Field {
  std::string_view name;
  unsigned first;
  unsigned last;
  std::span<const std::string_view> names;  ///< of the values from `first` on
};

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekDays{"sun", "mon", "tue", "wed",
                                                    "thu", "fri", "sat"};
constexpr unsigned kSunday = 7;  ///< its second number
constexpr std::array<Field, 5> kFields{{{"minute", 0, 59, {}},
                                        {"hour", 0, 23, {}},
                                        {"day of month", 1, 31, {}},
                                        {"month", 1, 12, kMonths},
                                        {"day of week", 0, kSunday, kWeekDays}}};
constexpr std::string_view kOrder = "minute hour day-of-month month day-of-week";

struct Macro {
  std::string_view name;
  std::string_view expression;
};
constexpr std::array<Macro, 7> kMacros{{{"@hourly", "0 * * * *"},
                                        {"@daily", "0 0 * * *"},
                                        {"@midnight", "0 0 * * *"},
                                        {"@weekly", "0 0 * * 0"},
                                        {"@monthly", "0 0 1 * *"},
                                        {"@yearly", "0 0 1 1 *"},
                                        {"@annually", "0 0 1 1 *"}}};

/// Part of the expression, with where it stands in it.
struct Piece {
  std::string_view text;
  std::size_t at = 0;

  [[nodiscard]] Piece part(std::size_t begin, std::size_t end) const {
    return {text.substr(begin, end - begin), at + begin};
  }
};

/// What a field allows, by value.
using Values = std::bitset<64>;

struct ParsedField {
  Values values;
  bool restricted = true;
};

Error failure(std::size_t at, std::string_view what) {
  return {errc::kInvalidArgument, fmt::format("{} (position {})", what, at + 1)};
}

std::vector<Piece> split(const Piece& whole, std::string_view separators) {
  std::vector<Piece> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= whole.text.size(); ++at) {
    if (at == whole.text.size() || separators.find(whole.text[at]) != std::string_view::npos) {
      out.push_back(whole.part(begin, at));
      begin = at + 1;
    }
  }
  return out;
}

std::string expected(const Field& field) {
  if (field.names.empty()) {
    return fmt::format("a number from {} to {}", field.first, field.last);
  }
  return fmt::format("a number from {} to {} or a name from {} to {}", field.first, field.last,
                     field.names.front(), field.names.back());
}

Result<unsigned> parseValue(const Field& field, const Piece& piece) {
  const auto wrong = [&] {
    return failure(piece.at,
                   fmt::format("{} \"{}\" is not {}", field.name, piece.text, expected(field)));
  };
  const auto name = std::find(field.names.begin(), field.names.end(), base::lowerAscii(piece.text));
  if (name != field.names.end()) {
    return field.first + static_cast<unsigned>(name - field.names.begin());
  }
  unsigned value = 0;
  const auto* end = piece.text.data() + piece.text.size();
  const auto [stopped, problem] = std::from_chars(piece.text.data(), end, value);
  const bool number = problem == std::errc() && stopped == end && piece.text.size() <= 4;
  if (!number || value < field.first || value > field.last) {
    return wrong();
  }
  return value;
}

Result<unsigned> parseStep(const Field& field, const Piece& piece) {
  unsigned step = 0;
  const auto* end = piece.text.data() + piece.text.size();
  const auto [stopped, problem] = std::from_chars(piece.text.data(), end, step);
  const auto most = std::min(field.last, field.name == "day of week" ? kSunday - 1 : field.last) -
                    field.first + 1;
  if (problem != std::errc() || stopped != end || step == 0 || step > most) {
    return failure(piece.at, fmt::format("step \"{}\" of the {} is not a number from 1 to {}",
                                         piece.text, field.name, most));
  }
  return step;
}

struct Range {
  unsigned from = 0;
  unsigned to = 0;
};

/// `*`, a value, or a range. `stepped`: a step follows, which makes a single value the start of a range.
Result<Range> parseRange(const Field& field, const Piece& piece, bool stepped) {
  // Sunday must not count twice when all days are meant.
  const auto last = field.last == kSunday ? kSunday - 1 : field.last;
  if (piece.text == "*") {
    return Range{field.first, last};
  }
  const auto dash = piece.text.find('-');
  const auto from = parseValue(field, piece.part(0, std::min(dash, piece.text.size())));
  if (!from) {
    return from.error();
  }
  if (dash == std::string_view::npos) {
    return Range{from.value(), stepped ? std::max(last, from.value()) : from.value()};
  }
  const auto to = parseValue(field, piece.part(dash + 1, piece.text.size()));
  if (!to) {
    return to.error();
  }
  Range range{from.value(), to.value()};
  if (field.last == kSunday && range.to == 0 && range.from > 0) {
    range.to = kSunday;  // "fri-sun"
  }
  if (range.from > range.to) {
    return failure(piece.at, fmt::format("the range \"{}\" of the {} begins after its end",
                                         piece.text, field.name));
  }
  return range;
}

Status addItem(const Field& field, const Piece& item, Values& values) {
  const auto slash = item.text.find('/');
  const bool stepped = slash != std::string_view::npos;
  const auto range = parseRange(field, item.part(0, std::min(slash, item.text.size())), stepped);
  if (!range) {
    return range.error();
  }
  unsigned step = 1;
  if (stepped) {
    const auto parsed = parseStep(field, item.part(slash + 1, item.text.size()));
    if (!parsed) {
      return parsed.error();
    }
    step = parsed.value();
  }
  for (auto value = range.value().from; value <= range.value().to; value += step) {
    values.set(field.last == kSunday ? value % kSunday : value);
  }
  return {};
}

Result<ParsedField> parseField(const Field& field, const Piece& piece) {
  ParsedField out;
  for (const auto& item : split(piece, ",")) {
    if (item.text.empty()) {
      return failure(item.at, fmt::format("the {} is missing a value; expected {}", field.name,
                                          expected(field)));
    }
    if (auto status = addItem(field, item, out.values); !status) {
      return status.error();
    }
  }
  out.restricted = piece.text != "*" && piece.text != "*/1";
  return out;
}

template <std::size_t kSize>
std::bitset<kSize> narrowed(const Values& values) {
  return std::bitset<kSize>(values.to_ullong());
}

bool matchesSomeDate(const CronExpression& cron) {
  if (!cron.days_restricted || cron.week_days_restricted) {
    return true;  // every month has its first day, and every day of the week
  }
  constexpr std::array<unsigned, 12> kLengths{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (unsigned month = 1; month <= kLengths.size(); ++month) {
    for (unsigned day = 1; cron.months.test(month) && day <= kLengths.at(month - 1); ++day) {
      if (cron.days.test(day)) {
        return true;
      }
    }
  }
  return false;
}

Result<Piece> expandMacro(const Piece& piece) {
  const auto* macro = std::find_if(
      kMacros.begin(), kMacros.end(),
      [name = base::lowerAscii(piece.text)](const Macro& each) { return each.name == name; });
  if (macro == kMacros.end()) {
    return failure(piece.at,
                   fmt::format("\"{}\" is not a known name; expected @hourly, @daily, @midnight, "
                               "@weekly, @monthly, @yearly or @annually",
                               piece.text));
  }
  return Piece{macro->expression, 0};
}

/// The words between blanks.
std::vector<Piece> words(std::string_view text) {
  auto out = split({text, 0}, " \t");
  std::erase_if(out, [](const Piece& piece) { return piece.text.empty(); });
  return out;
}

}  // namespace

Result<CronExpression> parseCron(std::string_view text) {
  auto pieces = words(text);
  if (pieces.size() == 1 && pieces.front().text.starts_with('@')) {
    const auto expanded = expandMacro(pieces.front());
    if (!expanded) {
      return expanded.error();
    }
    pieces = words(expanded.value().text);
  }
  if (pieces.size() != kFields.size()) {
    const auto at = pieces.size() > kFields.size() ? pieces.at(kFields.size()).at : text.size();
    return failure(at, fmt::format("the expression has {} field{}, expected 5: {}", pieces.size(),
                                   pieces.size() == 1 ? "" : "s", kOrder));
  }
  std::array<ParsedField, kFields.size()> fields;
  for (std::size_t index = 0; index < kFields.size(); ++index) {
    auto field = parseField(kFields.at(index), pieces.at(index));
    if (!field) {
      return field.error();
    }
    fields.at(index) = std::move(field).value();
  }
  CronExpression cron;
  cron.minutes = narrowed<60>(fields[0].values);
  cron.hours = narrowed<24>(fields[1].values);
  cron.days = narrowed<32>(fields[2].values);
  cron.months = narrowed<13>(fields[3].values);
  cron.week_days = narrowed<7>(fields[4].values);
  cron.every_hour = cron.hours.all();
  cron.days_restricted = fields[2].restricted;
  cron.week_days_restricted = fields[4].restricted;
  if (!matchesSomeDate(cron)) {
    return failure(
        pieces[2].at,
        fmt::format(R"(no month of "{}" has a day "{}", so the schedule would never run)",
                    pieces[3].text, pieces[2].text));
  }
  return cron;
}

}  // namespace svc::plugins
