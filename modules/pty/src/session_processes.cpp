#include "session_processes.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "svc/base/fd.h"

namespace svc::pty {
namespace {

/// The session of a process that is not over; 0 for others.
pid_t sessionOf(pid_t pid) {
  const base::Fd file(
      ::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  constexpr std::size_t kMost = 4096;
  const auto text = file ? base::readAll(file.get(), kMost) : Result<std::string>(std::string{});
  if (!text) {
    return 0;
  }
  // pid (name) state parent group session …, and a name may have anything in it.
  std::string_view rest(text.value());
  const auto end = rest.rfind(") ");
  if (end == std::string_view::npos || end + 2 >= rest.size() || rest[end + 2] == 'Z') {
    return 0;
  }
  rest.remove_prefix(end + 2);
  constexpr int kBefore = 3;
  for (int field = 0; field < kBefore; ++field) {
    const auto space = rest.find(' ');
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  pid_t session = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), session);
  return session;
}

}  // namespace

std::vector<pid_t> membersOf(pid_t session) {
  std::vector<pid_t> members;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc", failed), end; !failed && at != end;
       at.increment(failed)) {
    const auto name = at->path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size() && pid != session &&
        sessionOf(pid) == session) {
      members.push_back(pid);
    }
  }
  return members;
}

std::string programOf(pid_t pid) {
  constexpr std::string_view kReplaced = " (deleted)";
  std::error_code failed;
  auto program =
      std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", failed).string();
  if (program.ends_with(kReplaced)) {
    program.resize(program.size() - kReplaced.size());
  }
  return program;
}

void signalMembers(pid_t session, int number) {
  for (const auto pid : membersOf(session)) {
    const base::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process && sessionOf(pid) == session) {
      ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
    }
  }
}

}  // namespace svc::pty
