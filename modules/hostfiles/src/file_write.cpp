#include "file_write.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/base/system_error.h"
#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"

#include "regular_file.h"

namespace svc::hostfiles {
namespace {

using common::BodyReader;
using common::Json;

constexpr mode_t kNewFile = 0644;
constexpr std::size_t kRandomName = 8;

struct Write {
  std::string bytes;
  bool create_parents = false;
  bool expects = false;
  /// Empty = nothing is there.
  std::string expected;
  std::optional<mode_t> mode;
};

Write writeOf(BodyReader& reader) {
  Write write;
  const auto& body = reader.body();
  const auto encoding = reader.optionalString("contentEncoding").value_or("utf8");
  write.bytes = reader.requiredString("content");
  if (encoding == "base64") {
    auto decoded = hostprotocol::decodeBase64(write.bytes);
    if (!decoded) {
      reader.issue("Expected Base64 with its padding", {Json("content")});
    }
    write.bytes = std::move(decoded).value_or(std::string{});
  } else if (encoding != "utf8") {
    reader.issue("Expected \"utf8\" or \"base64\"", {Json("contentEncoding")});
  }
  if (const auto* parents = body.find("createParents")) {
    if (!parents->isBool()) {
      reader.issue("Expected true or false", {Json("createParents")});
    }
    write.create_parents = parents->asBool();
  }
  if (const auto* expected = body.find("expectedSha256")) {
    if (!expected->isNull() && !expected->isString()) {
      reader.issue("Expected a SHA-256 in hexadecimal, or null", {Json("expectedSha256")});
    }
    write.expects = true;
    write.expected = expected->asString();
  }
  if (const auto* mode = body.find("mode")) {
    if (!mode->isInteger() || mode->asInteger() < 0 || mode->asInteger() > 0777) {
      reader.issue("Expected a number from 0 to 511 (octal 777)", {Json("mode")});
    }
    write.mode = static_cast<mode_t>(mode->asInteger());
  }
  return write;
}

Json conflict(const std::string& current) {
  return Json::object()
      .set("outcome", "conflict")
      .set("currentSha256", current.empty() ? Json() : Json(current));
}

/// What a write would replace.
struct Present {
  std::optional<mode_t> mode;  ///< nothing is there without one
  std::string sha256{};        ///< only when it is asked for
};

Result<Present> presentAt(const Place& place, bool hashed) {
  Object object{.handle = base::Fd(::openat(place.directory.get(), place.name.c_str(),
                                            O_PATH | O_NOFOLLOW | O_CLOEXEC)),
                .path = place.path};
  if (!object.handle) {
    return errno == ENOENT ? Result<Present>(Present{})
                           : pathFailure("write", place.path.string(), errno);
  }
  const auto status = regularFile(object);
  if (!status) {
    return status.error();
  }
  Present present{.mode = status.value().st_mode & kPermissions};
  if (hashed) {
    const auto bytes = contentOf(object, status.value());
    if (!bytes) {
      return bytes.error();
    }
    present.sha256 = sha256(bytes.value());
  }
  return present;
}

/// Where a path leads by its links; that of a new file when nothing is there.
Result<Place> targetOf(const Reach& reach, const std::string& path, bool create_parents) {
  const auto there = reach.object(path);
  if (there) {
    if (auto regular = regularFile(there.value()); !regular) {
      return std::move(regular).error();
    }
    return reach.place(there.value().path.string());
  }
  if (there.error().code != errc::kNotFound) {
    return there.error();
  }
  auto place = create_parents ? reach.placeWithParents(path) : reach.place(path);
  struct stat link {};
  if (place && ::fstatat(place.value().directory.get(), place.value().name.c_str(), &link,
                         AT_SYMLINK_NOFOLLOW) == 0) {
    return Error{errc::kInvalidInput,
                 fmt::format("{} is a link that leads nowhere", place.value().path.string())};
  }
  return place;
}

/// The text of an error of the anchored path, which says nothing to anybody.
Error named(Error error, const Place& place) {
  const auto anchored = place.anchored().parent_path().string();
  for (auto at = error.message.find(anchored); at != std::string::npos;
       at = error.message.find(anchored)) {
    error.message.replace(at, anchored.size(), place.path.parent_path().string());
  }
  if (error.message.find(base::systemText(ENOSPC)) != std::string::npos) {
    error.message += "; the disk is full";
  }
  return error;
}

Result<std::string> replace(const Place& place, const Write& write) {
  auto present = presentAt(place, write.expects && !write.expected.empty());
  if (!present) {
    return std::move(present).error();
  }
  const auto& now = present.value();
  if (write.expects && write.expected.empty() && now.mode) {
    present = presentAt(place, true);
    return present ? Result<std::string>(conflict(present.value().sha256).dump()) : present.error();
  }
  if (write.expects && now.sha256 != write.expected) {
    return conflict(now.sha256).dump();
  }
  auto staged_path = place.anchored();
  staged_path.replace_filename(fmt::format(".svc-{}.tmp", base::randomHex(kRandomName)));
  auto staged = base::StagedFile::write(place.anchored(), write.bytes,
                                        {.mode = write.mode.value_or(now.mode.value_or(kNewFile)),
                                         .staged = staged_path,
                                         .keeps_owner = true});
  if (!staged) {
    const auto& error = staged.error();
    for (const int code : {EACCES, EROFS, EPERM}) {
      if (error.message.ends_with(base::systemText(code))) {
        return pathFailure("write", place.path.string(), code);
      }
    }
    return named(error, place);
  }
  if (write.expects && !now.mode) {
    // What has come meanwhile stays.
    if (::renameat2(AT_FDCWD, staged_path.c_str(), place.directory.get(), place.name.c_str(),
                    RENAME_NOREPLACE) != 0) {
      if (errno != EEXIST) {
        return pathFailure("write", place.path.string(), errno);
      }
      present = presentAt(place, true);
      return present ? Result<std::string>(conflict(present.value().sha256).dump())
                     : present.error();
    }
    if (auto synced = base::syncDirectory(place.anchored().parent_path()); !synced) {
      return named(synced.error(), place);
    }
  } else if (auto done = staged.value().commit(); !done) {
    return named(done.error(), place);
  }
  return Json::object()
      .set("outcome", "written")
      .set("path", place.path.string())
      .set("sha256", sha256(write.bytes))
      .set("sizeBytes", static_cast<std::int64_t>(write.bytes.size()))
      .dump();
}

}  // namespace

Result<std::string> writeFile(const Bounds& bounds, const std::string& command) {
  auto reader = BodyReader::parse(command);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto write = writeOf(reader.value());
  auto asked = askedOf(bounds, reader.value());
  if (!asked) {
    return std::move(asked).error();
  }
  if (write.bytes.size() > limits::kFileWrite) {
    return Error{errc::kTooLarge, fmt::format("the content has {} bytes (limit fileWrite: {})",
                                              write.bytes.size(), limits::kFileWrite)};
  }
  auto place = targetOf(asked.value().reach, asked.value().path, write.create_parents);
  if (!place) {
    return std::move(place).error();
  }
  // Between what is looked at and what replaces it no other writer of this daemon comes.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  return replace(place.value(), write);
}

}  // namespace svc::hostfiles
