#include "terminals.h"

#include <set>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"

namespace svc::pty {
namespace {

using common::Json;

/// Messages come whole from the session, which has looked at their members.
Json parsed(const std::string& message) {
  auto json = Json::parse(message);
  return json ? std::move(json).value() : Json();
}

}  // namespace

TerminalPtr Terminals::find(const std::string& id) const {
  const auto found = terminals_.find(id);
  return found == terminals_.end() ? nullptr : found->second;
}

std::size_t Terminals::live() const { return starting_ + terminals_.size() - ended_.size(); }

void Terminals::open(const std::string& command, Completion<std::string> done) {
  auto request = parseOpenRequest(command);
  if (!request) {
    done(std::move(request).error());
    return;
  }
  if (stopping_) {
    done(Error{errc::kHostUnavailable, "the daemon is stopping"});
    return;
  }
  if (live() >= limits::kTerminals) {
    done(Error{errc::kOverloaded,
               fmt::format("this machine has {} terminals (limit terminals: {}); close one first",
                           live(), limits::kTerminals)});
    return;
  }
  if (find(request.value().id)) {
    done(Error{errc::kConflict, "there is a terminal with this id"});
    return;
  }
  ++starting_;
  auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  const auto id = request.value().id;
  const bool taken = at_.workers.submit([self = shared_from_this(), answer, session = session_,
                                         wanted = std::move(request).value()](const auto&) {
    auto result = std::make_shared<Result<Started>>(
        guarded([&] { return self->at_.starter->start(wanted, self->at_.server_url()); }));
    // When it is not run any more the program goes with the context, which the terminals keep.
    boost::asio::post(*self->at_.io,
                      [weak = self->weak_from_this(), answer, result, session, id = wanted.id] {
                        if (const auto terminals = weak.lock()) {
                          terminals->started(id, session, std::move(*result), std::move(*answer));
                        }
                      });
  });
  if (!taken) {
    --starting_;
    (*answer)(Error{errc::kOverloaded, "this machine is too busy; try again"});
  }
}

void Terminals::started(const std::string& id, std::uint64_t session, Result<Started> started,
                        Completion<std::string> done) {
  --starting_;
  if (!started) {
    done(std::move(started).error());
    if (stopping_ && live() == 0) {
      stopped_({});
    }
    return;
  }
  const auto terminal = std::make_shared<Terminal>(
      id,
      TerminalServices{*at_.io, pace_, at_.send,
                       [weak = weak_from_this()](const std::string& ended) {
                         if (const auto self = weak.lock()) {
                           self->gone(ended);
                         }
                       }},
      std::move(started).value());
  terminals_[id] = terminal;
  done(Json::object()
           .set("pid", std::int64_t{terminal->pid()})
           .set("initialCwd", terminal->cwd())
           .dump());
  terminal->start();
  // Who asked in an earlier session has not heard of it.
  if (stopping_ || session != session_) {
    terminal->end();
  } else {
    terminal->attach(0);
  }
}

void Terminals::gone(const std::string& id) {
  if (const auto terminal = find(id)) {
    at_.starter->forget(terminal->mark());
  }
  ended_.push_back(id);
  dropOldest();
  if (stopping_ && live() == 0) {
    stopped_({});
  }
}

void Terminals::dropOldest() {
  while (ended_.size() > kEndedKept) {
    terminals_.erase(ended_.front());
    ended_.pop_front();
  }
}

void Terminals::close(const std::string& command, Completion<std::string> done) {
  const auto asked = parsed(command);
  const auto terminal = find(asked["terminalId"].asString());
  if (!terminal || terminal->ended()) {
    done(std::string(R"({"closed":false})"));
    return;
  }
  if (asked["mode"].asString() != "force" && !terminal->idle()) {
    done(Error{errc::kConflict, "a program runs in this terminal; mode force ends it"});
    return;
  }
  terminal->end();
  done(std::string(R"({"closed":true})"));
}

void Terminals::resume(const std::string& command, Completion<std::string> done) {
  const auto asked = parsed(command);
  if (!asked["terminals"].isArray()) {
    done(Error{errc::kInvalidInput, "terminals: expected an array"});
    return;
  }
  std::set<std::string> named;
  auto live_ones = Json::array();
  std::vector<std::pair<TerminalPtr, std::uint64_t>> wanted;
  for (const auto& each : asked["terminals"].items()) {
    const auto& id = each["terminalId"].asString();
    named.insert(id);
    if (auto terminal = find(id)) {
      live_ones.push(id);
      wanted.emplace_back(std::move(terminal), static_cast<std::uint64_t>(std::max<std::int64_t>(
                                                   each["seq"].asInteger(), 0)));
    }
  }
  done(Json::object().set("live", std::move(live_ones)).dump());
  for (const auto& [terminal, seq] : wanted) {
    terminal->attach(seq);
  }
  // The server does not know these: their answer was lost, or it was put back to an earlier state.
  std::vector<std::string> forgotten;
  for (const auto& [id, terminal] : terminals_) {
    if (!named.contains(id)) {
      terminal->end();
      forgotten.push_back(id);
    }
  }
  for (const auto& id : forgotten) {
    if (find(id)->gone()) {
      terminals_.erase(id);
      ended_.remove(id);
    }
  }
}

void Terminals::input(const std::string& message) {
  const auto said = parsed(message);
  const auto terminal = find(said["terminalId"].asString());
  auto bytes = hostprotocol::decodeBase64(said["dataBase64"].asString());
  if (terminal && bytes) {
    terminal->input(*std::move(bytes));
  }
}

void Terminals::resize(const std::string& message) {
  const auto said = parsed(message);
  const auto rows = said["rows"].asInteger();
  const auto columns = said["cols"].asInteger();
  const auto terminal = find(said["terminalId"].asString());
  if (terminal && isTerminalSize(rows, columns)) {
    terminal->resize({.rows = static_cast<unsigned short>(rows),
                      .columns = static_cast<unsigned short>(columns)});
  }
}

void Terminals::acknowledge(const std::string& message) {
  const auto said = parsed(message);
  const auto& id = said["terminalId"].asString();
  const auto terminal = find(id);
  if (!terminal) {
    return;
  }
  terminal->acknowledge(
      static_cast<std::uint64_t>(std::max<std::int64_t>(said["seq"].asInteger(), 0)));
  if (said["ended"].asBool() && terminal->gone()) {
    terminals_.erase(id);
    ended_.remove(id);
  }
}

void Terminals::sessionLost() {
  ++session_;
  for (const auto& [id, terminal] : terminals_) {
    terminal->detach();
  }
}

void Terminals::shutDown(Completion<void> done) {
  stopping_ = true;
  stopped_ = std::move(done);
  const auto all = terminals_;
  for (const auto& [id, terminal] : all) {
    terminal->end();
  }
  if (live() == 0) {
    stopped_({});
  }
}

}  // namespace svc::pty
