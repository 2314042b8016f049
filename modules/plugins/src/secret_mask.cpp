#include "secret_mask.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"

namespace svc::plugins {
namespace {

constexpr std::string_view kMasked = "***";
/// Lines of a longer secret below this are words like "true" or "}": they are no secret by themselves.
constexpr std::size_t kSecretLine = 12;

void replaceAll(std::string& text, const std::string& needle) {
  for (auto at = text.find(needle); at != std::string::npos;
       at = text.find(needle, at + kMasked.size())) {
    text.replace(at, needle.size(), kMasked);
  }
}

std::string inJson(const std::string& text) {
  const auto quoted = common::jsonString(text);
  return quoted.substr(1, quoted.size() - 2);
}

/// As util.inspect() writes it inside of quotes, which it chooses so that no quote has to be escaped where there is a choice.
std::string inspected(const std::string& text) {
  constexpr unsigned char kFirstOfLatin1 = 0xC2;  // of U+0080 to U+00BF in UTF-8
  const auto has = [&text](std::string_view part) { return text.find(part) != std::string::npos; };
  const bool escapes_quote = has("'") && has("\"") && (has("`") || has("${"));
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0U;
    if (const auto letter = std::string_view("\b\t\n\f\r\\").find(text[at]);
        letter != std::string_view::npos) {
      out += {'\\', "btnfr\\"[letter]};
    } else if (text[at] == '\'' && escapes_quote) {
      out += "\\'";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else if (byte == kFirstOfLatin1 && next >= 0x80 && next < 0xA0) {
      out += fmt::format("\\x{:02X}", next);
      ++at;
    } else {
      out += text[at];
    }
  }
  return out;
}

void addLines(std::vector<std::string>& out, const std::string& secret) {
  for (std::size_t start = 0; start < secret.size();) {
    const auto end = std::min(secret.find('\n', start), secret.size());
    auto line = secret.substr(start, end - start);
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (line.size() >= kSecretLine && line != secret) {
      out.push_back(std::move(line));
    }
    start = end + 1;
  }
}

}  // namespace

std::vector<std::string> SecretMask::spellings(const std::string& secret) {
  if (secret.size() < kMinimum) {
    return {};
  }
  std::vector<std::string> plain{secret};
  addLines(plain, secret);
  std::set<std::string> out;
  for (const auto& each : plain) {
    const auto json = inJson(each);
    // In an object that is printed, in JSON, and in JSON that is a text of one of the two.
    out.insert({each, inspected(each), json, inspected(json), inJson(json)});
  }
  return {out.begin(), out.end()};
}

void SecretMask::State::change(const Needles& spellings, bool add) {
  const std::scoped_lock lock(mutex);
  for (const auto& spelling : spellings) {
    if (add) {
      ++uses[spelling];
    } else if (const auto found = uses.find(spelling); --found->second == 0) {
      uses.erase(found);
    }
  }
  auto sorted = std::make_shared<Needles>();
  for (const auto& [spelling, count] : uses) {
    sorted->push_back(spelling);
  }
  std::stable_sort(sorted->begin(), sorted->end(),
                   [](const auto& left, const auto& right) { return left.size() > right.size(); });
  needles = std::move(sorted);
}

Handle SecretMask::add(const std::string& secret) {
  const auto added = spellings(secret);
  if (added.empty()) {
    return {};
  }
  state_->change(added, true);
  return Handle([state = state_, added] { state->change(added, false); });
}

std::string SecretMask::apply(std::string text) const {
  std::shared_ptr<const Needles> needles;
  {
    const std::scoped_lock lock(state_->mutex);
    needles = state_->needles;
  }
  for (const auto& needle : *needles) {
    if (needle.size() <= text.size()) {
      replaceAll(text, needle);
    }
  }
  return text;
}

std::string SecretMask::applyJson(std::string json) const {
  auto masked = apply(json);
  // A secret may be made of JSON's own punctuation.
  return masked == json || common::isValidJson(masked) ? masked : "{}";
}

}  // namespace svc::plugins
