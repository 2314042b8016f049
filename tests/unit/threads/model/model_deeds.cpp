// What people, plugins, machines and disks do.
#include <algorithm>

#include <fmt/format.h>

#include "model_world.h"
#include "thread_record.h"

namespace svc::threads::model {

using common::Json;

const std::vector<World::Deed> World::kDeeds{
    {6, "spawn", &World::spawn},
    {10, "send", &World::send},
    {5, "queue", &World::enqueue},
    {5, "retry", &World::retry},
    {5, "stop", &World::stopThread},
    {3, "send now", &World::sendNow},
    {3, "edit", &World::edit},
    {3, "remove from queue", &World::removeRow},
    {4, "reorder", &World::reorder},
    {3, "group", &World::group},
    {6, "answer", &World::answerQuestion},
    {2, "cancel question", &World::cancelQuestion},
    {2, "ask", &World::askForm},
    {2, "archive", &World::archive},
    {4, "unarchive", &World::unarchive},
    {1, "delete", &World::remove},
    {1, "late result", &World::tellLate},
    {40, "command", &World::command},
    {50, "say", &World::say},
    {60, "deliver", &World::deliver},
    {2, "deliver again", &World::deliverAgain},
    {3, "tell again", &World::tellAgain},
    {1, "lose machine", &World::loseMachine},
    {6, "find machine", &World::findMachine},
    {20, "place", &World::placeReady},
    {20, "decide", &World::decide},
    {3, "recheck", &World::recheck},
    {10, "tick", &World::tick},
    {1, "full disk", &World::fillDisk},
    {6, "free disk", &World::freeDisk},
    {2, "kill", &World::beginToDie},
    {1, "restart", &World::restartWell},
    {5, "look", &World::look},
};

Json World::newWords(const std::string& thread_id, std::string* word) {
  *word = "m" + std::to_string(++words_);
  promises_[*word] = {.thread_id = thread_id};
  note(*word);
  auto input = Json::array();
  input.push(Json::object().set("type", "text").set("text", *word));
  return input;
}

World::Answered World::kept(const std::string& word) {
  return [this, word](const Result<Json>& answer) {
    auto& promise = promises_[word];
    promise.at_least = answer ? 1 : 0;
    promise.at_most = promise.at_least;
    if (answer && promise.thread_id.empty()) {
      promise.thread_id = answer.value()["id"].asString();
    }
  };
}

std::string World::someThread() {
  if (watch_.order.empty()) {
    return {};
  }
  // Mostly one of the latest few, so that much happens in each.
  const auto few = std::min<std::size_t>(watch_.order.size(), dice_.chance(80) ? 3 : 100);
  const auto id = watch_.order[watch_.order.size() - 1 - dice_.roll(few)];
  note(id);
  return id;
}

std::string World::someRow(const std::string& thread_id) {
  const auto rows = watch_.queue(thread_id);
  return rows.empty() ? "qm_none" : dice_.oneOf(rows).id;
}

std::int64_t World::someTime() {
  return dice_.chance(15) ? clock_.nowMs() + static_cast<std::int64_t>(dice_.roll(3000)) : 0;
}

void World::spawn() {
  if (watch_.order.size() > 5 && dice_.chance(80)) {
    return;
  }
  SpawnRequest request{.send_at = someTime()};
  request.row.project_id = "proj_a";
  request.intent = Json::object().set("type", "project-default");
  request.idle = dice_.chance(10);
  if (dice_.chance(25)) {
    if (const auto parent = someThread(); book_->thread(parent)) {
      request.row.parent_thread_id = parent;
    }
  }
  std::string word;
  request.first = {.input = newWords({}, &word), .execution = Json::object(), .source = "spawn"};
  const bool idle = request.idle;
  auto then = idle ? Answered([](const auto&) {}) : kept(word);
  runner_->spawn(std::move(request), whenAnswered(std::move(then)));
}

void World::send() {
  const auto id = someThread();
  const std::vector<const char*> modes{"auto", "auto", "start", "steer", "steer-if-active"};
  const std::string mode = dice_.oneOf(modes);
  std::string word;
  auto input = newWords(id, &word);
  note(mode);
  watch_.moving = mode.starts_with("steer");
  const bool behind = mode == "auto" && watch_.keepsOrder(id);
  auto then = [this, id, behind, keep = kept(word)](const Result<Json>& answer) {
    if (behind && answer && answer.value()["outcome"].asString() == "started") {
      watch_.blame(fmt::format("thread {}: a message goes before those that wait", id));
    }
    keep(answer);
  };
  runner_->send({.message = {.thread_id = id, .input = input, .execution = Json::object()},
                 .mode = mode,
                 .send_at = someTime()},
                whenAnswered(std::move(then)));
}

void World::enqueue() {
  const auto id = someThread();
  std::string word;
  auto input = newWords(id, &word);
  runner_->queue({.message = {.thread_id = id, .input = input, .execution = Json::object()},
                  .send_at = someTime()},
                 whenAnswered(kept(word)));
}

void World::retry() {
  const auto id = someThread();
  std::vector<std::string> requests{""};
  for (const auto& [request, turn] : watch_.turns) {
    if (turn.thread_id == id) {
      requests.push_back(request);
    }
  }
  const auto request = dice_.oneOf(requests);
  runner_->retry(id, request, someTime(), whenAnswered([](const auto&) {}));
}

void World::stopThread() {
  runner_->stop(someThread(), "manual-stop", whenAnswered([](const auto&) {}));
}

void World::sendNow() {
  const auto id = someThread();
  watch_.moving = true;
  runner_->sendQueued(id, someRow(id), whenAnswered([](const auto&) {}));
}

void World::edit() {
  const auto id = someThread();
  const auto rows = watch_.queue(id);
  if (rows.empty()) {
    return;
  }
  const auto row = dice_.oneOf(rows);
  const bool retries = parsed(row.payload)["kind"].asString() == "retry";
  std::string word;
  const auto input = newWords(id, &word);
  const auto edited =
      queue_->update(id, row.id, input, dice_.chance(90) ? row.updated_at : row.updated_at - 1);
  if (edited && retries) {
    watch_.blame("a retry is edited");
  }
  for (const auto& old : wordsOf(parsed(row.content))) {
    if (!retries && promises_.contains(old) && (edited || store_.dead)) {
      promises_[old].at_least = 0;
      promises_[old].at_most = store_.dead ? 1 : 0;
    }
  }
  if (!store_.dead) {
    kept(word)(edited);
  }
}

void World::removeRow() {
  const auto id = someThread();
  const auto rows = watch_.queue(id);
  if (rows.empty()) {
    return;
  }
  const auto row = dice_.oneOf(rows);
  watch_.removing = true;
  const auto removed = queue_->remove(id, row.id);
  watch_.removing = false;
  for (const auto& old : wordsOf(parsed(row.content))) {
    if (parsed(row.payload)["kind"].asString() != "retry" && promises_.contains(old) &&
        (removed || store_.dead)) {
      promises_[old].at_least = 0;
      promises_[old].at_most = store_.dead ? 1 : 0;
    }
  }
}

void World::reorder() {
  const auto id = someThread();
  const auto rows = watch_.queue(id);
  if (rows.empty()) {
    return;
  }
  const auto moved = dice_.roll(rows.size());
  std::vector<std::string> others;
  for (const auto& row : rows) {
    if (row.id != rows[moved].id) {
      others.push_back(row.id);
    }
  }
  const auto gap = dice_.roll(others.size() + 1);
  const auto at = [&others](std::size_t place) {
    return place < others.size() ? std::optional(others[place]) : std::nullopt;
  };
  watch_.moving = true;
  (void)queue_->reorder(id, rows[moved].id, gap == 0 ? std::nullopt : at(gap - 1), at(gap));
}

void World::group() {
  const auto id = someThread();
  const auto rows = watch_.queue(id);
  if (rows.empty()) {
    return;
  }
  std::vector<std::string> expected;
  const auto length = 1 + dice_.roll(rows.size());
  for (std::size_t at = 0; at < length; ++at) {
    expected.push_back(rows[at].id);
  }
  (void)queue_->setGroupBoundary(id, expected.back(), expected);
}

void World::answerQuestion() {
  const auto id = someThread();
  const auto open = book_->interactions(id);
  if (open.empty()) {
    return;
  }
  const auto row = dice_.oneOf(open);
  if (parsed(row.origin)["kind"].asString() == "plugin") {
    (void)desk_->respond(id, row.id, Json::object());
    if (desk_->respond(id, row.id, Json::object()) && !store_.dead) {
      watch_.blame("a form is answered twice");
    }
    return;
  }
  const auto decision = Json::object().set("decision", "allow_once");
  desk_->resolve(id, row.id, decision, whenAnswered([](const auto&) {}));
  if (book_->interactions(id).empty() || watch_.interactions.at(row.id).status != "resolving") {
    return;
  }
  desk_->resolve(id, row.id, decision, whenAnswered([this](const Result<Json>& answer) {
                   if (answer) {
                     watch_.blame("a question is answered twice");
                   }
                 }));
}

void World::cancelQuestion() {
  const auto id = someThread();
  if (const auto open = book_->interactions(id); !open.empty()) {
    (void)desk_->cancel(id, dice_.oneOf(open).id, "user");
  }
}

void World::askForm() {
  (void)desk_->ask(someThread(),
                   Json::object()
                       .set("pluginId", "form")
                       .set("rendererId", "form")
                       .set("title", "which?")
                       .set("data", Json::object()),
                   clock_.nowMs() + 5000, whenAnswered([](const auto&) {}));
}

void World::stopThreads(const std::vector<std::string>& ids, const char* reason, Task then) {
  runner_->stopThen(ids, reason, std::move(then));
}

void World::archive() {
  const auto id = someThread();
  std::vector<std::string> family;
  for (const auto& row : records_->family(id)) {
    family.push_back(row.id);
  }
  stopThreads(family, "thread-archived", [this, id] { (void)records_->archive({id}); });
}

void World::unarchive() { (void)records_->unarchive(someThread()); }

void World::remove() {
  const auto id = someThread();
  std::vector<std::string> family;
  for (const auto& row : records_->family(id)) {
    family.push_back(row.id);
  }
  stopThreads(family, "thread-deleted", [this, id] {
    if (records_->remove(id, true) && dice_.chance(50)) {
      (void)records_->purge([](const std::string&) {});
    }
  });
}

void World::tellLate() {
  runner_->tellLate({.thread_id = someThread(), .tool = "tool", .text = "done"});
}

void World::tick() {
  clock_.advance(std::chrono::milliseconds(dice_.chance(10) ? 31'000 : 1000));
  runner_->tick();
  desk_->tick();
}

void World::beginToDie() {
  store_.life = static_cast<int>(dice_.roll(12));
  store_.dies_after = dice_.chance(50);
}

void World::look() { lookAt(someThread()); }

}  // namespace svc::threads::model
