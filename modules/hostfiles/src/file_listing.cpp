#include "file_listing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/fuzzy.h"
#include "svc/common/limits/files.h"

namespace svc::hostfiles {
namespace {

using common::BodyReader;
using common::FuzzyMatch;
using common::FuzzyQuery;
using common::Json;

struct Entry {
  std::string path;  ///< relative
  bool is_directory = false;
  FuzzyMatch match{};
};

struct Listing {
  std::vector<Entry> entries;
  bool truncated = false;
};

struct Wanted {
  FuzzyQuery query{""};
  std::size_t limit = limits::kListingDefault;
  bool files = true;
  bool directories = false;
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

/// Name by name from the one that is held, so that no link leads out.
base::Fd openBelow(int root, std::string_view path) {
  base::Fd at(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (at && !path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const std::string name(path.substr(0, end));
    at = base::Fd(::openat(at.get(), name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

enum class Kind : std::uint8_t { kFile, kDirectory, kOther };

/// Of what it leads to; a link that leads nowhere is a file.
Kind kindOf(int directory, const dirent& entry) {
  struct stat status {};
  const bool is_told = entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN;
  const auto mode = is_told                                                   ? DTTOIF(entry.d_type)
                    : ::fstatat(directory, &entry.d_name[0], &status, 0) == 0 ? status.st_mode
                                                                              : S_IFREG;
  return S_ISDIR(mode) ? Kind::kDirectory : S_ISREG(mode) ? Kind::kFile : Kind::kOther;
}

bool isLink(int directory, const dirent& entry) {
  struct stat status {};
  return entry.d_type == DT_LNK ||
         (entry.d_type == DT_UNKNOWN &&
          ::fstatat(directory, &entry.d_name[0], &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(status.st_mode));
}

class Walk {
 public:
  Walk(int root, const Wanted& wanted, const ListingBounds& costs)
      : root_(root), wanted_(wanted), costs_(costs) {}

  Listing run() {
    waiting_.emplace_back();
    while (!waiting_.empty() && !listing_.truncated) {
      const auto path = std::move(waiting_.front());
      waiting_.pop_front();
      if (costs_.over()) {
        listing_.truncated = true;
        break;
      }
      read(path);
    }
    return std::move(listing_);
  }

 private:
  void read(const std::string& path) {
    auto handle = openBelow(root_, path);
    const Directory directory(handle ? ::fdopendir(handle.get()) : nullptr);
    if (!directory) {
      return;
    }
    const int held = handle.release();
    // Of this thread alone. NOLINTNEXTLINE(concurrency-mt-unsafe)
    while (const auto* entry = ::readdir(directory.get())) {
      const std::string_view name(&entry->d_name[0]);
      if (name == "." || name == ".." || !common::isUtf8(name)) {
        continue;
      }
      if (++seen_ > costs_.scan) {
        listing_.truncated = true;
        return;
      }
      take(path.empty() ? std::string(name) : fmt::format("{}/{}", path, name),
           kindOf(held, *entry), isLink(held, *entry));
    }
  }

  void take(std::string path, Kind kind, bool is_link) {
    const bool is_directory = kind == Kind::kDirectory;
    if (is_directory && !is_link) {
      waiting_.push_back(path);
    }
    if (kind == Kind::kOther || !(is_directory ? wanted_.directories : wanted_.files)) {
      return;
    }
    if (wanted_.query.empty()) {
      listing_.entries.push_back({std::move(path), is_directory});
    } else if (auto match = wanted_.query.match(path)) {
      listing_.entries.push_back({std::move(path), is_directory, *std::move(match)});
    }
  }

  const int root_;
  const Wanted& wanted_;
  const ListingBounds& costs_;
  std::size_t seen_ = 0;
  /// Relative paths of directories that are not read yet.
  std::deque<std::string> waiting_;
  Listing listing_;
};

Result<Listing> list(const Bounds& bounds, BodyReader& reader, Wanted wanted,
                     const ListingBounds& costs) {
  const auto path = reader.requiredString("path");
  const auto root = reader.optionalString("rootPath");
  wanted.query = FuzzyQuery(reader.optionalString("query").value_or(std::string{}));
  if (const auto* limit = reader.body().find("limit")) {
    if (!limit->isInteger() || limit->asInteger() < 1 ||
        limit->asInteger() > static_cast<std::int64_t>(limits::kListing)) {
      reader.issue(fmt::format("Expected a number from 1 to {} (limit listing), not {}",
                               limits::kListing, limit->dump()),
                   {Json("limit")});
    }
    wanted.limit = static_cast<std::size_t>(limit->asInteger());
  }
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  const auto reach = Reach::of(bounds, root);
  if (!reach) {
    return reach.error();
  }
  const auto object = reach.value().object(path);
  if (!object) {
    return object.error();
  }
  if (const auto readable = openBelow(object.value().handle.get(), {}); !readable) {
    return errno == ENOTDIR ? Error{errc::kInvalidInput, fmt::format("{} is not a directory",
                                                                     object.value().path.string())}
                            : pathFailure("read", object.value().path.string(), errno);
  }
  auto listing = Walk(object.value().handle.get(), wanted, costs).run();
  auto& entries = listing.entries;
  const auto better = [](const Entry& left, const Entry& right) {
    return left.match.score != right.match.score ? left.match.score > right.match.score
                                                 : left.path < right.path;
  };
  const auto kept = std::min(entries.size(), wanted.limit);
  std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept),
                    entries.end(), better);
  listing.truncated = listing.truncated || kept < entries.size();
  entries.resize(kept);
  return listing;
}

std::string nameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<std::string> listFiles(const Bounds& bounds, const std::string& command,
                              const ListingBounds& costs) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  auto listing = list(bounds, reader.value(), {}, costs);
  if (!listing) {
    return std::move(listing).error();
  }
  auto files = Json::array();
  for (const auto& entry : listing.value().entries) {
    files.push(Json::object().set("name", nameOf(entry.path)).set("path", entry.path));
  }
  return Json::object()
      .set("files", std::move(files))
      .set("truncated", listing.value().truncated)
      .dump();
}

Result<std::string> listPaths(const Bounds& bounds, const std::string& command,
                              const ListingBounds& costs) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  Wanted wanted;
  for (const auto& [member, target] : {std::pair("includeFiles", &wanted.files),
                                       std::pair("includeDirectories", &wanted.directories)}) {
    const auto& value = reader.value().body()[member];
    if (!value.isBool()) {
      reader.value().issue("Required: true or false", {Json(member)});
    }
    *target = value.asBool();
  }
  auto listing = list(bounds, reader.value(), std::move(wanted), costs);
  if (!listing) {
    return std::move(listing).error();
  }
  auto paths = Json::array();
  for (const auto& entry : listing.value().entries) {
    auto positions = Json::array();
    for (const auto position : entry.match.positions) {
      positions.push(static_cast<std::int64_t>(position));
    }
    paths.push(Json::object()
                   .set("kind", entry.is_directory ? "directory" : "file")
                   .set("name", nameOf(entry.path))
                   .set("path", entry.path)
                   .set("score", entry.match.score)
                   .set("positions", std::move(positions)));
  }
  return Json::object()
      .set("paths", std::move(paths))
      .set("truncated", listing.value().truncated)
      .dump();
}

}  // namespace svc::hostfiles
