#include "tree_copy.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace svc::client {
namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& path) {
  return Error{errc::kUnavailable,
               fmt::format("{} is missing or damaged: install svc again", path.string())};
}

Status copyBelow(const fs::path& from, const fs::path& below, const fs::path& to,
                 const TreeCopy& copy) {
  std::error_code failure;
  for (fs::directory_iterator each(from / below, failure), end; !failure && each != end;
       each.increment(failure)) {
    const auto path = below / each->path().filename();
    const auto target = to / copy.name(path);
    Status done;
    if (each->is_directory()) {
      done = ::mkdir(target.c_str(), 0777) == 0 ? copyBelow(from, path, to, copy)
                                                : cannotWrite(target, errno);
    } else if (auto text = readShipped(each->path()); text) {
      done = writeText(target, copy.text(path, std::move(text).value()));
    } else {
      done = text.error();
    }
    if (!done) {
      return done;
    }
  }
  if (failure) {
    return damaged(below.empty() ? from : from / below);
  }
  return {};
}

}  // namespace

Status writeText(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return out ? Status() : cannotWrite(file, errno == 0 ? EIO : errno);
}

Status copyTree(const fs::path& from, const fs::path& to, const TreeCopy& copy) {
  return copyBelow(from, {}, to, copy);
}

Status copyText(const fs::path& from, const fs::path& to) {
  const auto text = readShipped(from);
  return text ? writeText(to, text.value()) : text.error();
}

Result<std::string> readShipped(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) {
    return damaged(file);
  }
  return text;
}

Error cannotWrite(const fs::path& path, int reason) {
  return Error{errc::kUnavailable,
               fmt::format("{} cannot be written: {}", path.string(), std::strerror(reason))};
}

}  // namespace svc::client
