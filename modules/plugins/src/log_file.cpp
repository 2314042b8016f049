#include "log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/backward_lines.h"
#include "svc/base/files.h"
#include "svc/base/system_error.h"
#include "svc/common/limits/plugins.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

Error systemError(std::string_view action, const fs::path& path) {
  return base::systemError(fmt::format("cannot {} {}", action, path.string()), errno);
}

/// Visits the lines of a file, the last one first; a file that is not there has none. False when `visit` ended the walk.
bool walkBackward(const fs::path& path, const std::function<bool(std::string_view line)>& visit) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto end = file ? ::lseek(file.get(), 0, SEEK_END) : 0;
  return base::eachLineBackward(file.get(), static_cast<std::size_t>(std::max<off_t>(end, 0)),
                                visit);
}

}  // namespace

std::uint64_t LogFile::lastSeq() const {
  std::uint64_t seq = 0;
  const auto visit = [&seq](std::string_view line) {
    const auto head = parseHead(line);
    seq = head ? head->seq : 0;
    return !head;
  };
  for (const auto& path : {current(), rotated()}) {
    if (!walkBackward(path, visit)) {
      break;
    }
  }
  return seq;
}

Status LogFile::open() {
  if (file_) {
    return {};
  }
  if (auto status = base::makePrivateDirectory(directory_); !status) {
    return status;
  }
  constexpr mode_t kMode = 0600;
  file_.reset(::open(current().c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode));
  struct stat info {};
  if (!file_ || ::fstat(file_.get(), &info) != 0) {
    auto failure = systemError("open", current());
    file_.reset();
    return failure;
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
  seq_ = std::max(seq_, lastSeq());
  return endHalfLine();
}

Status LogFile::endHalfLine() {
  char last = '\n';
  if (size_ > 0 && ::pread(file_.get(), &last, 1, static_cast<off_t>(size_ - 1)) != 1) {
    return systemError("read", current());
  }
  return last == '\n' ? Status() : write("\n");
}

Status LogFile::rotate() {
  file_.reset();
  std::error_code failure;
  fs::rename(current(), rotated(), failure);
  if (failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot rename {}: {}", current().string(), failure.message())};
  }
  return open();
}

Status LogFile::write(const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const auto count = ::write(file_.get(), line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      auto failure = systemError("write", current());
      // A half line would hide the next one from readers.
      if (written > 0 && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) {
        file_.reset();
      }
      return failure;
    }
    written += static_cast<std::size_t>(count);
  }
  size_ += line.size();
  return {};
}

Result<std::uint64_t> LogFile::append(const LogEntry& entry) {
  if (auto status = open(); !status) {
    return std::move(status).error();
  }
  const auto line = formatLine(seq_ + 1, entry);
  if (size_ > 0 && size_ + line.size() > limits::kLogFile) {
    if (auto status = rotate(); !status) {
      return std::move(status).error();
    }
  }
  if (auto status = write(line); !status) {
    return std::move(status).error();
  }
  return ++seq_;
}

LogPage LogFile::read(const LogQuery& query) {
  const auto wanted =
      query.tail == 0 ? limits::kLogTailDefault : std::min(query.tail, limits::kLogTail);
  const int lowest = query.level.empty() ? 0 : levelRank(query.level);
  LogPage out;
  out.cursor = query.after.value_or(0);
  std::deque<std::pair<std::uint64_t, std::string>> fitting;  // newest first
  const auto visit = [&](std::string_view line) {
    const auto head = parseHead(line);
    if (!head) {
      return true;
    }
    if (query.after && head->seq <= *query.after) {
      return false;
    }
    out.cursor = std::max(out.cursor, head->seq);
    if (levelRank(head->level) >= lowest) {
      fitting.emplace_back(head->seq, line);
    }
    // A reader that follows gets the oldest lines it has not seen and comes back for the rest.
    if (query.after && fitting.size() > wanted) {
      fitting.pop_front();
      out.cursor = fitting.front().first;
    }
    return query.after || fitting.size() < wanted;
  };
  for (const auto& path : {current(), rotated()}) {
    if (!walkBackward(path, visit)) {
      break;
    }
  }
  std::reverse(fitting.begin(), fitting.end());
  out.lines.reserve(fitting.size());
  for (auto& line : fitting) {
    out.lines.push_back(std::move(line.second));
  }
  return out;
}

}  // namespace svc::plugins
