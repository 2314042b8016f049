#include "saved_settings.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::plugins {

using common::Json;
using common::RawJson;

namespace {

Error tooManySaves() {
  return {
      errc::kOverloaded,
      fmt::format("{} saves of settings are waiting already; try again later", JobQueue::kLimit)};
}

}  // namespace

SavedSettings::SavedSettings(std::string plugin_id, std::filesystem::path secrets,
                             const Parts& with, std::function<void()> saved)
    : plugin_id_(std::move(plugin_id)),
      files_(std::move(secrets)),
      with_(with),
      saved_(std::move(saved)),
      queue_(with.main) {}

Status SavedSettings::refuseWhenClosed() const {
  if (closed_) {
    return Error{errc::kUnavailable,
                 fmt::format("plugin \"{}\" is being removed; its settings are gone", plugin_id_)};
  }
  return {};
}

Status SavedSettings::adopt(Result<Saved> saved) {
  if (!saved) {
    return Error{saved.error().code, "the saved settings cannot be read: " + saved.error().message};
  }
  maskAll(saved.value().secrets);
  const std::scoped_lock lock(mutex_);
  current_ = std::move(saved).value();
  return {};
}

Result<SavedSettings::Saved> SavedSettings::read() {
  auto values = with_.store.load(plugin_id_);
  if (!values) {
    return std::move(values).error();
  }
  files_.removeLeftovers();
  auto secrets = files_.read();
  if (!secrets) {
    return std::move(secrets).error();
  }
  return Saved{std::move(values).value(), std::move(secrets).value()};
}

void SavedSettings::load(Completion<void> done) { loadInTurn().start(std::move(done)); }

Course<void> SavedSettings::loadInTurn() {
  const auto self = shared_from_this();
  const auto turn = co_await queue_.turn(tooManySaves());
  if (!turn) {
    co_return turn.error();
  }
  const auto job = [self] { return self->read(); };
  auto saved = co_await onWorker(with_.workers, with_.main, job);
  co_return adopt(std::move(saved));
}

void SavedSettings::follow(std::weak_ptr<void> owner, Refresh refresh) {
  std::erase_if(followers_, [](const Follower& each) { return each.owner.expired(); });
  followers_.push_back({std::move(owner), std::move(refresh)});
}

void SavedSettings::close(Completion<void> done) {
  closed_ = true;
  finishWrites().start(std::move(done));
}

Course<void> SavedSettings::finishWrites() {
  const auto self = shared_from_this();
  const auto turn = co_await queue_.turn(tooManySaves());
  co_return turn ? Status() : Status(turn.error());
}

std::string SavedSettings::current() const {
  auto values = Json::object();
  auto secrets = Json::object();
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, value] : current_.values) {
    values.set(key, Json::raw(value));
  }
  for (const auto& [key, secret] : current_.secrets) {
    secrets.set(key, secret);
  }
  return Json::object().set("values", std::move(values)).set("secrets", std::move(secrets)).dump();
}

void SavedSettings::mask(const std::string& slot, const std::string& secret) {
  auto added = with_.mask.add(secret);
  Handle dropped;  // released outside the lock
  const std::scoped_lock lock(mutex_);
  auto& [present, previous] = masks_[slot];
  dropped = std::exchange(previous, std::exchange(present, std::move(added)));
}

void SavedSettings::maskAll(const std::map<std::string, std::string>& secrets) {
  std::map<std::string, std::string> before;
  {
    const std::scoped_lock lock(mutex_);
    before = current_.secrets;
  }
  for (const auto& [key, secret] : secrets) {
    const auto found = before.find(key);
    if (found == before.end() || found->second != secret) {
      mask(key, secret);
    }
  }
}

void SavedSettings::protect(const std::string& secrets) {
  const auto parsed = Json::parse(secrets);
  if (!parsed) {
    return;
  }
  for (const auto& secret : parsed.value().items()) {
    // No key begins with a dot.
    mask(".default:" + secret.asString(), secret.asString());
  }
}

void SavedSettings::write(const std::string& changes, Completion<void> done) {
  auto reply = deliverOn(with_.main, std::move(done));
  const auto parsed = Json::parse(changes);
  if (!parsed || !parsed.value().isArray()) {
    reply(Error{errc::kInvalidArgument, "the changes of a save are not a JSON array"});
    return;
  }
  std::vector<Change> list;
  for (const auto& item : parsed.value().items()) {
    const auto& key = item["key"].asString();
    const auto& value = item["value"];
    Change change{key, {key, std::nullopt}, {key, std::nullopt}};
    if (!value.isNull() && item["secret"].asBool()) {
      change.secret.value = value.asString();
      mask(key, value.asString());
    } else if (!value.isNull()) {
      change.row.value = RawJson(value.dump());
    }
    list.push_back(std::move(change));
  }
  with_.main.post(
      [self = shared_from_this(), list = std::move(list), reply = std::move(reply)]() mutable {
        self->writeInTurn(std::move(list)).start(std::move(reply));
      });
}

bool SavedSettings::changesSomething(const std::vector<Change>& changes) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& change : changes) {
    const auto value = current_.values.find(change.key);
    const auto secret = current_.secrets.find(change.key);
    const bool same_value =
        value == current_.values.end()
            ? !change.row.value
            : change.row.value && change.row.value->text() == value->second.text();
    const bool same_secret = secret == current_.secrets.end()
                                 ? !change.secret.value
                                 : change.secret.value == secret->second;
    if (!same_value || !same_secret) {
      return true;
    }
  }
  return false;
}

bool SavedSettings::holdsSecret(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  return current_.secrets.contains(key);
}

std::vector<storage::SettingChange> SavedSettings::rowsAsTheyAre(
    const std::vector<Change>& changes) const {
  std::vector<storage::SettingChange> rows;
  const std::scoped_lock lock(mutex_);
  for (const auto& change : changes) {
    const auto value = current_.values.find(change.key);
    rows.push_back(
        {change.key, value == current_.values.end() ? std::nullopt : std::optional(value->second)});
  }
  return rows;
}

Course<void> SavedSettings::writeInTurn(std::vector<Change> changes) {
  const auto self = shared_from_this();
  const auto turn = co_await queue_.turn(tooManySaves());
  if (!turn) {
    co_return turn.error();
  }
  if (auto status = refuseWhenClosed(); !status || !changesSomething(changes)) {
    co_return status;
  }
  const auto job = [self, changes]() -> Status {
    std::vector<SecretChange> secrets;
    std::vector<storage::SettingChange> rows;
    for (const auto& change : changes) {
      // A key that changed its kind leaves nothing behind in the other place.
      if (change.secret.value || self->holdsSecret(change.key)) {
        secrets.push_back(change.secret);
      }
      rows.push_back(change.row);
    }
    auto staged = self->files_.stage(std::move(secrets));
    if (!staged) {
      return std::move(staged).error();
    }
    if (auto status = self->with_.store.apply(self->plugin_id_, rows); !status) {
      return status;
    }
    auto status = staged.value().commit();
    if (!status && staged.value().nothingChanged()) {
      // A save that fails is none: what it said is not what the next start finds.
      static_cast<void>(self->with_.store.apply(self->plugin_id_, self->rowsAsTheyAre(changes)));
    }
    return status;
  };
  auto status = co_await onWorker(with_.workers, with_.main, job);
  if (status) {
    written(changes);
    co_return status;
  }
  // What a save that failed has left counts from here on: it is what the next start finds.
  const auto look = [self] { return self->read(); };
  auto left = co_await onWorker(with_.workers, with_.main, look);
  const auto before = current();
  if (left && adopt(std::move(left)) && current() != before) {
    tell();
  }
  co_return status;
}

void SavedSettings::written(const std::vector<Change>& changes) {
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& change : changes) {
      current_.values.erase(change.key);
      current_.secrets.erase(change.key);
      if (change.row.value) {
        current_.values.emplace(change.key, *change.row.value);
      } else if (change.secret.value) {
        current_.secrets.emplace(change.key, *change.secret.value);
      }
    }
  }
  tell();
}

void SavedSettings::tell() {
  // Who hears of the save reads the settings back, and what answers are the environments.
  Error late{errc::kTimeout, "an environment does not take over its settings"};
  Countdown shown(deliverOn(
      with_.main,
      limited(with_.main, kRefreshWait, std::move(late),
              Completion<void>([self = shared_from_this()](const Status&) { self->saved_(); }))));
  for (const auto& follower : followers_) {
    follower.refresh(shown.share());
  }
  shown.arm();
}

}  // namespace svc::plugins
