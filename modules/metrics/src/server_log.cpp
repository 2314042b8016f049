#include "server_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "svc/base/backward_lines.h"
#include "svc/base/fd.h"
#include "svc/common/utf8.h"

namespace svc::metrics {
namespace {

struct File {
  base::Fd descriptor;
  ino_t number = 0;
  /// Of its first line: the number alone may be that of a file that is gone.
  std::uint64_t began = 0;
  std::size_t size =
      0;  ///< up to its last line break: a line that is being written is for the next page
};

char byteAt(const File& file, std::size_t offset) {
  char byte = '\0';
  return ::pread(file.descriptor.get(), &byte, 1, static_cast<off_t>(offset)) == 1 ? byte : '\0';
}

/// The time in the first line; 0 when there is none.
std::uint64_t beginningOf(const File& file) {
  constexpr std::string_view kHead = R"({"ts":)";
  std::array<char, 32> head{};
  const auto count = ::pread(file.descriptor.get(), head.data(), head.size(), 0);
  std::uint64_t at = 0;
  if (std::string_view(head.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)))
          .starts_with(kHead)) {
    std::from_chars(head.data() + kHead.size(), head.data() + count, at);
  }
  return at;
}

/// The files, the newest first. Those that cannot be opened are left out, as is what follows them.
std::vector<File> openFiles(const std::filesystem::path& directory) {
  std::vector<File> files;
  for (const auto* name : {"server.log", "server.1.log", "server.2.log", "server.3.log"}) {
    File file{.descriptor =
                  base::Fd(::open((directory / name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
    struct stat status {};
    if (!file.descriptor || ::fstat(file.descriptor.get(), &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      break;
    }
    file.number = status.st_ino;
    file.began = beginningOf(file);
    file.size = static_cast<std::size_t>(status.st_size);
    // Rotation between two opens shows the same file under its next name.
    if (files.empty() || files.back().number != file.number) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

/// Leaves out what follows the last line break.
void endAtLine(File& file) {
  const auto size = file.size;
  if (size > 0 && byteAt(file, size - 1) != '\n') {
    base::eachLineBackward(file.descriptor.get(), size, [&file](std::string_view half) {
      file.size -= half.size();
      return false;
    });
  }
}

/// Of `{"ts":…,"level":"info",…`; nullopt for what is no line of the log.
std::optional<LogLevel> levelOf(std::string_view line) {
  constexpr std::string_view kKey = R"(,"level":")";
  const auto at = line.substr(0, 64).find(kKey);
  if (!line.starts_with(R"({"ts":)") || !line.ends_with('}') || at == std::string_view::npos) {
    return std::nullopt;
  }
  const auto rest = line.substr(at + kKey.size());
  const auto level = rest.substr(0, rest.find('"'));
  return level == "error" || level == "critical" ? LogLevel::kError
         : level == "warning"                    ? LogLevel::kWarn
         : level == "info"                       ? LogLevel::kInfo
                                                 : LogLevel::kDebug;
}

bool fits(std::string_view line, const ServerLogQuery& query) {
  const auto level = levelOf(line);
  return level && *level >= query.level;
}

std::string cursorAt(const File& file, std::size_t offset) {
  return fmt::format("{}.{}.{}", file.number, file.began, offset);
}

/// Three numbers with dots between them.
std::optional<std::array<std::uint64_t, 3>> numbersOf(std::string_view cursor) {
  std::array<std::uint64_t, 3> numbers{};
  const auto* at = cursor.data();
  const auto* const end = at + cursor.size();
  for (auto& number : numbers) {
    const auto read = std::from_chars(at, end, number);
    const bool is_last = &number == &numbers.back();
    if (read.ec != std::errc{} ||
        (is_last ? read.ptr != end : read.ptr == end || *read.ptr != '.')) {
      return std::nullopt;
    }
    at = is_last ? end : read.ptr + 1;
  }
  return numbers;
}

/// The file that a cursor names, and the offset in it; nullopt when that is the beginning of no line.
std::optional<std::pair<std::size_t, std::size_t>> findCursor(const std::vector<File>& files,
                                                              std::string_view cursor) {
  const auto numbers = numbersOf(cursor);
  for (std::size_t i = 0; numbers && i < files.size(); ++i) {
    const auto& file = files[i];
    const auto [number, began, offset] = *numbers;
    if (file.number == number && offset <= file.size &&
        (offset == 0 || (file.began == began && byteAt(file, offset - 1) == '\n'))) {
      return std::pair(i, static_cast<std::size_t>(offset));
    }
  }
  return std::nullopt;
}

/// Takes lines of `file` from `offset` until the page is full or the file ends; the offset behind the last one that was looked at.
std::size_t readForward(const File& file, std::size_t offset, const ServerLogQuery& query,
                        ServerLogPage& page, std::size_t& bytes) {
  constexpr std::size_t kChunk = 64UL * 1024;
  std::string text;  // begins at `offset`
  auto next = offset;
  while (true) {
    std::size_t from = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
      if (page.lines.size() >= query.tail || bytes >= ServerLog::kPageBytes) {
        return offset + from;
      }
      const auto line = std::string_view(text).substr(from, end - from);
      if (fits(line, query)) {
        page.lines.push_back(common::replaceInvalidUtf8(line));
        bytes += line.size();
      }
      from = end + 1;
    }
    text.erase(0, from);
    offset += from;
    const auto step = std::min(kChunk, file.size - next);
    std::string chunk(step, '\0');
    if (step == 0 || ::pread(file.descriptor.get(), chunk.data(), step, static_cast<off_t>(next)) !=
                         static_cast<ssize_t>(step)) {
      return offset;
    }
    next += step;
    text += chunk;
  }
}

ServerLogPage readNewest(const std::vector<File>& files, const ServerLogQuery& query) {
  ServerLogPage page{.lines = {}, .cursor = files.empty() ? "" : cursorAt(files[0], files[0].size)};
  std::size_t bytes = 0;
  const auto visit = [&](std::string_view line) {
    if (fits(line, query)) {
      page.lines.push_back(common::replaceInvalidUtf8(line));
      bytes += line.size();
    }
    return page.lines.size() < query.tail && bytes < ServerLog::kPageBytes;
  };
  for (const auto& file : files) {
    if (query.tail == 0 || !base::eachLineBackward(file.descriptor.get(), file.size, visit)) {
      break;
    }
  }
  std::reverse(page.lines.begin(), page.lines.end());
  return page;
}

}  // namespace

ServerLogPage ServerLog::read(const ServerLogQuery& query) const {
  auto files = openFiles(directory_);
  for (auto& file : files) {
    endAtLine(
        file);  // an older one, too, can end in the middle of a line: a full disk, a killed server
  }
  const auto start = findCursor(files, query.after);
  if (!start) {
    auto page = readNewest(files, query);
    page.anew = !query.after.empty();
    return page;
  }
  ServerLogPage page;
  std::size_t bytes = 0;
  auto [at, offset] = *start;
  while (true) {
    offset = readForward(files[at], offset, query, page, bytes);
    page.cursor = cursorAt(files[at], offset);
    if (offset < files[at].size || at == 0) {
      return page;
    }
    --at;
    offset = 0;
  }
}

}  // namespace svc::metrics
