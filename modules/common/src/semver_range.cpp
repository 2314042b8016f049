#include <algorithm>

#include "semver_scan.h"

namespace svc::common::semver {
namespace {

/// What stands before a version in a range.
enum class Prefix : std::uint8_t {
  kNone,
  kCaret,
  kTilde,
  kLess,
  kLessEqual,
  kGreaterEqual,
  kGreater
};

using Set = std::vector<Comparator>;

/// The first version of the next major, minor or patch, below all of its pre-releases: bounds
/// written "<2.0.0-0".
Version floorOf(std::uint64_t major, std::uint64_t minor, std::uint64_t patch) {
  return {major, minor, patch, {{.numeric = true, .number = 0, .word = {}}}};
}

Version nextAfter(const Version& base, int fixed_parts) {
  switch (fixed_parts) {
    case 1:
      return floorOf(base.major + 1, 0, 0);
    case 2:
      return floorOf(base.major, base.minor + 1, 0);
    default:
      return floorOf(base.major, base.minor, base.patch + 1);
  }
}

Version release(const Version& version) {
  return {version.major, version.minor, version.patch, {}};
}

void addSpan(Set& out, const Version& from, Version below) {
  out.push_back({Operator::kGreaterEqual, from});
  out.push_back({Operator::kLess, std::move(below)});
}

void addNothing(Set& out) { out.push_back({Operator::kLess, floorOf(0, 0, 0)}); }

/// How many leading components a caret keeps: up to the first one that is not zero.
int caretParts(const Partial& partial) {
  const auto& version = partial.version;
  if (version.major != 0 || partial.parts == 1) {
    return 1;
  }
  return version.minor != 0 || partial.parts == 2 ? 2 : 3;
}

/// ">1" is ">=2.0.0", "<=1.2" is "<1.3.0-0": an open component stands for everything below it.
void addOpenBound(Set& out, Prefix prefix, const Partial& partial) {
  const auto next = nextAfter(partial.version, partial.parts);
  const auto base = partial.version;
  switch (prefix) {
    case Prefix::kGreater:
      out.push_back({Operator::kGreaterEqual, release(next)});
      break;
    case Prefix::kGreaterEqual:
      out.push_back({Operator::kGreaterEqual, release(base)});
      break;
    case Prefix::kLess:
      out.push_back({Operator::kLess, floorOf(base.major, base.minor, 0)});
      break;
    case Prefix::kLessEqual:
      out.push_back({Operator::kLess, next});
      break;
    default:
      addSpan(out, release(base), next);
      break;
  }
}

void addExactBound(Set& out, Prefix prefix, const Version& version) {
  switch (prefix) {
    case Prefix::kGreater:
      out.push_back({Operator::kGreater, version});
      break;
    case Prefix::kGreaterEqual:
      // Everything is at or above 0.0.0, so this is no condition at all.
      if (version != Version{}) {
        out.push_back({Operator::kGreaterEqual, version});
      }
      break;
    case Prefix::kLess:
      out.push_back({Operator::kLess, version});
      break;
    case Prefix::kLessEqual:
      out.push_back({Operator::kLessEqual, version});
      break;
    default:
      out.push_back({Operator::kEqual, version});
      break;
  }
}

/// False when the combination has no meaning.
bool addComparators(Set& out, Prefix prefix, const Partial& partial) {
  const bool any = partial.parts == 0;
  const bool open = partial.parts < 3;
  if (prefix == Prefix::kCaret || prefix == Prefix::kTilde) {
    if (!any) {
      const int fixed = prefix == Prefix::kCaret ? caretParts(partial) : std::min(partial.parts, 2);
      addSpan(out, open ? release(partial.version) : partial.version,
              nextAfter(partial.version, fixed));
    }
    return true;
  }
  if (partial.misordered) {
    return false;
  }
  if (any) {
    if (prefix == Prefix::kLess || prefix == Prefix::kGreater) {
      addNothing(out);
    }
  } else if (open) {
    addOpenBound(out, prefix, partial);
  } else {
    addExactBound(out, prefix, partial.version);
  }
  return true;
}

Prefix readPrefix(Scanner& scan) {
  if (scan.accept('^')) {
    return Prefix::kCaret;
  }
  if (scan.accept('~')) {
    scan.accept('>');
    return Prefix::kTilde;
  }
  const bool less = scan.accept('<');
  if (!less && !scan.accept('>')) {
    scan.accept('=');
    return Prefix::kNone;
  }
  // npm closes the gap of "> =1".
  scan.skipBlanks();
  if (scan.accept('=')) {
    return less ? Prefix::kLessEqual : Prefix::kGreaterEqual;
  }
  return less ? Prefix::kLess : Prefix::kGreater;
}

/// "v" and "=" between an operator and its version; true when a complete version may follow them.
bool readDecoration(Scanner& scan) {
  scan.skipBlanks();
  int length = 0;
  bool only_v = true;
  while (scan.peek() == 'v' || scan.peek() == '=') {
    only_v = scan.accept('v') && only_v;
    if (!only_v) {
      scan.accept('=');
    }
    ++length;
  }
  return length == 0 || (length == 1 && only_v);
}

void skipDecoration(Scanner& scan) {
  while (scan.accept('v') || scan.accept('=') || scan.skipBlanks()) {
  }
}

/// A bound that is derived from the largest number is none that npm can express.
bool isExpressible(const Comparator& comparator) {
  const auto& version = comparator.version;
  return version.major <= kMaxNumber && version.minor <= kMaxNumber && version.patch <= kMaxNumber;
}

/// "1.2 - 3.4": both ends are included, an open upper end means everything below the next one.
bool addHyphen(Set& out, const Partial& from, const Partial& to) {
  if (from.parts > 0) {
    const auto low = from.parts < 3 ? release(from.version) : from.version;
    addExactBound(out, Prefix::kGreaterEqual, low);
  }
  if (to.parts == 3) {
    out.push_back({Operator::kLessEqual, to.version});
  } else if (to.parts > 0) {
    out.push_back({Operator::kLess, nextAfter(to.version, to.parts)});
  }
  return true;
}

std::optional<Set> parseHyphen(std::string_view text) {
  Scanner scan(text);
  skipDecoration(scan);
  const auto from = scan.partial();
  if (!from || !scan.skipBlanks() || !scan.accept('-') || !scan.skipBlanks()) {
    return std::nullopt;
  }
  skipDecoration(scan);
  const auto to = scan.partial();
  scan.skipBlanks();
  Set out;
  if (!to || !scan.atEnd() || !addHyphen(out, *from, *to) ||
      !std::all_of(out.begin(), out.end(), isExpressible)) {
    return std::nullopt;
  }
  return out;
}

std::optional<Set> parseSet(std::string_view text) {
  if (auto hyphen = parseHyphen(text)) {
    return hyphen;
  }
  Scanner scan(text);
  Set out;
  for (scan.skipBlanks(); !scan.atEnd(); scan.skipBlanks()) {
    const auto prefix = readPrefix(scan);
    const bool plain = readDecoration(scan);
    const auto partial = scan.partial();
    const bool compares = prefix != Prefix::kCaret && prefix != Prefix::kTilde;
    const bool decorated = compares && !plain && partial && partial->parts == 3;
    if (!partial || decorated || !addComparators(out, prefix, *partial)) {
      return std::nullopt;
    }
  }
  if (!std::all_of(out.begin(), out.end(), isExpressible)) {
    return std::nullopt;
  }
  // A condition that nothing meets makes the others of its set irrelevant, lower bounds included.
  const auto impossible = std::find_if(out.begin(), out.end(), [](const Comparator& comparator) {
    return comparator.op == Operator::kLess && comparator.version == floorOf(0, 0, 0);
  });
  return impossible == out.end() ? out : Set{*impossible};
}

bool setMatches(const Set& set, const Version& version) {
  if (!std::all_of(set.begin(), set.end(),
                   [&](const auto& comparator) { return comparator.matches(version); })) {
    return false;
  }
  return version.prerelease.empty() ||
         std::any_of(set.begin(), set.end(), [&](const auto& comparator) {
           return !comparator.version.prerelease.empty() && comparator.version.sameTuple(version);
         });
}

/// The highest lower bound of a set.
std::optional<Version> lowest(const Set& set) {
  std::optional<Version> out;
  for (const auto& comparator : set) {
    auto bound = comparator.version;
    if (comparator.op == Operator::kLess || comparator.op == Operator::kLessEqual) {
      continue;
    }
    if (comparator.op == Operator::kGreater && bound.prerelease.empty()) {
      ++bound.patch;
    } else if (comparator.op == Operator::kGreater) {
      bound.prerelease.push_back({.numeric = true, .number = 0, .word = {}});
    }
    if (!out || bound > *out) {
      out = bound;
    }
  }
  return out;
}

}  // namespace

std::optional<Range> Range::parse(std::string_view text) {
  Range out;
  for (;;) {
    const auto bar = text.find("||");
    auto set = parseSet(text.substr(0, bar));
    if (!set) {
      return std::nullopt;
    }
    out.sets_.push_back(std::move(*set));
    if (bar == std::string_view::npos) {
      return out;
    }
    text.remove_prefix(bar + 2);
  }
}

bool Range::matches(const Version& version) const {
  return std::any_of(sets_.begin(), sets_.end(),
                     [&](const Set& set) { return setMatches(set, version); });
}

std::optional<Version> Range::minimum() const {
  for (const auto& candidate : {Version{}, floorOf(0, 0, 0)}) {
    if (matches(candidate)) {
      return candidate;
    }
  }
  std::optional<Version> out;
  for (const auto& set : sets_) {
    const auto bound = lowest(set);
    if (bound && (!out || *bound < *out)) {
      out = bound;
    }
  }
  return out && matches(*out) ? out : std::nullopt;
}

}  // namespace svc::common::semver
