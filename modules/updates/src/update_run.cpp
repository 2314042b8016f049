#include "update_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"

#include "plugin_row_json.h"
#include "stabilisation.h"

namespace svc::updates {
namespace {

using installs::IPackageSources;
using plugins::IPluginManager;
using plugins::IPluginSwitch;
using plugins::IPluginUpdates;
using plugins::PluginStatus;
using plugins::PluginSwitchPtr;
using storage::PluginRow;

Error refused(const std::string& reason, std::string message) {
  return common::withDetail({errc::kUpdateRefused, std::move(message), ""}, "reason", reason);
}

Error stopping() {
  return {errc::kUnavailable,
          "the server is shutting down; an update that has switched the version goes on at the "
          "next start"};
}

/// What a source refuses is a refused update.
Error fromSource(Error error) {
  if (error.code == errc::kInstallRefused) {
    error.code = errc::kUpdateRefused;
  }
  return error;
}

}  // namespace

UpdateRun::UpdateRun(UpdateContext with, std::string plugin_id)
    : with_(std::move(with)), plugin_id_(std::move(plugin_id)) {}

void UpdateRun::run(std::string request, Completion<UpdateResult> done) {
  begin(update(std::move(request)), std::move(done));
}

void UpdateRun::rollBack(std::string version, Completion<UpdateResult> done) {
  begin(rollBackByHand(std::move(version)), std::move(done));
}

void UpdateRun::resume(Snapshot snapshot, Completion<UpdateResult> done) {
  base_ = snapshot.previous;
  target_ = snapshot.target;
  begin(decide(std::move(snapshot)), std::move(done));
}

void UpdateRun::begin(Course<UpdateResult> course, Completion<UpdateResult> done) {
  std::move(course).start(
      [self = shared_from_this(), done = std::move(done)](Result<UpdateResult> result) mutable {
        const bool stopped = !result && self->stop_.stop_requested();
        done(stopped ? Result<UpdateResult>(stopping()) : std::move(result));
      });
}

void UpdateRun::stop() { stop_.request_stop(); }

// The update

Course<UpdateResult> UpdateRun::update(std::string request) {
  const auto self = shared_from_this();
  if (auto read = co_await readPlugin("read"); !read) {
    co_return std::move(read).error();
  }
  if (!isManaged(base_)) {
    co_return refused("pinned", fmt::format("plugin \"{0}\" is installed from {1}; change its "
                                            "files and use `svc plugin reload {0}`",
                                            base_.id, base_.source));
  }

  const auto asked = common::Json::parse(request.empty() ? "{}" : request);
  auto followed =
      asked && asked.value()["source"].isNull() ? base_ : with_.sources.redirected(base_, request);
  if (!followed) {
    co_return fromSource(std::move(followed).error());
  }

  const auto keep_base = with_.sources.keep(base_);
  auto found = co_await step("resolve", ask(with_.sources, &IPackageSources::resolve,
                                            followed.value(), stop_.get_token()));
  if (!found) {
    co_return fromSource(std::move(found).error());
  }
  auto damaged = co_await isDamaged();
  if (!damaged) {
    co_return std::move(damaged).error();
  }
  auto candidate = choose(found.value(), followed.value(), damaged.value());
  if (!candidate) {
    co_return std::move(candidate).error();
  }
  if (!candidate.value()) {
    co_return result(Outcome::kCurrent);
  }
  const auto confirmed = asked ? asked.value()["confirmedSource"].asString() : std::string();
  if (!confirmed.empty() && confirmed != candidate.value()->resolved) {
    co_return refused("source_changed",
                      fmt::format("plugin \"{}\" would be updated to {} ({}) now, and {} was "
                                  "confirmed; look at it again",
                                  plugin_id_, candidate.value()->version,
                                  candidate.value()->resolved, confirmed));
  }

  const auto progress = [log = with_.log, id = plugin_id_](const std::string& line) {
    log->info("update of plugin {}: {}", id, line);
  };
  auto staged = co_await step("stage", ask(with_.sources, &IPackageSources::stage, followed.value(),
                                           *candidate.value(), stop_.get_token(), progress));
  if (!staged) {
    co_return fromSource(std::move(staged).error());
  }
  target_ = std::move(staged).value();
  const auto keep_target = with_.sources.keep(target_);
  target_.last_failure.clear();

  const bool is_same =
      target_.integrity == base_.integrity && target_.commit_sha == base_.commit_sha;
  const bool repairs = damaged.value() && target_.resolved == base_.resolved;
  // What is in a file of that name may be another version by now.
  if (repairs && !is_same && base_.source_kind != "tarball") {
    co_return refused("integrity",
                      fmt::format("{} is not what was installed under that name; a version that "
                                  "changes is not trusted",
                                  target_.resolved));
  }

  auto turn = co_await step("take turn", ask(with_.updates, &IPluginUpdates::begin, plugin_id_));
  if (auto status = examineTurn(turn, base_); !status) {
    co_return std::move(status).error();
  }
  if (repairs && is_same) {
    auto repaired = co_await repair(turn.value());
    co_return repaired;
  }
  if (target_.root_dir == base_.root_dir) {
    // The same files: nothing is loaded anew, and the way back to the version before stays.
    target_.history = base_.history;
    target_.last_failure = base_.last_failure;
    auto stored = co_await step("follow", ask(*turn.value(), &IPluginSwitch::replace, target_));
    if (!stored) {
      co_return std::move(stored).error();
    }
    co_return result(Outcome::kCurrent);
  }
  auto switched = co_await switchVersion(turn.value());
  if (!switched) {
    // The version before goes on.
    std::ignore = co_await ask(*turn.value(), &IPluginSwitch::load).until(stop_.get_token());
    co_return std::move(switched).error();
  }
  auto loaded = co_await step("load", ask(*turn.value(), &IPluginSwitch::load));
  if (!loaded) {
    co_return std::move(loaded).error();
  }
  turn.value().reset();

  auto decided = co_await decide(std::move(switched).value());
  co_return decided;
}

Course<bool> UpdateRun::isDamaged() {
  const auto self = shared_from_this();
  if (!failed_) {
    co_return false;
  }
  auto intact = co_await step("verify", ask(with_.sources, &IPackageSources::isIntact, base_));
  co_return intact ? Result<bool>(!intact.value()) : std::move(intact);
}

Course<UpdateResult> UpdateRun::repair(PluginSwitchPtr turn) {
  const auto self = shared_from_this();
  // It is the version that it was: the way back to the one before stays.
  target_.history = base_.history;
  target_.last_failure = base_.last_failure;
  auto held = co_await step("hold and dispose",
                            ask(*turn, &IPluginSwitch::suspend, std::string("being repaired")));
  if (!held) {
    co_return std::move(held).error();
  }
  auto stored = co_await step("switch", ask(*turn, &IPluginSwitch::replace, target_));
  auto loaded = co_await step("load", ask(*turn, &IPluginSwitch::load));
  if (!stored || !loaded) {
    co_return stored ? std::move(loaded).error() : std::move(stored).error();
  }
  co_return result(Outcome::kUpdated, "its files were missing or damaged, and are there again");
}

Course<Snapshot> UpdateRun::switchVersion(PluginSwitchPtr turn) {
  const auto self = shared_from_this();
  auto held = co_await step(
      "hold and dispose",
      ask(*turn, &IPluginSwitch::suspend, fmt::format("being updated to {}", target_.version)));
  if (!held) {
    co_return std::move(held).error();
  }
  auto begun =
      co_await step("begin snapshot", onSnapshots(&Snapshots::begin, turn->row(), target_));
  if (!begun) {
    co_return std::move(begun).error();
  }
  auto taken =
      co_await step("take snapshot", onSnapshots(&Snapshots::take, std::move(begun).value()));
  if (!taken) {
    co_return std::move(taken).error();
  }
  auto stored = co_await step("switch", ask(*turn, &IPluginSwitch::replace, target_));
  if (!stored) {
    forget(taken.value());
    co_return std::move(stored).error();
  }
  co_return taken;
}

Course<UpdateResult> UpdateRun::decide(Snapshot snapshot) {
  const auto self = shared_from_this();
  const auto window =
      std::make_shared<Stabilisation>(with_.threads, with_.manager, target_, needed_configuration_);
  auto against = co_await step("stabilise", ask(*window, &Stabilisation::watch));
  if (!against) {
    if (against.error().code == errc::kSafeMode) {
      undecided_ = std::move(snapshot);
    } else {
      forget(snapshot);
    }
    co_return std::move(against).error();
  }
  if (!against.value().empty()) {
    auto back = co_await goBack(std::move(snapshot), std::move(against).value());
    co_return back;
  }
  auto settled = co_await step("settle", onSnapshots(&Snapshots::settle, snapshot));
  if (!settled) {
    co_return std::move(settled).error();
  }
  co_return result(Outcome::kUpdated);
}

// The way back

Course<UpdateResult> UpdateRun::goBack(Snapshot snapshot, std::string why) {
  const auto self = shared_from_this();
  with_.log->warn("plugin {} goes back from {} to {}: {}", plugin_id_, target_.version,
                  base_.version, why);
  auto decided = co_await step("decide rollback",
                               onSnapshots(&Snapshots::decideRollback, std::move(snapshot), why));
  if (!decided) {
    co_return std::move(decided).error();
  }
  auto turn =
      co_await step("take turn back", ask(with_.updates, &IPluginUpdates::begin, plugin_id_));
  if (auto status = examineTurn(turn, target_); !status) {
    if (status.error().code == errc::kConflict) {
      forget(decided.value());
    }
    co_return std::move(status).error();
  }
  auto restored = co_await restore(turn.value(), std::move(decided).value());
  if (!restored) {
    if (!stop_.stop_requested()) {
      turn.value()->giveUp(givenUp(restored.error(), why));
    }
    co_return std::move(restored).error();
  }
  auto loaded = co_await step("load previous", ask(*turn.value(), &IPluginSwitch::load));
  if (!loaded) {
    co_return std::move(loaded).error();
  }
  co_return result(Outcome::kRolledBack, std::move(why));
}

Course<void> UpdateRun::restore(PluginSwitchPtr turn, Snapshot snapshot) {
  const auto self = shared_from_this();
  auto held = co_await step(
      "hold and dispose",
      ask(*turn, &IPluginSwitch::suspend, fmt::format("going back to {}", base_.version)));
  if (!held) {
    co_return std::move(held).error();
  }
  auto files =
      co_await step("restore files", onSnapshots(&Snapshots::restoreFiles, std::move(snapshot)));
  if (!files) {
    co_return std::move(files).error();
  }
  auto row = co_await step(
      "restore rows", onSnapshots(&Snapshots::restoreRows, std::move(files).value(), turn->row()));
  if (!row) {
    co_return std::move(row).error();
  }
  turn->adopt(std::move(row).value());
  co_return {};
}

// Parts of the steps

Course<void> UpdateRun::readPlugin(std::string_view first) {
  const auto self = shared_from_this();
  const auto stop = stop_.get_token();
  const auto safe_mode = co_await step(first, ask(with_.manager, &IPluginManager::safeMode));
  if (safe_mode && safe_mode.value().enabled) {
    co_return Error{errc::kSafeMode,
                    fmt::format("safe mode is on: the version of plugin \"{}\" cannot be "
                                "changed; turn it off with `svc plugin safe-mode off`",
                                plugin_id_)};
  }
  auto record = co_await ask(with_.manager, &IPluginManager::get, plugin_id_).until(stop);
  if (!record) {
    co_return std::move(record).error();
  }
  needed_configuration_ = record.value().status == PluginStatus::kNeedsConfiguration;
  failed_ = record.value().status == PluginStatus::kMissing ||
            record.value().status == PluginStatus::kError || !record.value().status_detail.empty();
  auto rows = co_await ask(with_.updates, &IPluginUpdates::rows).until(stop);
  if (!rows) {
    co_return std::move(rows).error();
  }
  const auto row = std::ranges::find(rows.value(), plugin_id_, &PluginRow::id);
  if (row == rows.value().end()) {
    co_return changed("it was removed");
  }
  base_ = *row;
  co_return {};
}

Result<std::optional<installs::Candidate>> UpdateRun::choose(const installs::Resolution& found,
                                                             const PluginRow& followed,
                                                             bool damaged) const {
  if (found.pinned && !damaged) {
    return refused(
        "pinned",
        fmt::format("plugin \"{}\" is installed as {}, which names one version; install the "
                    "version you want in its place with `svc plugin install`",
                    plugin_id_, base_.source));
  }
  const bool follows_another = followed.source != base_.source;
  if (found.candidate && (follows_another || found.candidate->resolved != base_.resolved)) {
    return found.candidate;
  }
  if (damaged) {
    return std::optional(installs::Candidate{base_.version, base_.resolved, "", ""});
  }
  if (found.blocked) {
    return Error{
        errc::kIncompatible,
        fmt::format("{} {} cannot run here: {}; {} stays installed", plugin_id_,
                    found.blocked->version, fmt::join(found.blocked_reasons, "; "), base_.version)};
  }
  return std::optional<installs::Candidate>();
}

Status UpdateRun::examineTurn(const Result<PluginSwitchPtr>& turn,
                              const PluginRow& expected) const {
  if (!turn) {
    const bool gone = turn.error().code == errc::kUnknownPlugin;
    return gone ? changed("it was removed") : turn.error();
  }
  if (!sameInstallation(turn.value()->row(), expected)) {
    return changed("its installation is another one now");
  }
  return {};
}

void UpdateRun::forget(const Snapshot& snapshot) {
  if (stop_.stop_requested()) {
    return;
  }
  std::ignore =
      with_.threads.workers.submit([snapshots = with_.snapshots, snapshot](const std::stop_token&) {
        static_cast<void>(snapshots->settle(snapshot));
      });
}

Error UpdateRun::changed(std::string_view what) const {
  return changedMeanwhile(plugin_id_, by_hand_ ? "rolled back" : "updated", what);
}

std::string UpdateRun::givenUp(const Error& error, std::string_view why) const {
  const auto what = by_hand_
                        ? fmt::format("the rollback to {} could not be finished: {}", base_.version,
                                      error.message)
                        : fmt::format(
                              "the update to {} failed ({}) and the version before could not be "
                              "restored: {}",
                              target_.version, why, error.message);
  return what + "; the next start of the server tries again";
}

UpdateResult UpdateRun::result(Outcome outcome, std::string detail) const {
  return {outcome, base_.version, target_.version, std::move(detail)};
}

}  // namespace svc::updates
