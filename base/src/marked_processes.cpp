#include "svc/base/marked_processes.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/data_marks.h"

namespace svc::base {
namespace {

namespace fs = std::filesystem;

enum class Match : unsigned char { kWhole, kBeginning };

bool hasEntry(const fs::path& process, const std::string& entry, Match match) {
  std::ifstream file(process / "environ", std::ios::binary);
  for (std::string each; std::getline(file, each, '\0');) {
    if (match == Match::kWhole ? each == entry : each.starts_with(entry)) {
      return true;
    }
  }
  return false;
}

bool isOurs(const fs::path& process) {
  struct stat status {};
  return ::stat(process.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

std::vector<MarkedProcess> processesWith(const std::string& mark, Match match) {
  std::vector<MarkedProcess> found;
  if (mark.empty()) {
    return found;
  }
  const auto entry = std::string(kProcessMark) + "=" + mark;
  std::error_code failure;
  for (fs::directory_iterator each("/proc", failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto name = each->path().filename().string();
    pid_t pid = 0;
    const auto [rest, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || rest != name.data() + name.size() || pid == ::getpid() ||
        !isOurs(each->path())) {
      continue;
    }
    // Held before it is looked at: what is read is that of the process the descriptor names.
    Fd held(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (held && hasEntry(each->path(), entry, match)) {
      found.push_back({pid, std::move(held)});
    }
  }
  return found;
}

std::size_t signalAll(const std::vector<MarkedProcess>& processes, int number) {
  std::size_t running = 0;
  for (const auto& process : processes) {
    pollfd ended{.fd = process.descriptor.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ended, 1, 0) == 0) {
      ++running;
      ::syscall(SYS_pidfd_send_signal, process.descriptor.get(), number, nullptr, 0);
    }
  }
  return running;
}

}  // namespace

std::string marksOf(const fs::path& data_directory) {
  struct stat status {};
  return ::stat(data_directory.c_str(), &status) == 0
             ? fmt::format("{:x}.{:x}.", status.st_dev, status.st_ino)
             : std::string();
}

std::vector<MarkedProcess> processesMarked(const std::string& mark) {
  return processesWith(mark, Match::kWhole);
}

std::vector<MarkedProcess> processesMarkedBelow(const std::string& prefix) {
  return processesWith(prefix, Match::kBeginning);
}

std::size_t signalMarked(const std::string& mark, int number) {
  return signalAll(processesWith(mark, Match::kWhole), number);
}

std::size_t signalMarkedBelow(const std::string& prefix, int number) {
  return signalAll(processesWith(prefix, Match::kBeginning), number);
}

}  // namespace svc::base
