#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include "svc/hostprotocol/base64.h"

#include "book.h"
#include "fakes/inline_workers.h"
#include "mocks/mock_realtime_hub.h"
#include "unit/files/fixture.h"

namespace svc::terminals {

using files::FakeCommands;
using test::RecordedExchange;

class FakeStore final : public storage::ITerminalStore {
 public:
  Result<std::vector<storage::TerminalRow>> terminals() override {
    std::vector<storage::TerminalRow> all;
    for (const auto& [id, row] : rows) {
      all.push_back(row);
    }
    return all;
  }
  Status apply(const storage::TerminalChange& change) override {
    for (const auto& id : change.gone) {
      rows.erase(id);
    }
    for (const auto& row : change.terminals) {
      rows[row.id] = row;
    }
    return {};
  }
  std::map<std::string, storage::TerminalRow> rows;
};

class FakeMessages final : public hosts::IHostMessages {
 public:
  void tell(const std::string& host_id, std::string message) override {
    told.push_back(host_id + " " + message);
  }
  Handle listen(hosts::IHostListener& /*listener*/) override { return {}; }
  std::vector<std::string> told;
};

class BookFixture : public files::MachineFixture {
 protected:
  BookFixture() {
    ON_CALL(hub_, changed).WillByDefault([this](const realtime::Change& change) {
      notices_.push_back(change.entity + " " + change.id + " " + change.kinds.front());
    });
    book_->start();
    book_->hostOpened("own");
    commands_.answer(R"({"live":[]})");
  }

  std::shared_ptr<Book> makeBook() {
    return std::make_shared<Book>(
        Book::With{.reactor = reactor_,
                   .clock = clock_,
                   .commands = commands_,
                   .messages = messages_,
                   .registry = registry_,
                   .journal = journal_,
                   .hub = &hub_,
                   .data_directory = "/data",
                   .tell_thread = [this](const std::string& id) { told_threads_.push_back(id); },
                   .why_gone =
                       [this](const std::string& thread_id, const std::string&) {
                         const auto gone = gone_.find(thread_id);
                         return gone == gone_.end() ? nullptr : gone->second;
                       }});
  }
  static NewTerminal wanted() {
    return {.host_id = "own",
            .cwd = std::nullopt,
            .columns = 80,
            .rows = 24,
            .title = "T",
            .command = {}};
  }
  /// The id of one that runs.
  std::string open() { return openIn({}, {}); }
  std::string openIn(const std::string& thread_id, const std::string& environment_id) {
    auto in_place = wanted();
    in_place.thread_id = thread_id;
    in_place.environment_id = environment_id;
    std::string id;
    book_->create(in_place,
                  [&](Result<common::Json> record) { id = record.value()["id"].asString(); });
    commands_.answer(R"({"pid":1,"initialCwd":"/home/a"})");
    return id;
  }
  [[nodiscard]] common::Json record(const std::string& id) const { return book_->get(id).value(); }
  [[nodiscard]] std::string statusOf(const std::string& id) const {
    const auto now = record(id);
    const auto& why = now["closeReason"].asString();
    return now["status"].asString() + (why.empty() ? "" : " " + why);
  }
  void says(const std::string& type, const std::string& id, const std::string& rest,
            const std::string& host = "own") {
    book_->hostMessage(host, type,
                       fmt::format(R"({{"type":"{}","terminalId":"{}",{}}})", type, id, rest));
  }
  void prints(const std::string& id, int seq, const std::string& text) {
    says("terminal.output", id,
         fmt::format(R"("seq":{},"dataBase64":"{}")", seq, hostprotocol::encodeBase64(text)));
  }
  void exits(const std::string& id, int code = 0) {
    says("terminal.exit", id, fmt::format(R"("exitCode":{})", code));
  }

  std::map<std::string, const char*> gone_;
  FakeStore store_;
  test::InlineBulkWorkers workers_;
  FakeMessages messages_;
  ::testing::NiceMock<svc::test::MockRealtimeHub> hub_;
  std::vector<std::string> notices_;
  std::vector<std::string> told_threads_;
  std::shared_ptr<Journal> journal_ = std::make_shared<Journal>(
      store_, workers_,
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>()));
  std::shared_ptr<Book> book_ = makeBook();
};

}  // namespace svc::terminals
