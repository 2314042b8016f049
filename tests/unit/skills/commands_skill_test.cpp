#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/skillfiles/skill.h"

#include "commands_text.h"
#include "fakes/fake_executor.h"
#include "skill_writer.h"

namespace svc::skills {
namespace {

using svc::test::FakeMainExecutor;
using ::testing::HasSubstr;
using ::testing::Not;

cli::Command todo() {
  return {.plugin_id = "todo",
          .name = "todo",
          .summary = "Keeps\ntodos",
          .commands = {{"add", "Adds one", "todo add <title>"}},
          .renders_help = false,
          .shadowed = false};
}

TEST(CommandsTextTest, IsEmptyWithoutCommands) { EXPECT_EQ(commandsText({}), ""); }

TEST(CommandsTextTest, DescribesEachCommand) {
  EXPECT_EQ(commandsText({todo()}),
            "---\nname: plugin-commands\ndescription: Commands that installed plugins add to the "
            "svc command line. Read "
            "this before you work with what a plugin manages.\n---\n\n# Plugin commands\n\n"
            "Run them in a shell. A command is executed on the server, wherever the shell is: "
            "paths in its arguments belong "
            "to the server, and what it does happens there.\nOne command prints at most 1048576 "
            "bytes; ask for less when it "
            "fails with plugin_cli_output_too_large.\n"
            "\n## svc todo — Keeps todos\n\nPlugin `todo`. `svc todo --help` prints this usage "
            "again. Also reachable as "
            "`svc plugin run todo …`.\n\n- `todo add <title>` — Adds one\n");
}

TEST(CommandsTextTest, IsASkill) {
  const auto skill = skillfiles::parseSkill(commandsText({todo()}), "plugin-commands");
  EXPECT_TRUE(skill) << skill.error().message;
}

TEST(CommandsTextTest, ShowsOnlyTheExplicitFormOfAShadowedCommand) {
  auto command = todo();
  command.shadowed = true;
  const auto text = commandsText({command});
  EXPECT_THAT(text, HasSubstr("## svc plugin run todo — Keeps todos\n"));
  EXPECT_THAT(text, HasSubstr("`svc plugin run todo --help`"));
  EXPECT_THAT(text, Not(HasSubstr("## svc todo")));
}

TEST(CommandsTextTest, WhatPluginsWriteStaysInItsLine) {
  auto command = todo();
  command.summary = "";
  command.commands = {{"x", "a\r\n## b\x1b[2J", "x `y`\n"}};
  const auto text = commandsText({command});
  EXPECT_THAT(text, HasSubstr("## svc todo\n"));
  EXPECT_THAT(text, HasSubstr("- `x 'y' ` — a  ## b [2J\n"));
}

/// Keeps jobs until the test runs them.
class HeldPool : public IWorkerPool {
 public:
  bool submit(Task job) override {
    if (full) {
      return false;
    }
    jobs.push_back(std::move(job));
    return true;
  }
  void runAll() {
    for (auto& job : std::exchange(jobs, {})) {
      job();
    }
  }
  std::vector<Task> jobs;
  bool full = false;
};

class SkillWriterTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root_); }

  void settle() {
    while (!workers_.jobs.empty() || main_.pendingTasks() > 0) {
      workers_.runAll();
      main_.runAll();
    }
  }
  std::string stored() const {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }

  static std::filesystem::path makeRoot() {
    auto name = (std::filesystem::temp_directory_path() / "skill-XXXXXX").string();
    return ::mkdtemp(name.data());
  }

  std::filesystem::path root_ = makeRoot();
  std::filesystem::path file_ = root_ / "plugin-commands" / "SKILL.md";
  FakeMainExecutor main_;
  HeldPool workers_;
  std::vector<std::string> reports_;
  int written_ = 0;
  std::shared_ptr<SkillWriter> writer_ = std::make_shared<SkillWriter>(
      file_, main_, workers_,
      SkillWriter::Listeners{
          .failed = [this](const Error& error) { reports_.push_back(error.message); },
          .written = [this] { ++written_; }});
};

TEST_F(SkillWriterTest, WritesAndDeletes) {
  writer_->update("one");
  settle();
  EXPECT_EQ(stored(), "one");
  writer_->update("");
  settle();
  EXPECT_FALSE(std::filesystem::exists(file_.parent_path()));
  EXPECT_TRUE(std::filesystem::exists(root_));
}

TEST_F(SkillWriterTest, WritesOnlyChanges) {
  writer_->update("one");
  settle();
  writer_->update("one");
  EXPECT_TRUE(workers_.jobs.empty());
}

TEST_F(SkillWriterTest, WritesTheNewestTextAfterTheRunningWrite) {
  writer_->update("one");
  writer_->update("two");
  writer_->update("three");
  EXPECT_EQ(workers_.jobs.size(), 1U);
  settle();
  EXPECT_EQ(stored(), "three");
  EXPECT_EQ(written_, 2);
}

TEST_F(SkillWriterTest, RemovesAStaleFileOfAnEarlierRun) {
  std::filesystem::create_directories(file_.parent_path());
  std::ofstream(file_) << "old";
  writer_->update("");
  settle();
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SkillWriterTest, ReportsFailuresAndTriesAgainWithTheNextChange) {
  std::ofstream(root_ / "plugin-commands") << "a file where the folder belongs";
  writer_->update("one");
  settle();
  EXPECT_EQ(reports_.size(), 1U);
  std::filesystem::remove(root_ / "plugin-commands");
  writer_->update("one");
  settle();
  EXPECT_EQ(stored(), "one");
}

TEST_F(SkillWriterTest, ReportsAFullQueue) {
  workers_.full = true;
  writer_->update("one");
  EXPECT_EQ(reports_.size(), 1U);
  workers_.full = false;
  writer_->update("one");
  settle();
  EXPECT_EQ(stored(), "one");
}

}  // namespace
}  // namespace svc::skills
