#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "book.h"
#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "mocks/mock_host_commands.h"
#include "mocks/mock_host_registry.h"
#include "mocks/mock_projects.h"
#include "record.h"

namespace svc::environments {

using common::Json;

/// Environment rows in a map, for one thread.
class EnvironmentRowsInMap final : public storage::IEnvironmentStore {
 public:
  std::map<std::string, storage::EnvironmentRow> rows;
  std::optional<Error> broken;

  Result<std::vector<storage::EnvironmentRow>> environments() override {
    std::vector<storage::EnvironmentRow> out;
    for (const auto& [id, row] : rows) {
      out.push_back(row);
    }
    return out;
  }
  Status apply(const storage::EnvironmentChange& change) override {
    if (broken) {
      return *broken;
    }
    for (const auto& row : change.environments) {
      rows.insert_or_assign(row.id, row);
    }
    return {};
  }
};

/// A book with the project "proj_a" in "/shop" of the server's machine "host_a", whose daemon the test plays.
class BookFixture : public ::testing::Test {
 protected:
  struct Asked {
    std::string host_id;
    Json command;
    Completion<std::string> done;
  };

  BookFixture() {
    ON_CALL(machines_, list).WillByDefault([this] { return std::vector{own_}; });
    ON_CALL(machines_, find(::testing::_))
        .WillByDefault([this](std::string_view id) -> std::optional<machines::Host> {
          return id == own_.id && !machine_is_removed_ ? std::optional(own_) : std::nullopt;
        });
    ON_CALL(projects_, find(::testing::_))
        .WillByDefault([](std::string_view id) -> std::optional<projects::Project> {
          if (id == projects::kPersonalProject) {
            return projects::Project{.id = std::string(id), .name = "Personal"};
          }
          if (id != "proj_a" && id != "proj_b") {
            return std::nullopt;
          }
          return projects::Project{
              .id = std::string(id),
              .name = "Shop",
              .sources = {{.id = "src", .host_id = "host_a", .path = "/shop", .is_default = true}}};
        });
    ON_CALL(commands_, send)
        .WillByDefault([this](const std::string& host_id, const std::string& command,
                              std::chrono::milliseconds, Completion<std::string> done) {
          asked_.push_back({host_id, Json::parse(command).value(), std::move(done)});
        });
    restart();
  }

  /// As after a restart of the server: only what was stored is left.
  void restart() {
    rows_ = std::make_shared<Rows>(store_, workers_, io_);
    EXPECT_TRUE(rows_->open().ok());
    book_ = std::make_shared<Book>(
        Book::With{.rows = rows_,
                   .commands = commands_,
                   .machines = machines_,
                   .projects = projects_,
                   .io = io_,
                   .clock = clock_,
                   .announce = [this](const std::string& id,
                                      const char* kind) { announced_.emplace_back(id, kind); },
                   .data_directory = "/data"});
    book_->begin();
  }
  static Json worktree() {
    return Json::object()
        .set("type", "host")
        .set("workspace", Json::object().set("type", "managed-worktree"));
  }
  static Json folder(const std::string& path) {
    return Json::object()
        .set("type", "host")
        .set("workspace", Json::object().set("type", "unmanaged").set("path", path));
  }
  Result<Environment> resolve(const Json& intent, const std::string& project_id = "proj_a") {
    answers_.push_back(std::make_shared<std::optional<Result<Environment>>>());
    book_->resolve({.project_id = project_id, .intent = intent, .owner = "thr_1"}, progress(),
                   [to = answers_.back()](Result<Environment> result) { *to = std::move(result); });
    io_.runAll();
    return last();
  }
  Progress progress() {
    return [this](const Json& entry) {
      told_.push_back(entry["key"].asString() + " " + entry["status"].asString());
    };
  }
  void retry(const std::string& id) {
    book_->retry(id, progress(), [](const Result<Environment>& begun) { EXPECT_TRUE(begun.ok()); });
  }
  /// What the last resolve() has answered by now.
  Result<Environment> last() {
    return answers_.back()->has_value()
               ? **answers_.back()
               : Result<Environment>(Error{errc::kUnavailable, "there is no answer yet"});
  }
  void answer(std::size_t at, Result<std::string> result) {
    ASSERT_LT(at, asked_.size());
    auto done = std::move(asked_[at].done);
    done(std::move(result));
    io_.runAll();
  }
  static std::string facts(const std::string& path) {
    return Json::object()
        .set("path", path)
        .set("ownsPath", true)
        .set("isGitRepo", true)
        .set("isWorktree", true)
        .set("branchName", "svc/thr_1")
        .set("baseBranch", "main")
        .set("defaultBranch", "main")
        .dump();
  }
  std::string typeOf(std::size_t at) { return asked_.at(at).command["type"].asString(); }
  storage::EnvironmentRow row(const std::string& id) { return rows_->find(id).value(); }
  /// The id of a worktree that is ready.
  std::string readyWorktree() {
    const auto made = resolve(worktree());
    EXPECT_TRUE(made.ok());
    answer(asked_.size() - 1, facts("/w"));
    answer(asked_.size() - 1, std::string(R"({"exitCode":0,"output":""})"));
    return made.value().id;
  }

  bool machine_is_removed_ = false;
  machines::Host own_{.id = "host_a", .name = "server", .is_server = true, .connected = true};
  // What is still posted at the end is told as it is let go of.
  std::vector<std::pair<std::string, std::string>> announced_;
  svc::test::FakeExecutorFor<IExecutor> io_;
  svc::test::InlineWorkers workers_;
  svc::test::FakeClock clock_;
  EnvironmentRowsInMap store_;
  ::testing::NiceMock<hosts::MockHostCommands> commands_;
  ::testing::NiceMock<machines::MockHostRegistry> machines_;
  ::testing::NiceMock<projects::MockProjects> projects_;
  std::vector<Asked> asked_;
  std::vector<std::string> told_;
  std::vector<std::shared_ptr<std::optional<Result<Environment>>>> answers_;
  std::shared_ptr<Rows> rows_;
  std::shared_ptr<Book> book_;
};

}  // namespace svc::environments
