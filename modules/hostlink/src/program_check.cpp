#include "program_check.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "svc/common/codes.h"

extern char** environ;

namespace svc::hostlink {
namespace {

namespace fs = std::filesystem;

/// Loading every module takes a second on a slow disk.
constexpr std::chrono::seconds kPatience{30};
/// How soon a stop is noticed.
constexpr int kTurnMs = 100;
/// Of what a program has said, in an error.
constexpr std::size_t kShown = 500;

Error failed(const std::string& what) {
  return {errc::kIncompatible, "the server's daemon does not run on this machine: " + what};
}

Result<pid_t> spawn(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  for (const auto& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // as exec wants it; nobody writes
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ETXTBSY || error == EAGAIN || error == ENOMEM) {
    return Error{errc::kUnavailable, fmt::format("cannot start {}: {}", words.front(),
                                                 std::generic_category().message(error))};
  }
  if (error != 0) {
    return failed(fmt::format("{}: {}", words.front(), std::generic_category().message(error)));
  }
  return child;
}

/// Its wait status; a child that does not end in time is killed.
Result<int> await(pid_t child, const std::stop_token& stop) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  pollfd ended{descriptor, POLLIN, 0};
  bool in_time = false;
  while (!in_time && descriptor >= 0 && !stop.stop_requested() &&
         std::chrono::steady_clock::now() < deadline) {
    in_time = ::poll(&ended, 1, kTurnMs) > 0;
  }
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (!in_time) {
    ::kill(child, SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (stop.stop_requested()) {
    return Error{errc::kAborted, "the check of the program was stopped"};
  }
  if (!in_time) {
    return failed(fmt::format("its check took longer than {} s", kPatience.count()));
  }
  return status;
}

/// What a program that succeeds has said.
Result<std::string> outputOf(const std::vector<std::string>& words, const fs::path& output,
                             const std::stop_token& stop) {
  const auto child = spawn(words, output);
  if (!child) {
    return child.error();
  }
  const auto status = await(child.value(), stop);
  if (!status) {
    return status.error();
  }
  std::ifstream in(output, std::ios::binary);
  std::string said{std::istreambuf_iterator<char>(in), {}};
  if (WIFEXITED(status.value()) && WEXITSTATUS(status.value()) == 0) {
    return said;
  }
  said.resize(std::min(said.size(), kShown));
  const auto end = said.find_last_not_of(" \n");
  return failed(end == std::string::npos ? "it ended without a word" : said.substr(0, end + 1));
}

}  // namespace

Status checkProgram(const fs::path& root, std::int64_t protocol_version,
                    const std::vector<std::string>& arguments, const std::stop_token& stop) {
  const auto program = (root / "bin/svc-hostd").string();
  const auto output = root.parent_path() / "check.log";
  std::vector<std::string> words{program, "--check"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto daemon = outputOf(words, output, stop);
  if (!daemon) {
    return daemon.error();
  }
  if (daemon.value().find(fmt::format("provides {} {}\n", kProtocolService, protocol_version)) ==
      std::string::npos) {
    return Error{errc::kIncompatible,
                 fmt::format("the server's daemon does not speak protocol version {}: the server's "
                             "installation was changed while it runs; start it again",
                             protocol_version)};
  }
  const auto worker = outputOf(
      {program, "worker", "--check", "--data-dir", root.parent_path().string()}, output, stop);
  return worker ? Status() : Status(worker.error());
}

}  // namespace svc::hostlink
