#include "model_world.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "thread_record.h"
#include "timeline.h"

namespace svc::threads::model {

using common::Json;

void ModelPlaces::resolve(EnvironmentNeed need, PlaceListener told,
                          Completion<ReadyEnvironment> done) {
  if (!store_.dead) {
    asked_.push_back({std::move(need), std::move(told), std::move(done)});
  }
}

bool ModelPlaces::answer(bool kind) {
  if (asked_.empty()) {
    return false;
  }
  const auto luck = kind ? 0 : dice_.roll(100);
  ReadyEnvironment place{.environment_id = "env_a", .host_id = "host_a", .cwd = "/work"};
  if (luck >= 70) {
    // A step on the way.
    const auto& asked = dice_.oneOf(asked_);
    const auto told = asked.told;
    told(luck >= 85 ? PlaceNews{.environment = place}
                    : PlaceNews{.step = Json::object()
                                            .set("key", std::to_string(luck % 3))
                                            .set("type", "step")
                                            .set("text", "making it")
                                            .set("status", "active")});
    return true;
  }
  const auto at = dice_.roll(asked_.size());
  auto asked = std::move(asked_[at]);
  asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(at));
  if (luck >= 60) {
    asked.done(Error{luck >= 65 ? errc::kHostUnavailable : errc::kUnavailable, "no place"});
  } else {
    asked.done(std::move(place));
  }
  return true;
}

void ModelPlaces::clear() {
  while (!asked_.empty()) {
    std::exchange(asked_, {}).clear();
  }
}

void ModelHooks::decide(common::RawJson context, Completion<agents::DispatchDecision> done) {
  if (store_.dead) {
    return;
  }
  const auto whole = Json::parse(context.text()).value();
  std::vector<std::string> queue;
  for (const auto& row : whole["queuedMessages"].items()) {
    queue.push_back(row["id"].asString());
  }
  watch_.noteAsked(whole["thread"]["id"].asString(), queue);
  asked_.push_back(std::move(done));
}

Handle ModelHooks::onRecheck(std::function<void(const std::string& plugin_id)> listener) {
  listener_ = std::move(listener);
  return Handle([this] { listener_ = nullptr; });
}

bool ModelHooks::answer(bool kind) {
  using Kind = agents::DispatchDecision::Kind;
  if (asked_.empty()) {
    return false;
  }
  const auto at = dice_.roll(asked_.size());
  auto done = std::move(asked_[at]);
  asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(at));
  const auto luck = kind ? 0 : dice_.roll(100);
  if (luck < 76) {
    done(agents::DispatchDecision{});
  } else if (luck < 92) {
    agents::DispatchDecision wait{.kind = Kind::kWait, .plugin_id = "slow", .text = "not yet"};
    if (luck < 84) {
      wait.send_at = clock_.nowMs() + static_cast<std::int64_t>(dice_.roll(3000));
    }
    done(std::move(wait));
  } else {
    watch_.refusing = true;
    done(agents::DispatchDecision{.kind = Kind::kReject, .plugin_id = "strict", .text = "no"});
    watch_.refusing = false;
  }
  return true;
}

void ModelHooks::recheck() {
  if (listener_) {
    listener_("slow");
  }
}

void ModelHooks::clear() {
  while (!asked_.empty()) {
    std::exchange(asked_, {}).clear();
  }
}

World::World(std::uint64_t seed, Reopen reopen)
    : dice_(seed), reopen_(std::move(reopen)), store_(reopen_(), watch_) {
  watch_.clock = &clock_;
  steps_.emplace_back("start");
  start();
}

void World::start() {
  live_ = std::make_unique<LiveTexts>([](const std::string&, const Delta&) {});
  book_ = std::make_unique<ThreadBook>(store_, clock_, Announcements{});
  timelines_ = std::make_unique<KeptTimelines>(*book_);
  if (const auto opened = book_->open(); !opened) {
    watch_.blame(opened.error().message);
  }
  records_ = std::make_unique<ThreadRecords>(*book_);
  queue_ = std::make_unique<MessageQueue>(*book_);
  runner_ = std::make_unique<TurnRunner>(*book_, workers_,
                                         Crew{.agents = &machine_,
                                              .environments = &places_,
                                              .hooks = &hooks_,
                                              .main = &main_,
                                              .live = live_.get()});
  runner_->bound({.idle = std::chrono::seconds(20), .per_machine = 3});
  desk_ = std::make_unique<InteractionDesk>(*book_, *runner_);
  const auto accepted = watch_.outliving();
  const auto recovered = runner_->recover();
  std::size_t open = 0;
  for (const auto& id : watch_.order) {
    open += watch_.threads.at(id).deleted_at == 0 && watch_.isOpen(id) ? 1 : 0;
  }
  if (recovered && !store_.full && (watch_.outliving() != accepted || open != accepted.size())) {
    watch_.blame(fmt::format("{} turns are open after a restart, {} had been accepted and no more",
                             open, accepted.size()));
  }
}

void World::stop() {
  store_.dead = true;
  machine_.forgetServer();
  places_.clear();
  hooks_.clear();
  desk_.reset();
  runner_.reset();
  queue_.reset();
  records_.reset();
  timelines_.reset();
  book_.reset();
  live_.reset();
}

void World::restart(bool killed) {
  if (!killed) {
    runner_->close();
  }
  if (killed) {
    note("(killed)");
  }
  stop();
  store_.use(reopen_());
  store_.life = -1;
  store_.dead = false;
  watch_.compare(store_);
  start();
}

void World::step() {
  std::size_t all = 0;
  for (const auto& deed : kDeeds) {
    all += deed.weight;
  }
  auto chosen = dice_.roll(all);
  for (const auto& deed : kDeeds) {
    if (chosen < deed.weight) {
      steps_.emplace_back(deed.name);
      (this->*deed.does)();
      break;
    }
    chosen -= deed.weight;
  }
  watch_.moving = false;
  watch_.removing = false;
  if (store_.dead) {
    restart(true);
  }
  clock_.advance(std::chrono::milliseconds(1));
  if (steps_.size() % 20 == 0) {
    watch_.checkLogs();
    checkPromises();
  }
}

Completion<Json> World::whenAnswered(Answered then) {
  return Completion<Json>([this, then = std::move(then)](const Result<Json>& answer) {
    if (!store_.dead) {
      then(answer);
    }
  });
}

bool World::settleOnce() {
  while (places_.answer(true) || hooks_.answer(true) || machine_.doCommand(true) ||
         machine_.deliver()) {
  }
  for (const auto& id : std::vector(watch_.order)) {
    (void)records_->unarchive(id);
    for (const auto& row : book_->interactions(id)) {
      if (parsed(row.origin)["kind"].asString() == "plugin") {
        (void)desk_->cancel(id, row.id, "user");
      } else if (row.status == "pending") {
        desk_->resolve(id, row.id, Json::object().set("decision", "deny"),
                       whenAnswered([](const auto&) {}));
      }
    }
  }
  (void)machine_.say(true);
  hooks_.recheck();
  clock_.advance(std::chrono::seconds(1));
  runner_->tick();
  desk_->tick();
  bool quiet = true;
  for (const auto& id : watch_.order) {
    if (watch_.threads.at(id).deleted_at != 0) {
      continue;
    }
    const bool waits = !watch_.queue(id).empty();
    quiet = quiet && !waits && !watch_.isOpen(id);
    if (waits && watch_.threads.at(id).status == "error") {
      // What waits there goes on when somebody does.
      std::string word;
      auto input = newWords(id, &word);
      runner_->send({.message = {.thread_id = id, .input = input, .execution = Json::object()}},
                    whenAnswered(kept(word)));
    }
  }
  return quiet;
}

void World::finish() {
  steps_.emplace_back("finish");
  store_.life = -1;
  store_.full = false;
  machine_.away = false;
  constexpr int kRounds = 500;
  int round = 0;
  while (!settleOnce() && ++round < kRounds) {
  }
  for (const auto& id : watch_.order) {
    const auto& thread = watch_.threads.at(id);
    if (thread.deleted_at == 0 && (watch_.isOpen(id) || !watch_.queue(id).empty())) {
      std::string last;
      const auto& log = watch_.log(id);
      for (auto at = log.size() > 8 ? log.size() - 8 : 0; at < log.size(); ++at) {
        last += " " + log[at].type;
      }
      watch_.blame(fmt::format("thread {} ({}) does not come to rest, {} messages wait, after{}",
                               id, thread.status, watch_.queue(id).size(), last));
    }
    const auto shown = book_->thread(id);
    if (shown && !(shown.value() == thread)) {
      watch_.blame(fmt::format("thread {} is another one in memory", id));
    }
  }
  if (runner_->unstored() != 0) {
    watch_.blame("an end is not stored although it could be");
  }
  watch_.checkLogs();
  watch_.compare(store_);
  checkPromises();
  checkTaken();
  checkWindows();
}

void World::checkPromises() {
  for (const auto& [word, promise] : promises_) {
    const auto thread = watch_.threads.find(promise.thread_id);
    if (!promise.thread_id.empty() &&
        (thread == watch_.threads.end() || thread->second.deleted_at != 0)) {
      continue;
    }
    const auto found = watch_.count(word);
    if (found < promise.at_least || found > promise.at_most) {
      watch_.blame(fmt::format("the message {} of thread {} is there {} times, not {} to {}", word,
                               promise.thread_id, found, promise.at_least, promise.at_most));
    }
  }
}

/// What was taken from an agent is in the log, in the same order.
void World::checkTaken() {
  for (const auto& [id, marks] : machine_.taken()) {
    if (!watch_.threads.contains(id) || watch_.threads.at(id).deleted_at != 0) {
      continue;
    }
    std::vector<std::string> logged;
    for (const auto& event : watch_.log(id)) {
      if (auto mark = parsed(event.data)["mark"].asString(); !mark.empty()) {
        logged.push_back(std::move(mark));
      }
    }
    auto at = logged.begin();
    for (const auto& mark : marks) {
      const auto found = std::find(at, logged.end(), mark);
      if (found == logged.end()) {
        watch_.blame(fmt::format("thread {}: event {} is lost or out of order", id, mark));
        break;
      }
      at = std::next(found);
    }
  }
}

void World::lookAt(const std::string& thread_id) {
  auto& window = windows_[thread_id];
  const auto live = live_->of(thread_id);
  const TimelineQuery wanted{
      .thread_id = thread_id, .segment_limit = 200, .after_sequence = window.seq};
  const auto timeline = timelines_->read(wanted, live);
  if (!timeline) {
    return;
  }
  const auto fresh = readTimeline(*book_, wanted, live);
  if (!fresh || fresh.value() != timeline.value()) {
    watch_.blame(fmt::format("thread {}: what is kept of its timeline is {}", thread_id,
                             timeline.value().dump()));
  }
  const auto& delta = timeline.value()["delta"];
  for (const auto& row : delta["upsertRows"].items()) {
    window.rows[row["id"].asString()] = row;
  }
  if (delta.find("rowOrder") != nullptr) {
    window.order.clear();
    for (const auto& id : delta["rowOrder"].items()) {
      window.order.push_back(id.asString());
    }
  }
  window.seq = timeline.value()["maxSeq"].asInteger();
}

/// Who has followed the changes sees what somebody sees who comes now.
void World::checkWindows() {
  for (const auto& id : watch_.order) {
    lookAt(id);
    const auto timeline = readTimeline(*book_, {.thread_id = id, .segment_limit = 200});
    if (!timeline) {
      continue;
    }
    auto& window = windows_[id];
    const auto& rows = timeline.value()["rows"].items();
    bool same = rows.size() == window.order.size();
    for (std::size_t at = 0; same && at < rows.size(); ++at) {
      same = rows[at]["id"].asString() == window.order[at] &&
             rows[at] == window.rows[window.order[at]];
      if (!same) {
        watch_.blame(fmt::format("the row {} is {} for a window", rows[at].dump(),
                                 window.rows[window.order[at]].dump()));
      }
    }
    if (!same) {
      watch_.blame(fmt::format("thread {}: a window that follows shows something else", id));
    }
  }
}

}  // namespace svc::threads::model
