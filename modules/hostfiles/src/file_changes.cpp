#include "file_changes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"

namespace svc::hostfiles {
namespace {

using common::BodyReader;
using common::Json;

bool flag(BodyReader& reader, std::string_view key) {
  const auto* value = reader.body().find(key);
  if (value != nullptr && !value->isBool()) {
    reader.issue("Expected true or false", {Json(key)});
  }
  return value != nullptr && value->asBool();
}

Result<Reach> reachOf(const Bounds& bounds, BodyReader& reader) {
  const auto root = reader.optionalString("rootPath");
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return Reach::of(bounds, root);
}

Result<std::string> done(Status status) {
  return status ? Result<std::string>(std::string("{}")) : std::move(status).error();
}

Status makeOne(const Place& place) {
  return ::mkdirat(place.directory.get(), place.name.c_str(), S_IRWXU | S_IRWXG | S_IRWXO) == 0
             ? Status()
             : pathFailure("create", place.path.string(), errno);
}

Status removeAt(const Place& place, bool recursive) {
  struct stat status {};
  if (::fstatat(place.directory.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return pathFailure("remove", place.path.string(), errno);
  }
  if (S_ISDIR(status.st_mode) && recursive) {
    // It opens each directory without following links, from the one that is held here on.
    std::error_code failed;
    std::filesystem::remove_all(place.anchored(), failed);
    return failed ? pathFailure("remove", place.path.string(), failed.value()) : Status();
  }
  const int flags = S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0;
  return ::unlinkat(place.directory.get(), place.name.c_str(), flags) == 0
             ? Status()
             : pathFailure("remove", place.path.string(), errno);
}

}  // namespace

Result<std::string> makeDirectory(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto path = reader.value().requiredString("path");
  const bool recursive = flag(reader.value(), "recursive");
  const auto reach = reachOf(bounds, reader.value());
  if (!reach) {
    return reach.error();
  }
  if (recursive) {
    return done(reach.value().makeDirectories(path));
  }
  const auto place = reach.value().place(path);
  return place ? done(makeOne(place.value())) : Result<std::string>(place.error());
}

Result<std::string> movePath(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto source_path = reader.value().requiredString("sourcePath");
  const auto target_path = reader.value().requiredString("destinationPath");
  const auto reach = reachOf(bounds, reader.value());
  if (!reach) {
    return reach.error();
  }
  const auto source = reach.value().place(source_path);
  if (!source) {
    return source.error();
  }
  const auto target = reach.value().place(target_path);
  if (!target) {
    return target.error();
  }
  if (::renameat2(source.value().directory.get(), source.value().name.c_str(),
                  target.value().directory.get(), target.value().name.c_str(),
                  RENAME_NOREPLACE) == 0) {
    return std::string("{}");
  }
  const auto& named = errno == EEXIST ? target.value() : source.value();
  return pathFailure("move", named.path.string(), errno);
}

Result<std::string> removePath(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto path = reader.value().requiredString("path");
  const bool recursive = flag(reader.value(), "recursive");
  const auto reach = reachOf(bounds, reader.value());
  if (!reach) {
    return reach.error();
  }
  const auto place = reach.value().place(path);
  return place ? done(removeAt(place.value(), recursive)) : Result<std::string>(place.error());
}

}  // namespace svc::hostfiles
