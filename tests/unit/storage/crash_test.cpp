#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/storage/await.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

/// The writer program with a pipe on its output.
class CrashWriter {
 public:
  explicit CrashWriter(std::string folder) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      throw std::runtime_error("cannot make a pipe");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::string program = SVC_CRASH_WRITER;
    std::array<char*, 3> arguments{program.data(), folder.data(), nullptr};
    const int failure =
        posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
    if (failure != 0) {
      throw std::runtime_error("cannot start " + program);
    }
  }
  CrashWriter(const CrashWriter&) = delete;
  CrashWriter& operator=(const CrashWriter&) = delete;
  ~CrashWriter() {
    kill();
    ::close(output_);
  }

  // Reads until `size` bytes arrived or the output ends. False at the end.
  bool read(std::size_t size) {
    std::array<char, 4096> buffer{};
    while (text_.size() < size) {
      const auto count = ::read(output_, buffer.data(), buffer.size());
      if (count <= 0) {
        return false;
      }
      text_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return true;
  }

  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }

  // Every complete line.
  [[nodiscard]] std::vector<std::string> acknowledged() const {
    std::vector<std::string> names;
    std::istringstream lines(text_.substr(0, text_.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      names.push_back(line);
    }
    return names;
  }

 private:
  pid_t pid_ = 0;
  int output_ = -1;
  std::string text_;
};

TEST(CrashTest, KeepsEveryAcknowledgedKeyWhenTheProcessIsKilled) {
  const TempDir dir;
  const FixedClock clock;
  std::size_t previous = 0;
  for (int round = 0; round < 3; ++round) {
    CrashWriter writer(dir.path().string());
    ASSERT_TRUE(writer.read(500)) << "the writer ended by itself";
    writer.kill();
    writer.read(std::string::npos);
    const auto names = writer.acknowledged();
    EXPECT_GT(names.size(), 100U);

    const auto store = SqliteStore::open(
        {.file = dir.path() / "svc.db", .backups = dir.path() / "backups"}, clock, silentLog());
    ASSERT_TRUE(store.ok()) << store.error().message;
    using Value = std::optional<common::RawJson>;
    for (const auto& name : names) {
      const auto value = test::await<Value>(
          [&](auto done) { store.value()->keyValues().get("todo", name, std::move(done)); });
      ASSERT_TRUE(value.ok()) << value.error().message;
      ASSERT_TRUE(value.value().has_value()) << "key " << name << " was acknowledged and is gone";
      EXPECT_EQ(value.value()->text(), name);
    }
    const auto keys = test::await<std::vector<std::string>>(
        [&](auto done) { store.value()->keyValues().list("todo", "", std::move(done)); });
    EXPECT_GE(keys.value().size(), std::max(previous, names.size()));
    previous = keys.value().size();
  }
}

}  // namespace
}  // namespace svc::storage
