#include "secret_mask.h"

#include <algorithm>
#include <utility>

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
  std::vector<std::string> out{secret};
  const auto quoted = common::jsonString(secret);
  if (auto inside = quoted.substr(1, quoted.size() - 2); inside != secret) {
    out.push_back(std::move(inside));
  }
  addLines(out, secret);
  return out;
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
