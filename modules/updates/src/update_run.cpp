#include "update_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"

#include "plugin_row_json.h"

namespace svc::updates {
namespace {

using plugins::PluginRecord;
using plugins::PluginStatus;
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

std::span<const UpdateRun::Step> UpdateRun::steps() {
  static constexpr std::array<Step, 11> kSteps{{
      {"read", &UpdateRun::read},
      {"resolve", &UpdateRun::resolve},
      {"stage", &UpdateRun::stage},
      {"take turn", &UpdateRun::takeTurn},
      {"hold and dispose", &UpdateRun::hold},
      {"begin snapshot", &UpdateRun::beginSnapshot},
      {"take snapshot", &UpdateRun::takeSnapshot},
      {"switch", &UpdateRun::switchRow},
      {"load", &UpdateRun::load},
      {"stabilise", &UpdateRun::stabilise},
      {"settle", &UpdateRun::settle},
  }};
  return kSteps;
}

std::span<const UpdateRun::Step> UpdateRun::rollbackSteps() {
  static constexpr std::array<Step, 6> kSteps{{
      {"decide rollback", &UpdateRun::decideRollback},
      {"take turn back", &UpdateRun::takeTurnBack},
      {"hold and dispose", &UpdateRun::hold},
      {"restore files", &UpdateRun::restoreFiles},
      {"restore rows", &UpdateRun::restoreRows},
      {"load previous", &UpdateRun::loadPrevious},
  }};
  return kSteps;
}

void UpdateRun::run(Completion<UpdateResult> done) {
  done_ = std::move(done);
  next(steps(), 0);
}

void UpdateRun::resume(Snapshot snapshot, Completion<UpdateResult> done) {
  done_ = std::move(done);
  snapshot_ = std::move(snapshot);
  has_snapshot_ = true;
  switched_ = true;
  base_ = snapshot_.previous;
  target_ = snapshot_.target;
  const auto window = std::ranges::find(steps(), "stabilise", &Step::name);
  next(steps(), static_cast<std::size_t>(window - steps().begin()));
}

void UpdateRun::stop() {
  stop_.request_stop();
  finish(stopping());
}

void UpdateRun::next(std::span<const Step> steps, std::size_t index) {
  if (ended_) {
    return;
  }
  if (index == steps.size()) {
    finish(rollback_reason_.empty() ? result(UpdateResult::Outcome::kUpdated)
                                    : result(UpdateResult::Outcome::kRolledBack, rollback_reason_));
    return;
  }
  if (with_.observer == nullptr) {
    perform(steps, index);
    return;
  }
  with_.observer->before(plugin_id_, steps[index].name,
                         [self = shared_from_this(), steps, index](const Status&) {
                           if (!self->ended_) {
                             self->perform(steps, index);
                           }
                         });
}

void UpdateRun::perform(std::span<const Step> steps, std::size_t index) {
  with_.log->debug("update of plugin {}: {}", plugin_id_, steps[index].name);
  (this->*steps[index].run)([self = shared_from_this(), steps, index](const Status& status) {
    if (self->ended_) {
      return;
    }
    if (!status) {
      self->failed(steps, status.error());
    } else if (!self->rollback_reason_.empty() && steps.data() != rollbackSteps().data()) {
      self->next(rollbackSteps(), 0);
    } else {
      self->next(steps, index + 1);
    }
  });
}

void UpdateRun::failed(std::span<const Step> steps, const Error& error) {
  const bool rolling_back = steps.data() == rollbackSteps().data();
  // A plugin that was changed by somebody else needs nothing of what the snapshot is for.
  if (has_snapshot_ && (!switched_ || error.code == errc::kConflict)) {
    with_.threads.workers.submit([snapshots = with_.snapshots, snapshot = snapshot_] {
      static_cast<void>(snapshots->settle(snapshot));
    });
  }
  if (suspended_ && switch_ && !switched_) {
    // Nothing was switched: the version before goes on.
    switch_->load(
        [self = shared_from_this(), error](const Result<PluginRecord>&) { self->finish(error); });
    return;
  }
  if (rolling_back && switch_) {
    switch_->giveUp(givenUp(error));
  }
  finish(error);
}

std::string UpdateRun::givenUp(const Error& error) const {
  const auto what = rollback_reason_ == kByHand
                        ? fmt::format("the rollback to {} could not be finished: {}", base_.version,
                                      error.message)
                        : fmt::format(
                              "the update to {} failed ({}) and the version before could not be "
                              "restored: {}",
                              target_.version, rollback_reason_, error.message);
  return what + "; the next start of the server tries again";
}

void UpdateRun::finish(Result<UpdateResult> result) {
  if (std::exchange(ended_, true)) {
    return;
  }
  // The run may be held by nothing else than what is let go here.
  const auto self = shared_from_this();
  watch_.reset();
  window_.reset();
  window_over_ = {};
  switch_.reset();
  keep_base_.reset();
  keep_target_.reset();
  done_(std::move(result));
}

Error UpdateRun::changed(std::string_view what) const {
  return {errc::kConflict,
          fmt::format("plugin \"{}\" was changed while it was being {}: {}", plugin_id_,
                      rollback_reason_ == kByHand ? "rolled back" : "updated", what)};
}

UpdateResult UpdateRun::result(UpdateResult::Outcome outcome, std::string detail) const {
  return {outcome, base_.version, target_.version, std::move(detail)};
}

// Steps of an update

void UpdateRun::read(Completion<void> done) {
  readPlugin([self = shared_from_this(), answer = shared(std::move(done))](const Status& status) {
    const auto& row = self->base_;
    if (status && !isManaged(row)) {
      (*answer)(refused("pinned", fmt::format("plugin \"{0}\" is installed from {1}; change its "
                                              "files and use `svc plugin reload {0}`",
                                              row.id, row.source)));
      return;
    }
    (*answer)(status);
  });
}

void UpdateRun::readPlugin(Completion<void> done) {
  with_.manager.safeMode([self = shared_from_this(), answer = shared(std::move(done))](
                             const Result<plugins::SafeModeState>& state) {
    if (state && state.value().enabled) {
      (*answer)(Error{errc::kSafeMode,
                      fmt::format("safe mode is on: the version of plugin \"{}\" cannot be "
                                  "changed; turn it off with `svc plugin safe-mode off`",
                                  self->plugin_id_)});
      return;
    }
    self->readRow(std::move(*answer));
  });
}

void UpdateRun::readRow(Completion<void> done) {
  auto answer = shared(std::move(done));
  with_.manager.get(plugin_id_, [self = shared_from_this(), answer](Result<PluginRecord> record) {
    if (!record) {
      (*answer)(std::move(record).error());
      return;
    }
    self->needed_configuration_ = record.value().status == PluginStatus::kNeedsConfiguration;
    self->with_.updates.rows([self, answer](Result<std::vector<PluginRow>> rows) {
      if (!rows) {
        (*answer)(std::move(rows).error());
        return;
      }
      const auto row = std::ranges::find(rows.value(), self->plugin_id_, &PluginRow::id);
      if (row == rows.value().end()) {
        (*answer)(self->changed("it was removed"));
        return;
      }
      self->base_ = *row;
      (*answer)({});
    });
  });
}

void UpdateRun::resolve(Completion<void> done) {
  keep_base_ = with_.sources.keep(base_);
  with_.sources.resolve(base_, stop_.get_token(),
                        [self = shared_from_this(),
                         answer = shared(std::move(done))](Result<installs::Resolution> found) {
                          if (self->ended_) {
                            return;
                          }
                          if (!found) {
                            (*answer)(fromSource(std::move(found).error()));
                            return;
                          }
                          self->choose(found.value(), std::move(*answer));
                        });
}

void UpdateRun::choose(const installs::Resolution& found, Completion<void> done) {
  if (found.pinned) {
    done(refused("pinned",
                 fmt::format("plugin \"{}\" is installed as {}, which names one version; remove it "
                             "and install the version you want",
                             plugin_id_, base_.source)));
    return;
  }
  if (found.candidate && found.candidate->resolved != base_.resolved) {
    candidate_ = *found.candidate;
    done({});
    return;
  }
  if (found.blocked) {
    done(Error{errc::kIncompatible,
               fmt::format("{} {} cannot run here: {}; {} stays installed", plugin_id_,
                           found.blocked->version, fmt::join(found.blocked_reasons, "; "),
                           base_.version)});
    return;
  }
  finish(result(UpdateResult::Outcome::kCurrent));
}

void UpdateRun::stage(Completion<void> done) {
  const auto progress = [log = with_.log, id = plugin_id_](const std::string& line) {
    log->info("update of plugin {}: {}", id, line);
  };
  with_.sources.stage(
      base_, candidate_, stop_.get_token(), progress,
      [self = shared_from_this(), answer = shared(std::move(done))](Result<PluginRow> staged) {
        if (!staged) {
          (*answer)(fromSource(std::move(staged).error()));
          return;
        }
        self->target_ = std::move(staged).value();
        self->keep_target_ = self->with_.sources.keep(self->target_);
        self->target_.last_failure.clear();
        (*answer)({});
      });
}

void UpdateRun::takeTurn(Completion<void> done) { turn(base_, std::move(done)); }

void UpdateRun::turn(const PluginRow& expected, Completion<void> done) {
  with_.updates.begin(plugin_id_,
                      [self = shared_from_this(), expected,
                       answer = shared(std::move(done))](Result<plugins::PluginSwitchPtr> begun) {
                        if (self->ended_) {
                          return;
                        }
                        if (!begun) {
                          const bool gone = begun.error().code == errc::kUnknownPlugin;
                          (*answer)(gone ? self->changed("it was removed") : begun.error());
                          return;
                        }
                        if (!sameInstallation(begun.value()->row(), expected)) {
                          (*answer)(self->changed("its installation is another one now"));
                          return;
                        }
                        self->switch_ = std::move(begun).value();
                        (*answer)({});
                      });
}

void UpdateRun::hold(Completion<void> done) {
  suspended_ = true;
  const bool back = !rollback_reason_.empty();
  switch_->suspend(back ? fmt::format("going back to {}", base_.version)
                        : fmt::format("being updated to {}", target_.version),
                   std::move(done));
}

void UpdateRun::beginSnapshot(Completion<void> done) {
  snapshotJob<Snapshot>([snapshots = with_.snapshots, base = switch_->row(),
                         target = target_] { return snapshots->begin(base, target); },
                        [this](Snapshot snapshot) { snapshot_ = std::move(snapshot); },
                        std::move(done));
}

void UpdateRun::takeSnapshot(Completion<void> done) {
  snapshotJob<Snapshot>(
      [snapshots = with_.snapshots, snapshot = snapshot_] { return snapshots->take(snapshot); },
      [this](Snapshot snapshot) {
        snapshot_ = std::move(snapshot);
        has_snapshot_ = true;
      },
      std::move(done));
}

void UpdateRun::switchRow(Completion<void> done) {
  switch_->replace(
      target_, [self = shared_from_this(), answer = shared(std::move(done))](const Status& stored) {
        self->switched_ = stored.ok();
        (*answer)(stored);
      });
}

void UpdateRun::load(Completion<void> done) {
  switch_->load([self = shared_from_this(),
                 answer = shared(std::move(done))](const Result<PluginRecord>& record) {
    self->switch_.reset();
    self->suspended_ = false;
    (*answer)(record ? Status() : Status(record.error()));
  });
}

}  // namespace svc::updates
