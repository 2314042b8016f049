#include "process_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace svc::jsruntime {

namespace {

/// How often a list of children is read: the kernel may leave some out while others end.
constexpr int kReadings = 3;

void appendChildren(const std::string& task, std::vector<pid_t>& out) {
  for (int reading = 0; reading < kReadings; ++reading) {
    std::ifstream list(task + "/children");
    pid_t child = 0;
    while (list >> child) {
      if (std::find(out.begin(), out.end(), child) == out.end()) {
        out.push_back(child);
      }
    }
  }
}

void appendChildrenOfProcess(pid_t pid, std::vector<pid_t>& out) {
  std::error_code gone;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    appendChildren(task.path().string(), out);
  }
}

}  // namespace

ProcessHandle::ProcessHandle(pid_t pid)
    : pid_(pid), descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

void ProcessHandle::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, descriptor_.get(), number, nullptr, 0);
}

bool ProcessHandle::ended() const {
  pollfd poller{descriptor_.get(), POLLIN, 0};
  return ::poll(&poller, 1, 0) == 1;
}

bool ProcessHandle::reap() const {
  if (!ended()) {
    return false;
  }
  // Only ours can be waited for; a grandchild is its parent's or init's to collect.
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(descriptor_.get()), &info, WEXITED | WNOHANG);
  return true;
}

std::vector<ProcessHandle> processesStartedBy(pid_t thread_id) {
  std::vector<pid_t> found;
  appendChildren("/proc/self/task/" + std::to_string(thread_id), found);
  for (std::size_t at = 0; at < found.size(); ++at) {
    appendChildrenOfProcess(found[at], found);
  }
  std::vector<ProcessHandle> processes;
  for (const pid_t pid : found) {
    if (ProcessHandle process(pid); process.valid()) {
      processes.push_back(std::move(process));
    }
  }
  return processes;
}

}  // namespace svc::jsruntime
