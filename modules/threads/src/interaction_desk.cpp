#include "interaction_desk.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"
#include "svc/common/record_id.h"
#include "svc/common/shown_text.h"
#include "svc/common/surrogates.h"

#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::InteractionRow;

namespace {

Error noSuchInteraction(std::string_view id) {
  return {errc::kNotFound,
          fmt::format("the thread has no interaction \"{}\"; GET …/interactions lists those that "
                      "wait",
                      id)};
}

bool isFromPlugin(const InteractionRow& row) {
  return parsed(row.origin)["kind"].asString() == "plugin";
}

/// The reasons that plugins know; all else is the end of what the form belonged to.
std::string cancelReason(const std::string& stored) {
  constexpr std::array kKnown{
      "user", "thread-stopped", "thread-deleted", "plugin-disposed", "server-restarted", "timeout"};
  return std::find(kKnown.begin(), kKnown.end(), stored) == kKnown.end() ? "request-aborted"
                                                                         : stored;
}

Result<Json> readAnswers(const Json& questions, const Json& answers) {
  if (!answers.isObject()) {
    return Error{errc::kInvalidInput,
                 "resolution.answers: expected { [questionId]: { selected, freeText? } }"};
  }
  for (const auto& [id, answer] : answers.members()) {
    const auto& all = questions.items();
    if (std::none_of(all.begin(), all.end(),
                     [&id = id](const Json& each) { return each["id"].asString() == id; })) {
      return Error{errc::kInvalidInput,
                   fmt::format("resolution.answers: there is no question \"{}\"",
                               common::shownOnOneLine(id))};
    }
  }
  for (const auto& question : questions.items()) {
    const auto& id = question["id"].asString();
    const auto& answer = answers[id];
    const auto& selected = answer["selected"];
    if (answer.isNull() && question["optional"].asBool()) {
      continue;
    }
    if (const auto& text = answer["freeText"]; !text.isNull()) {
      if (!text.isString()) {
        return Error{errc::kInvalidInput,
                     fmt::format("resolution.answers.{}.freeText: expected a text", id)};
      }
      if (const auto length = common::utf16Length(text.asString()); length > kQuestionText) {
        return Error{errc::kInvalidInput,
                     fmt::format("resolution.answers.{}.freeText has {} characters (limit "
                                 "questionText: {})",
                                 id, length, kQuestionText)};
      }
      if (!text.asString().empty() && !question["allowFreeText"].asBool()) {
        return Error{errc::kInvalidInput,
                     fmt::format("resolution.answers.{}.freeText: the question takes one of its "
                                 "options only",
                                 id)};
      }
    }
    if (!selected.isArray()) {
      return Error{errc::kInvalidInput,
                   fmt::format("resolution.answers.{}.selected: expected an array", id)};
    }
    for (const auto& value : selected.items()) {
      const auto& options = question["options"].items();
      if (std::none_of(options.begin(), options.end(),
                       [&value](const Json& each) { return each["value"] == value; })) {
        return Error{errc::kInvalidInput,
                     fmt::format("resolution.answers.{}: there is no option {}", id, value.dump())};
      }
    }
    if (selected.items().size() > 1 && !question["multiSelect"].asBool()) {
      return Error{errc::kInvalidInput,
                   fmt::format("resolution.answers.{}: one option can be selected", id)};
    }
  }
  return Json::object().set("kind", "user_answer").set("answers", answers);
}

}  // namespace

Result<Json> readResolution(const Json& payload, const Json& resolution) {
  if (payload["kind"].asString() == "user_question") {
    return readAnswers(payload["questions"], resolution["answers"]);
  }
  const auto& decision = resolution["decision"];
  const auto& available = payload["availableDecisions"].items();
  if (std::find(available.begin(), available.end(), decision) == available.end()) {
    return Error{errc::kInvalidInput,
                 fmt::format("resolution.decision: expected one of {}, not {}",
                             payload["availableDecisions"].dump(), decision.dump())};
  }
  if (const auto& granted = resolution["grantedPermissions"];
      !granted.isNull() && !granted.isObject()) {
    return Error{errc::kInvalidInput,
                 fmt::format("resolution.grantedPermissions: expected an object or null, not {}",
                             granted.dump())};
  }
  auto out = Json::object().set("decision", decision);
  if (decision.asString() != "deny") {
    // An agent has no way to be given less than it asks for.
    out.set("grantedPermissions", payload["subject"]["permissions"]);
  }
  return out;
}

Result<Json> InteractionDesk::list(const std::string& thread_id) const {
  if (const auto thread = book_.thread(thread_id); !thread) {
    return thread.error();
  }
  auto out = Json::array();
  for (const auto& row : book_.interactions(thread_id)) {
    out.push(toRecord(row));
  }
  return out;
}

Result<Json> InteractionDesk::get(const std::string& thread_id,
                                  const std::string& interaction_id) const {
  if (const auto thread = book_.thread(thread_id); !thread) {
    return thread.error();
  }
  const auto row = book_.store().interaction(interaction_id);
  if (!row) {
    return row.error();
  }
  if (!row.value() || row.value()->thread_id != thread_id) {
    return noSuchInteraction(interaction_id);
  }
  return toRecord(*row.value());
}

Result<InteractionRow> InteractionDesk::openRow(const std::string& thread_id,
                                                const std::string& interaction_id) const {
  if (const auto thread = book_.thread(thread_id); !thread) {
    return thread.error();
  }
  for (auto& row : book_.interactions(thread_id)) {
    if (row.id == interaction_id) {
      return std::move(row);
    }
  }
  const auto ended = book_.store().interaction(interaction_id);
  if (!ended) {
    return ended.error();
  }
  if (!ended.value() || ended.value()->thread_id != thread_id) {
    return noSuchInteraction(interaction_id);
  }
  return Error{
      errc::kConflict,
      fmt::format("the interaction is {} already; the first answer counts", ended.value()->status),
      Json::object().set("interaction", toRecord(*ended.value())).dump()};
}

Result<Json> InteractionDesk::move(InteractionRow row, InteractionInput input,
                                   const std::string& reason, const Json& resolution) {
  Edit edit(book_);
  auto thread = edit.thread(row.thread_id);
  if (!thread) {
    return std::move(thread).error();
  }
  // As it is now that nobody else changes it.
  for (auto& current : book_.interactions(row.thread_id)) {
    if (current.id == row.id) {
      row = std::move(current);
    }
  }
  if (!advanceInteraction(edit, *thread.value(), row, input, reason, resolution)) {
    return Error{errc::kConflict,
                 fmt::format("the interaction is {} already; the first answer counts", row.status)};
  }
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return toRecord(row);
}

void InteractionDesk::resolve(const std::string& thread_id, const std::string& interaction_id,
                              const Json& resolution, Completion<Json> done) {
  auto row = openRow(thread_id, interaction_id);
  if (!row) {
    return done(std::move(row).error());
  }
  if (isFromPlugin(row.value())) {
    return done(Error{errc::kInvalidInput, "a plugin asks here; answer with …/respond { value }"});
  }
  auto answer = readResolution(parsed(row.value().payload), resolution);
  if (!answer) {
    return done(std::move(answer).error());
  }
  if (auto moved = move(row.value(), InteractionInput::kAnswer, {}, answer.value()); !moved) {
    return done(std::move(moved).error());
  }
  auto shared = std::make_shared<Completion<Json>>(std::move(done));
  const bool for_session = answer.value()["decision"].asString() == "allow_for_session";
  runner_.answer(
      row.value(), std::move(answer).value(),
      [this, row = row.value(), shared, for_session](const Status& delivered) {
        auto moved =
            move(row, delivered ? InteractionInput::kDelivered : InteractionInput::kDeliveryFailed,
                 delivered ? std::string() : delivered.error().message, {});
        if (!delivered) {
          return (*shared)(delivered.error());
        }
        (*shared)(std::move(moved));
        if (for_session) {
          allowGranted(row.thread_id);
        }
        runner_.drain(row.thread_id);
      });
}

void InteractionDesk::allowGranted(const std::string& thread_id) {
  runner_.granted(thread_id, [this, thread_id](const Result<std::vector<std::string>>& asked) {
    if (!asked || asked.value().empty()) {
      return;
    }
    for (const auto& row : book_.interactions(thread_id)) {
      const auto& id = parsed(row.origin)["providerRequestId"].asString();
      if (std::find(asked.value().begin(), asked.value().end(), id) != asked.value().end()) {
        resolve(thread_id, row.id, Json::object().set("decision", "allow_once"),
                [](const Result<Json>&) {});
      }
    }
  });
}

Result<Json> InteractionDesk::respond(const std::string& thread_id,
                                      const std::string& interaction_id, const Json& value) {
  auto row = openRow(thread_id, interaction_id);
  if (!row) {
    return std::move(row).error();
  }
  if (!isFromPlugin(row.value())) {
    return Error{errc::kInvalidInput, "an agent asks here; answer with …/resolve { resolution }"};
  }
  const auto resolution = Json::object().set("kind", "plugin_submitted");
  if (auto moved = move(row.value(), InteractionInput::kAnswer, {}, resolution); !moved) {
    return moved;
  }
  bool described = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto waiting = waiting_.find(interaction_id);
    if (described = waiting != waiting_.end() && waiting->second.described; described) {
      describing_[interaction_id] = {.plugin_id = parsed(row.value().origin)["pluginId"].asString(),
                                     .thread_id = thread_id,
                                     .until = book_.now() + 2 * limits::kDescribe.count()};
    }
  }
  tell(interaction_id, Json::object()
                           .set("outcome", "submitted")
                           .set("value", value)
                           .set("interactionId", interaction_id));
  return described ? get(thread_id, interaction_id) : delivered(thread_id, interaction_id, {});
}

Result<Json> InteractionDesk::delivered(const std::string& thread_id,
                                        const std::string& interaction_id,
                                        const Json& description) {
  auto row = openRow(thread_id, interaction_id);
  if (!row) {
    return std::move(row).error();
  }
  auto resolution = Json::object().set("kind", "plugin_submitted");
  if (!description.isNull()) {
    resolution.set("description", description);
  }
  auto moved = move(std::move(row).value(), InteractionInput::kDelivered, {}, resolution);
  runner_.drain(thread_id);
  return moved;
}

void InteractionDesk::describe(const std::string& plugin_id, const std::string& interaction_id,
                               const Json& description) {
  std::string thread_id;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = describing_.find(interaction_id);
    if (found == describing_.end() || found->second.plugin_id != plugin_id) {
      return;
    }
    thread_id = found->second.thread_id;
    describing_.erase(found);
  }
  (void)delivered(thread_id, interaction_id, description);
}

std::vector<std::string> InteractionDesk::asked(std::optional<std::uint64_t> load_id) const {
  std::vector<std::string> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, asker] : waiting_) {
    if (!load_id || asker.load_id == *load_id) {
      out.push_back(id);
    }
  }
  return out;
}

void InteractionDesk::dispose(std::uint64_t load_id) {
  for (const auto& id : asked(load_id)) {
    if (const auto row = book_.store().interaction(id); row && row.value()) {
      (void)cancel(row.value()->thread_id, id, "plugin-disposed");
    }
  }
}

void InteractionDesk::close() {
  for (const auto& id : asked({})) {
    const auto row = book_.store().interaction(id);
    if (row && row.value() &&
        move(*row.value(), InteractionInput::kInterrupt, "server-restarted", {})) {
      tell(id, Json::object().set("outcome", "cancelled").set("reason", "server-restarted"));
    }
  }
}

Result<Json> InteractionDesk::cancel(const std::string& thread_id,
                                     const std::string& interaction_id, const std::string& reason) {
  auto row = openRow(thread_id, interaction_id);
  if (!row) {
    return std::move(row).error();
  }
  auto moved = move(row.value(), InteractionInput::kInterrupt, reason, {});
  if (!moved) {
    return moved;
  }
  if (isFromPlugin(row.value())) {
    tell(interaction_id, Json::object().set("outcome", "cancelled").set("reason", reason));
  } else {
    runner_.answer(row.value(), Json::object().set("decision", "cancel"), [](const Status&) {});
  }
  runner_.drain(thread_id);
  return moved;
}

Result<std::string> InteractionDesk::ask(const std::string& thread_id, const Json& form,
                                         std::int64_t expires_at, Completion<Json> done) {
  const auto turn = book_.openTurn(thread_id);
  Edit edit(book_);
  auto thread = edit.thread(thread_id);
  if (!thread) {
    return std::move(thread).error();
  }
  if (book_.interactions(thread_id).size() >= kOpenInteractions) {
    return Error{
        errc::kOverloaded,
        fmt::format("{} questions of this thread wait already; answer some", kOpenInteractions)};
  }
  auto payload =
      Json::object().set("kind", "plugin").set("title", form["title"]).set("data", form["data"]);
  if (!form["presentation"].isNull()) {
    payload.set("presentation", form["presentation"]);
  }
  InteractionRow row{.id = common::newRecordId("int", edit.now()),
                     .thread_id = thread_id,
                     .turn_id = turn ? turn->turn_id : std::string(),
                     .status = std::string(nameOf(InteractionState::kPending)),
                     .origin = Json::object()
                                   .set("kind", "plugin")
                                   .set("pluginId", form["pluginId"])
                                   .set("rendererId", form["rendererId"])
                                   .dump(),
                     .payload = payload.dump(),
                     .created_at = edit.now(),
                     .expires_at = expires_at};
  edit.change.interactions.push_back(row);
  thread.value()->latest_attention_at = edit.now();
  logInteraction(edit, *thread.value(), row);
  edit.emitThread("interaction.pending", *thread.value(),
                  Json::object().set("interaction", toRecord(row)));
  {
    // Before it can be answered.
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(row.id,
                     Asker{.done = std::move(done),
                           .load_id = static_cast<std::uint64_t>(form["loadId"].asInteger()),
                           .described = form["described"].asBool()});
  }
  if (auto stored = edit.commit(); !stored) {
    Waiting::node_type dropped;
    const std::scoped_lock lock(mutex_);
    dropped = waiting_.extract(row.id);
    return std::move(stored).error();
  }
  return row.id;
}

void InteractionDesk::tell(const std::string& interaction_id, Json outcome) {
  Waiting::node_type found;
  {
    const std::scoped_lock lock(mutex_);
    found = waiting_.extract(interaction_id);
  }
  if (!found.empty()) {
    found.mapped().done(std::move(outcome));
  }
}

void InteractionDesk::tick() {
  std::vector<std::pair<std::string, std::string>> late;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(describing_, [&](const auto& each) {
      const bool over = each.second.until <= book_.now();
      if (over) {
        late.emplace_back(each.second.thread_id, each.first);
      }
      return over;
    });
  }
  for (const auto& [thread_id, id] : late) {
    (void)delivered(thread_id, id, {});
  }
  for (const auto& id : asked({})) {
    auto row = book_.store().interaction(id);
    if (!row) {
      continue;
    }
    if (!row.value() || !book_.thread(row.value()->thread_id)) {
      tell(id, Json::object().set("outcome", "cancelled").set("reason", "thread-deleted"));
    } else if (!storage::isOpenInteraction(*row.value())) {
      tell(id, Json::object()
                   .set("outcome", "cancelled")
                   .set("reason", cancelReason(row.value()->status_reason)));
    } else if (row.value()->expires_at != 0 && row.value()->expires_at <= book_.now()) {
      (void)cancel(row.value()->thread_id, id, "timeout");
    }
  }
}

}  // namespace svc::threads
