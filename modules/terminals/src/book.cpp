#include "book.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/terminals.h"
#include "svc/common/record_id.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/hosts/host_failure.h"

namespace svc::terminals {
namespace {

using common::Json;

Error unknown(const std::string& id) {
  return {errc::kNotFound, fmt::format("there is no terminal \"{}\"", id)};
}

/// What the caller asked for and got wrong keeps its code.
Error terminalFailure(Error error) {
  const bool of_the_caller = error.code == errc::kInvalidInput || error.code == errc::kNotFound ||
                             error.code == errc::kConflict || error.code == errc::kOverloaded;
  return of_the_caller ? error : hosts::hostFailure(std::move(error));
}

}  // namespace

Book::Entry* Book::find(const std::string& id) {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

const Book::Entry* Book::find(const std::string& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second;
}

void Book::load(std::vector<storage::TerminalRow> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const auto& left, const auto& right) { return left.updated_at < right.updated_at; });
  for (auto& row : rows) {
    const auto id = row.id;
    const bool has_ended = isEnded(row);
    if (!has_ended) {
      // Its daemon says whether it still has it, when it comes back.
      row.status = status::kDisconnected;
    }
    auto& entry = entries_
                      .emplace(id, Entry{.row = std::move(row),
                                         .ring = hostprotocol::TerminalRing(limits::kTerminalRing),
                                         .is_older = true})
                      .first->second;
    if (has_ended) {
      ended_.push_back(id);
      tellLost(entry);
    }
  }
}

void Book::tellLost(Entry& entry) {
  if (entry.is_older && entry.ring.next() == 0) {
    entry.ring.put(0, {});
    entry.ring.clear();
  }
}

void Book::start() {
  closeHomeless();
  sweep();
}

std::size_t Book::liveOn(const std::string& host_id) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [&host_id](const auto& each) {
        return each.second.row.host_id == host_id && !isEnded(each.second.row);
      }));
}

Error Book::unreachable(const std::string& host_id) const {
  const auto host = with_.registry.find(host_id);
  return {errc::kHostUnavailable,
          fmt::format("host \"{}\" ({}) is not connected; is svc-hostd running on it?",
                      host ? host->name : host_id, host_id)};
}

std::string Book::openCommand(const storage::TerminalRow& row, const NewTerminal& wanted) const {
  auto environment = Json::object();
  const auto host = with_.registry.find(row.host_id);
  if (host && host->is_server && !with_.data_directory.empty()) {
    environment.set("SVC_DATA_DIR", with_.data_directory);
  }
  for (const auto& [name, id] : {std::pair("SVC_THREAD_ID", &wanted.thread_id),
                                 std::pair("SVC_ENVIRONMENT_ID", &wanted.environment_id),
                                 std::pair("SVC_PROJECT_ID", &wanted.project_id)}) {
    if (!id->empty()) {
      environment.set(name, *id);
    }
  }
  return Json::object()
      .set("type", hostprotocol::command::kTerminalOpen)
      .set("terminalId", row.id)
      .set("cwd", wanted.cwd ? Json(*wanted.cwd) : Json())
      .set("cols", row.columns)
      .set("rows", row.rows)
      .set("start", wanted.command.empty()
                        ? Json::object().set("mode", "shell")
                        : Json::object().set("mode", "command").set("command", wanted.command))
      .set("env", std::move(environment))
      .dump();
}

Json scopeOf(const NewTerminal& wanted) {
  if (!wanted.thread_id.empty()) {
    return Json::object().set("kind", "thread").set("threadId", wanted.thread_id);
  }
  if (!wanted.environment_id.empty()) {
    return Json::object().set("kind", "environment").set("environmentId", wanted.environment_id);
  }
  return Json::object()
      .set("kind", "host_path")
      .set("hostId", wanted.host_id)
      .set("cwd", wanted.cwd ? Json(*wanted.cwd) : Json());
}

void Book::create(NewTerminal wanted, Answer done) {
  if (auto checked = checkPlace(wanted); !checked) {
    done(std::move(checked).error());
    return;
  }
  const auto live = liveOn(wanted.host_id);
  if (live >= limits::kTerminals) {
    done(Error{errc::kOverloaded,
               fmt::format("this machine has {} terminals (limit terminals: {}); close one first",
                           live, limits::kTerminals)});
    return;
  }
  const auto now = with_.clock.nowMs();
  storage::TerminalRow row{.id = common::newRecordId("term", now),
                           .host_id = wanted.host_id,
                           .scope = scopeOf(wanted).dump(),
                           .title = wanted.title,
                           .status = status::kStarting,
                           .columns = wanted.columns,
                           .rows = wanted.rows,
                           .created_at = now,
                           .updated_at = now};
  row.thread_id = wanted.thread_id;
  row.environment_id = wanted.environment_id;
  auto command = openCommand(row, wanted);
  const auto id = row.id;
  auto& entry = entries_
                    .emplace(id, Entry{.row = std::move(row),
                                       .ring = hostprotocol::TerminalRing(limits::kTerminalRing)})
                    .first->second;
  changed(entry);
  with_.commands.send(
      wanted.host_id, std::move(command), limits::kTerminalOpen,
      [weak = weak_from_this(), id, done = std::move(done)](Result<std::string> result) mutable {
        if (const auto self = weak.lock()) {
          self->opened(id, std::move(result), std::move(done));
        }
      });
}

void Book::opened(const std::string& id, Result<std::string> result, Answer done) {
  auto* entry = find(id);
  if (entry == nullptr) {
    done(unknown(id));
    return;
  }
  const auto answer = hosts::answerObject(result);
  if (!answer) {
    const bool late = answer.error().code == errc::kTimeout;
    // What never began leaves no record, but what may have begun does.
    if (late) {
      end(*entry, reason::kOpenTimeout);
    } else {
      const auto row = entry->row;
      forget(id);
      tell(row);
    }
    done(terminalFailure(answer.error()));
    return;
  }
  entry->row.initial_cwd = answer.value()["initialCwd"].asString();
  // It may have been closed meanwhile, or ended at once.
  if (entry->row.status == status::kStarting) {
    entry->row.status = status::kRunning;
  }
  changed(*entry);
  done(recordOf(entry->row));
  // Its place went while it was being opened.
  if (auto* late = find(id); late != nullptr && late->closed_because != nullptr) {
    closeBecause(id, late->closed_because);
  }
}

Result<Json> Book::get(const std::string& id) const {
  const auto* entry = find(id);
  return entry == nullptr ? Result<Json>(unknown(id)) : recordOf(entry->row);
}

Json Book::list(const TerminalFilter& filter) const {
  std::vector<const storage::TerminalRow*> rows;
  const auto fits = [](const std::string& wanted, const std::string& is) {
    return wanted.empty() || wanted == is;
  };
  for (const auto& [id, entry] : entries_) {
    const auto scope = recordOf(entry.row)["scope"];
    if (fits(filter.kind, scope["kind"].asString()) && fits(filter.host_id, entry.row.host_id) &&
        fits(filter.cwd, scope["cwd"].asString()) && fits(filter.thread_id, entry.row.thread_id) &&
        fits(filter.environment_id, entry.row.environment_id)) {
      rows.push_back(&entry.row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const auto* left, const auto* right) {
    return std::pair(left->created_at, left->id) < std::pair(right->created_at, right->id);
  });
  auto sessions = Json::array();
  for (const auto* row : rows) {
    sessions.push(recordOf(*row));
  }
  return sessions;
}

void Book::output(const std::string& id, const OutputQuery& query, Completion<std::string> done) {
  auto* entry = find(id);
  if (entry == nullptr) {
    done(unknown(id));
    return;
  }
  if (query.wait.count() == 0 || isEnded(entry->row) || hasOutput(entry->ring, query) ||
      entry->waiting.size() >= kWaiting) {
    done(outputOf(entry->ring, query));
    return;
  }
  const auto number = ++last_number_;
  auto& waiting = entry->waiting[number];
  waiting.query = query;
  waiting.done = std::make_shared<Completion<std::string>>(std::move(done));
  waiting.timer = with_.reactor.after(query.wait, [weak = weak_from_this(), id, number] {
    const auto self = weak.lock();
    auto* late = self ? self->find(id) : nullptr;
    if (late == nullptr) {
      return;
    }
    if (auto node = late->waiting.extract(number)) {
      (*node.mapped().done)(outputOf(late->ring, node.mapped().query));
    }
  });
}

/// One that keys and sizes reach now.
Result<Book::Entry*> Book::running(const std::string& id) {
  auto* entry = find(id);
  if (entry == nullptr) {
    return unknown(id);
  }
  if (isEnded(entry->row)) {
    return Error{errc::kConflict, "the terminal has ended"};
  }
  if (entry->row.status == status::kStarting) {
    return Error{errc::kConflict, "the terminal is starting; try again"};
  }
  if (!open_hosts_.contains(entry->row.host_id)) {
    return unreachable(entry->row.host_id);
  }
  return entry;
}

Result<Json> Book::input(const std::string& id, const std::string& bytes) {
  auto found = running(id);
  if (!found) {
    return std::move(found).error();
  }
  auto& entry = *found.value();
  if (entry.input_on_the_way + bytes.size() > kInputOnTheWay) {
    return Error{errc::kOverloaded,
                 fmt::format("the program in this terminal has not read {} bytes of input, and at "
                             "most {} may wait; send them when it has",
                             entry.input_on_the_way, kInputOnTheWay)};
  }
  if (!bytes.empty()) {
    entry.input_on_the_way += bytes.size();
    entry.row.last_input_at = with_.clock.nowMs();
    with_.messages.tell(entry.row.host_id,
                        fmt::format(R"({{"type":"{}","terminalId":"{}","dataBase64":"{}"}})",
                                    hostprotocol::to_daemon::kTerminalInput, id,
                                    hostprotocol::encodeBase64(bytes)));
  }
  return recordOf(entry.row);
}

Result<Json> Book::resize(const std::string& id, std::int64_t columns, std::int64_t rows) {
  auto found = running(id);
  if (!found) {
    return std::move(found).error();
  }
  auto& entry = *found.value();
  with_.messages.tell(entry.row.host_id,
                      fmt::format(R"({{"type":"{}","terminalId":"{}","cols":{},"rows":{}}})",
                                  hostprotocol::to_daemon::kTerminalResize, id, columns, rows));
  if (entry.row.columns != columns || entry.row.rows != rows) {
    entry.row.columns = columns;
    entry.row.rows = rows;
    changed(entry);
  }
  return recordOf(entry.row);
}

Result<Json> Book::rename(const std::string& id, std::string title) {
  auto* entry = find(id);
  if (entry == nullptr) {
    return unknown(id);
  }
  if (entry->row.title != title) {
    entry->row.title = std::move(title);
    changed(*entry);
  }
  return recordOf(entry->row);
}

void Book::restart(const std::string& id, Answer done) {
  const auto* entry = find(id);
  if (entry == nullptr) {
    done(unknown(id));
    return;
  }
  const auto scope = recordOf(entry->row)["scope"];
  NewTerminal wanted{.host_id = entry->row.host_id,
                     .cwd = std::nullopt,
                     .columns = entry->row.columns,
                     .rows = entry->row.rows,
                     .title = entry->row.title,
                     .command = {},
                     .thread_id = entry->row.thread_id,
                     .environment_id = entry->row.environment_id};
  if (scope["cwd"].isString()) {
    wanted.cwd = scope["cwd"].asString();
  } else if (scope["kind"].asString() != "host_path" && !entry->row.initial_cwd.empty()) {
    wanted.cwd = entry->row.initial_cwd;
  }
  create(std::move(wanted),
         [weak = weak_from_this(), id, done = std::move(done)](Result<Json> made) mutable {
           const auto self = weak.lock();
           if (self && made) {
             self->close(id, true, [](const Result<Json>&) {});
           }
           done(std::move(made));
         });
}

void Book::close(const std::string& id, bool force, Answer done) {
  auto* entry = find(id);
  if (entry == nullptr) {
    done(unknown(id));
    return;
  }
  if (isEnded(entry->row)) {
    done(recordOf(entry->row));
    return;
  }
  if (!open_hosts_.contains(entry->row.host_id)) {
    if (!force) {
      done(unreachable(entry->row.host_id));
      return;
    }
    // Its daemon ends what is not named to it.
    end(*entry, reason::kUser);
    done(recordOf(entry->row));
    return;
  }
  with_.commands.send(
      entry->row.host_id,
      Json::object()
          .set("type", hostprotocol::command::kTerminalClose)
          .set("terminalId", id)
          .set("mode", force ? "force" : "if-clean")
          .dump(),
      limits::kHostCall,
      [weak = weak_from_this(), id, done = std::move(done)](Result<std::string> result) mutable {
        if (const auto self = weak.lock()) {
          self->closeAnswered(id, std::move(result), std::move(done));
        }
      });
}

void Book::closeAnswered(const std::string& id, Result<std::string> result, Answer done) {
  auto* entry = find(id);
  if (entry == nullptr) {
    done(unknown(id));
    return;
  }
  const auto answer = hosts::answerObject(result);
  if (!answer) {
    done(terminalFailure(answer.error()));
    return;
  }
  if (isEnded(entry->row)) {
    done(recordOf(entry->row));
    return;
  }
  if (!answer.value()["closed"].asBool() && entry->row.status != status::kStarting) {
    end(*entry, reason::kDaemonDisconnect);
    done(recordOf(entry->row));
    return;
  }
  if (entry->closed_because == nullptr) {
    entry->closed_because = reason::kUser;
  }
  awaitEnd(*entry, std::move(done));
}

void Book::awaitEnd(Entry& entry, Answer done) {
  const auto number = ++last_number_;
  auto& closing = entry.closing[number];
  closing.done = std::make_shared<Answer>(std::move(done));
  closing.timer =
      with_.reactor.after(kCloseWait, [weak = weak_from_this(), id = entry.row.id, number] {
        const auto self = weak.lock();
        auto* late = self ? self->find(id) : nullptr;
        if (late == nullptr) {
          return;
        }
        if (auto node = late->closing.extract(number)) {
          (*node.mapped().done)(recordOf(late->row));
        }
      });
}

}  // namespace svc::terminals
