#include "update_checks.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"
#include "svc/kernel/async.h"

#include "plugin_row_json.h"

namespace svc::updates {
namespace {

using common::Json;
using storage::PluginRow;

constexpr const char* kResultsKey = "updates.results";

Json versionJson(const std::string& version, const std::string& resolved) {
  auto out = Json::object().set("version", version);
  return resolved.empty() ? out : out.set("resolved", resolved);
}

Json textsJson(const std::vector<std::string>& texts) {
  auto out = Json::array();
  for (const auto& text : texts) {
    out.push(text);
  }
  return out;
}

std::string_view outcomeOf(const PluginRow& row, const installs::Resolution& found) {
  if (found.pinned) {
    return "pinned";
  }
  if (found.candidate && found.candidate->resolved != row.resolved) {
    return "update-available";
  }
  return found.blocked ? "incompatible" : "current";
}

/// That the candidate has been installed before and did not stay; null when it has not.
Json rolledBack(const PluginRow& row, const installs::Candidate& candidate) {
  const auto parsed = Json::parse(row.last_failure.empty() ? "{}" : row.last_failure);
  const auto failure = parsed ? parsed.value() : Json();
  const bool same = failure["resolved"].isString()
                        ? failure["resolved"].asString() == candidate.resolved
                        : failure["version"].asString() == candidate.version;
  return same ? Json::object().set("at", failure["at"]).set("detail", failure["detail"]) : Json();
}

void copyMember(Json& to, const std::string& name, const Json& value) {
  if (!value.isNull()) {
    to.set(name, value);
  }
}

}  // namespace

Json updateCheck(const PluginRow& row, const Result<installs::Resolution>& found,
                 std::int64_t now) {
  auto out = Json::object().set("id", row.id);
  const auto installed = versionJson(row.version, row.resolved);
  if (!found) {
    return out.set("outcome", "unavailable")
        .set("installed", installed)
        .set("detail", found.error().message)
        .set("checkedAt", now);
  }
  const auto outcome = outcomeOf(row, found.value());
  out.set("outcome", outcome).set("installed", installed);
  if (outcome == "update-available") {
    const auto& candidate = *found.value().candidate;
    out.set("candidate", versionJson(candidate.version, candidate.resolved));
    copyMember(out, "rolledBack", rolledBack(row, candidate));
  }
  if (outcome == "pinned") {
    out.set("detail", "the source names one version: " + row.source);
  }
  if (found.value().blocked && outcome != "pinned") {
    out.set("blocked", Json::object()
                           .set("version", found.value().blocked->version)
                           .set("reasons", textsJson(found.value().blocked_reasons)));
  }
  return out.set("checkedAt", now);
}

Json updateState(const Json& check) {
  auto out = Json::object().set("outcome", check["outcome"]);
  copyMember(out, "detail", check["detail"]);
  copyMember(out, "availableVersion", check["candidate"]["version"]);
  copyMember(out, "availableSource", check["candidate"]["resolved"]);
  copyMember(out, "rolledBack", check["rolledBack"]);
  copyMember(out, "blockedVersion", check["blocked"]["version"]);
  copyMember(out, "blockedReasons", check["blocked"]["reasons"]);
  return out.set("lastCheckAt", check["checkedAt"]);
}

UpdateChecks::UpdateChecks(Context with) : with_(std::move(with)) {}

Status UpdateChecks::load() {
  const auto stored = with_.settings.get(kResultsKey);
  if (!stored) {
    return stored.error();
  }
  const auto parsed = Json::parse(stored.value().value_or("{}"));
  // What cannot be read is asked for again.
  if (parsed) {
    for (const auto& check : parsed.value()["results"].items()) {
      results_.emplace(check["id"].asString(), check);
      show(check["id"].asString());
    }
  }
  return {};
}

void UpdateChecks::open() {
  arm();
  if (with_.enabled()) {
    check("", {});
  }
}

void UpdateChecks::arm() {
  timer_ = with_.threads.main.after(limits::kUpdateCheck, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->arm();
      if (self->with_.enabled()) {
        self->check("", {});
      }
    }
  });
}

void UpdateChecks::stop() {
  stopped_ = true;
  stop_.request_stop();
  timer_.reset();
  waiting_.clear();
}

Json UpdateChecks::results() const {
  auto list = Json::array();
  for (const auto& [id, check] : results_) {
    list.push(check);
  }
  return Json::object().set("results", std::move(list));
}

Json UpdateChecks::select(const std::set<std::string>& ids) const {
  auto list = Json::array();
  for (const auto& [id, check] : results_) {
    if (ids.contains(id)) {
      list.push(check);
    }
  }
  return Json::object().set("results", std::move(list));
}

void UpdateChecks::check(std::string plugin_id, Completion<Json> done) {
  using Rows = std::vector<PluginRow>;
  with_.updates.rows([weak = weak_from_this(), plugin_id = std::move(plugin_id),
                      done = std::move(done)](Result<Rows> rows) mutable {
    const auto self = weak.lock();
    if (!self || self->stopped_) {
      return;
    }
    if (!rows) {
      done(std::move(rows).error());
      return;
    }
    self->begin(plugin_id, rows.value(), std::move(done));
  });
}

void UpdateChecks::begin(const std::string& plugin_id, const std::vector<PluginRow>& rows,
                         Completion<Json> done) {
  auto round = std::make_shared<Round>();
  round->done = std::move(done);
  std::set<std::string> installed;
  for (const auto& row : rows) {
    installed.insert(row.id);
    if (plugin_id.empty() || row.id == plugin_id) {
      round->ids.insert(row.id);
      waiting_.push_back({row, round});
    }
  }
  std::erase_if(results_, [&](const auto& entry) { return !installed.contains(entry.first); });
  round->open = round->ids.size();
  if (round->open == 0 && !plugin_id.empty()) {
    round->done(Error{errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id),
                      Json::object().set("pluginId", plugin_id).dump()});
    return;
  }
  if (round->open == 0) {
    close(round);
  }
  ask();
}

void UpdateChecks::ask() {
  while (running_ < limits::kUpdateParallel && !waiting_.empty()) {
    const auto question = std::move(waiting_.front());
    waiting_.pop_front();
    if (!isManaged(question.row)) {
      installs::Resolution none;
      none.pinned = true;
      answered(question, none);
      continue;
    }
    ++running_;
    with_.sources.resolve(
        question.row, stop_.get_token(),
        [weak = weak_from_this(), question](const Result<installs::Resolution>& found) {
          const auto self = weak.lock();
          if (!self || self->stopped_) {
            return;
          }
          --self->running_;
          self->answered(question, found);
          // Not from inside: a source may answer at once.
          self->with_.threads.main.post([weak] {
            if (const auto checks = weak.lock()) {
              checks->ask();
            }
          });
        });
  }
}

void UpdateChecks::answered(const Question& question, const Result<installs::Resolution>& found) {
  const auto& id = question.row.id;
  results_.insert_or_assign(id, updateCheck(question.row, found, with_.clock.nowMs()));
  show(id);
  if (--question.round->open == 0) {
    close(question.round);
  }
}

void UpdateChecks::show(const std::string& plugin_id) {
  with_.updates.setUpdateState(plugin_id, updateState(results_.at(plugin_id)));
}

void UpdateChecks::close(const RoundPtr& round) {
  const auto job = [&settings = with_.settings, text = results().dump()] {
    return settings.set(kResultsKey, text);
  };
  runOnWorker<void>(with_.threads.workers, with_.threads.main, job,
                    [self = shared_from_this(), round](const Status& stored) {
                      if (!stored) {
                        self->with_.log->warn("update results could not be stored: {}",
                                              stored.error().message);
                      }
                      round->done(self->select(round->ids));
                    });
}

void UpdateChecks::refresh(const std::string& plugin_id) { check(plugin_id, {}); }

}  // namespace svc::updates
