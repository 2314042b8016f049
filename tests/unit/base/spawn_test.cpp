#include "svc/base/spawn.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "unit/plugins/temp_directory.h"

namespace svc::base {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a program writes that this starts.
std::string outputOf(SpawnOptions options) {
  auto out = makePipe();
  EXPECT_TRUE(out.ok());
  options.out = out.value().write.get();
  auto child = spawn(options);
  EXPECT_TRUE(child.ok()) << child.error().message;
  out.value().write.reset();
  auto text = readAll(out.value().read.get(), 1U << 20U);
  EXPECT_TRUE(child.value().reap().ok());
  return text.value();
}
SpawnOptions shellProgram(const std::string& text) { return {.argv = {"/bin/sh", "-c", text}}; }
/// Of one line of /proc/<pid>/status, in hexadecimal.
std::string statusOf(const std::string& field) {
  return outputOf(shellProgram("grep ^" + field + ": /proc/self/status | cut -f2"));
}

/// A descriptor that children would inherit.
Fd leaking(int at_least = 0) {
  const Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Fd(::fcntl(file.get(), F_DUPFD, at_least));
}

// The shell's own: a program that lists a directory has it open.
constexpr const char* kList = "ls /proc/$$/fd; :";

TEST(SpawnTest, AChildHasNoDescriptorsButItsStreams) {
  const auto low = leaking();
  const auto high = leaking(500);
  EXPECT_EQ(outputOf(shellProgram(kList)), "0\n1\n2\n");
}

TEST(SpawnTest, AChildHasTheDescriptorsThatAreNamed) {
  const auto low = leaking();
  const auto event = Fd(::eventfd(0, EFD_CLOEXEC));
  auto list = shellProgram(kList);
  list.passed = {{event.get(), 7}};
  EXPECT_EQ(outputOf(list), "0\n1\n2\n7\n");
  list = shellProgram("readlink /proc/self/fd/7");
  list.passed = {{event.get(), 7}};
  EXPECT_EQ(outputOf(list), "anon_inode:[eventfd]\n");
}

TEST(SpawnTest, DescriptorsMayTradeTheirNumbers) {
  const test::TempDirectory directory;
  const auto open = [&](const char* name, int at_least) {
    const Fd file(::open(directory.write(name, name).c_str(), O_RDONLY | O_CLOEXEC));
    return Fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, at_least));
  };
  const auto first = open("first", 20);
  const auto second = open("second", 21);
  auto read = shellProgram("cat /dev/fd/$SECOND /dev/fd/$FIRST");
  read.environment = {{"PATH", "/bin:/usr/bin"},
                      {"FIRST", std::to_string(second.get())},
                      {"SECOND", std::to_string(first.get())}};
  read.passed = {{first.get(), second.get()}, {second.get(), first.get()}};
  EXPECT_EQ(outputOf(read), "secondfirst");
}

TEST(SpawnTest, StreamsThatAreNotGivenAreEmpty) {
  EXPECT_EQ(outputOf(shellProgram("cat; readlink /proc/$$/fd/2; :")), "/dev/null\n");
}

TEST(SpawnTest, ItsOwnStreamsMayBeGivenOn) {
  auto child = shellProgram("readlink /proc/$$/fd/0; :");
  child.in = STDIN_FILENO;
  EXPECT_EQ(outputOf(child), std::filesystem::read_symlink("/proc/self/fd/0").string() + "\n");
}

TEST(SpawnTest, SignalsHaveTheirDefaults) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto child = std::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(statusOf("SigBlk"), "0000000000000000\n");
  EXPECT_EQ(statusOf("SigIgn"), "0000000000000000\n");
  auto quiet = shellProgram("grep ^SigIgn: /proc/self/status | cut -f2");
  quiet.ignores_sigpipe = true;
  EXPECT_EQ(outputOf(quiet), "0000000000001000\n");
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_TRUE(::sigismember(&now, SIGTERM)) << "the mask of who starts it is as it was";
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGPIPE, pipe);
  std::signal(SIGCHLD, child);
}

TEST(SpawnTest, EnvironmentDirectoryAndNameAreAsGiven) {
  const test::TempDirectory directory;
  auto child = shellProgram("env; pwd; head -c 3 /proc/$$/cmdline; :");
  child.environment = {{"A", "b c"}, {"PATH", "/usr/bin:/bin"}, {"PWD", "/"}};
  child.directory = directory.path();
  child.shown_as = "abc";
  const auto out = outputOf(child);
  EXPECT_THAT(out, HasSubstr("A=b c\n"));
  EXPECT_THAT(out, ::testing::EndsWith(
                       "\n" + std::filesystem::canonical(directory.path()).string() + "\nabc"));
}

TEST(SpawnTest, FilesThatItWritesMayBeBounded) {
  auto child = shellProgram("ulimit -f; ulimit -c");
  child.file_limit = 1024UL * 1024;
  EXPECT_EQ(outputOf(child), "2048\n0\n") << "in blocks of 512 bytes";
  child.file_limit = 0;
  EXPECT_THAT(outputOf(child), StartsWith("unlimited\n"));
}

TEST(SpawnTest, TheGroupIsAsAsked) {
  const auto ids = [&](ProcessGroup group) {
    auto child = shellProgram("cut -d' ' -f1,5,6 /proc/$$/stat; :");
    child.group = group;
    pid_t pid = 0;
    pid_t its_group = 0;
    pid_t session = 0;
    std::istringstream(outputOf(child)) >> pid >> its_group >> session;
    return std::tuple(its_group == pid, its_group == ::getpgrp(), session == pid);
  };
  EXPECT_EQ(ids(ProcessGroup::kShared), std::tuple(false, true, false));
  EXPECT_EQ(ids(ProcessGroup::kOwn), std::tuple(true, false, false));
  EXPECT_EQ(ids(ProcessGroup::kSession), std::tuple(true, false, true));
}

TEST(SpawnTest, ProgramsAreFoundOnThePath) {
  EXPECT_EQ(outputOf({.argv = {"echo", "a b", "$HOME"}}), "a b $HOME\n");
}

TEST(SpawnTest, AProgramThatIsNotThereIsAnError) {
  for (const auto* program : {"/does/not/exist", "svc-no-such-program"}) {
    const auto child = spawn({.argv = {program}});
    ASSERT_FALSE(child.ok());
    EXPECT_EQ(child.error().code, errc::kNotFound);
    EXPECT_EQ(child.error().message,
              "cannot run " + std::string(program) + ": No such file or directory");
  }
}

TEST(SpawnTest, AFileThatCannotBeRunIsAnError) {
  const test::TempDirectory directory;
  const auto text = directory.write("text", "neither a program nor a script");
  EXPECT_EQ(spawn({.argv = {text.string()}}).error().code, errc::kInvalidArgument);
  ::chmod(text.c_str(), 0700);
  const auto child = spawn({.argv = {text.string()}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, errc::kInvalidArgument);
  EXPECT_THAT(child.error().message, HasSubstr("Exec format error"));
}

TEST(SpawnTest, AProgramThatIsBeingWrittenIsUnavailable) {
  const test::TempDirectory directory;
  const auto program = directory.path() / "true";
  std::filesystem::copy_file("/bin/true", program);
  const Fd writing(::open(program.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(spawn({.argv = {program.string()}}).error().code, errc::kUnavailable);
}

TEST(SpawnTest, ADirectoryThatIsNotThereIsNamed) {
  auto child = shellProgram("true");
  child.directory = "/does/not/exist";
  const auto started = spawn(child);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, errc::kUnavailable);
  EXPECT_EQ(started.error().message,
            "cannot run /bin/sh in /does/not/exist: No such file or directory");
}

TEST(SpawnTest, TheEndOfTheStartingThreadReachesTheChild) {
  std::optional<ChildProcess> child;
  std::thread([&] {
    auto options = shellProgram("sleep 600");
    options.parent_death_signal = SIGUSR1;
    child = std::move(spawn(options).value());
  }).join();
  EXPECT_EQ(child->reap().signal, SIGUSR1);
}

TEST(SpawnTest, ManyThreadsMayStartPrograms) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([] {
      for (int count = 0; count < 10; ++count) {
        EXPECT_EQ(outputOf(shellProgram(kList)), "0\n1\n2\n");
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace svc::base
