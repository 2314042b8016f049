#include "live_config.h"

#include <algorithm>
#include <utility>

namespace svc::kernel {
namespace {

std::vector<std::string> changedKeys(const Config& before, const Config& after) {
  std::vector<std::string> out;
  for (const auto& key : after.keys()) {
    const bool known = std::find(out.begin(), out.end(), key.key) != out.end();
    if (!known && before.getString(key.key) != after.getString(key.key)) {
      out.emplace_back(key.key);
    }
  }
  return out;
}

bool concerns(const IConfigChanges::Listener& listener, const std::string& key) {
  return std::find(listener.keys.begin(), listener.keys.end(), key) != listener.keys.end();
}

}  // namespace

LiveConfig::LiveConfig(Config config, ConfigSources sources, ReadFile read_file,
                       IMainExecutor& main, Report report)
    : current_(std::make_shared<const Config>(std::move(config))),
      sources_(std::move(sources)),
      read_file_(std::move(read_file)),
      main_(main),
      report_(std::move(report)) {}

std::string LiveConfig::getString(std::string_view key) const { return current()->getString(key); }
std::int64_t LiveConfig::getInteger(std::string_view key) const {
  return current()->getInteger(key);
}
bool LiveConfig::getBoolean(std::string_view key) const { return current()->getBoolean(key); }
std::vector<std::string> LiveConfig::getStringList(std::string_view key) const {
  return current()->getStringList(key);
}
std::string LiveConfig::getJson(std::string_view key) const { return current()->getJson(key); }
std::string LiveConfig::origin(std::string_view key) const { return current()->origin(key); }

Handle LiveConfig::add(Listener listener) {
  auto entry = std::make_shared<const Listener>(std::move(listener));
  listeners_->push_back(entry);
  return Handle([listeners = listeners_, entry] { std::erase(*listeners, entry); });
}

Handle LiveConfig::onApplied(std::function<void()> listener) {
  auto entry = std::make_shared<const std::function<void()>>(std::move(listener));
  applied_->push_back(entry);
  return Handle([applied = applied_, entry] { std::erase(*applied, entry); });
}

void LiveConfig::reload(Completion<Outcome> done) {
  main_.post([this, answer = std::make_shared<Completion<Outcome>>(std::move(done))] {
    auto outcome = readAgain();
    report_(outcome);
    (*answer)(std::move(outcome));
  });
}

Result<LiveConfig::Outcome> LiveConfig::readAgain() {
  auto text = read_file_();
  if (!text) {
    return std::move(text).error();
  }
  auto sources = sources_;
  sources.file_text = std::move(text).value();
  const auto before = current();
  auto read = Config::create(before->keys(), sources);
  if (!read) {
    return std::move(read).error();
  }
  const auto next = std::make_shared<const Config>(std::move(read).value());
  const auto changed = changedKeys(*before, *next);
  for (const auto& [key, error] : next->problems()) {
    // What the program has started with does not keep it from anything.
    const bool is_new = std::find(changed.begin(), changed.end(), key) != changed.end();
    if (is_new || error.code != errc::kUnavailable) {
      return error;
    }
  }
  const auto listeners = *listeners_;  // one may come or go while they run
  std::vector<ListenerPtr> concerned;
  Outcome outcome;
  for (const auto& listener : listeners) {
    const auto its_own = [&listener](const auto& key) { return concerns(*listener, key); };
    if (std::any_of(changed.begin(), changed.end(), its_own)) {
      concerned.push_back(listener);
    }
  }
  for (const auto& key : changed) {
    const auto applies = [&key](const auto& listener) { return concerns(*listener, key); };
    const bool live = std::any_of(concerned.begin(), concerned.end(), applies);
    (live ? outcome.applied : outcome.need_restart).push_back(key);
  }
  current_.store(next);
  for (const auto& listener : concerned) {
    listener->apply(*next);
  }
  if (!outcome.applied.empty()) {
    const auto told = *applied_;
    for (const auto& listener : told) {
      (*listener)();
    }
  }
  return outcome;
}

}  // namespace svc::kernel
