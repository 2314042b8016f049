#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "svc/base/fd.h"
#include "svc/common/body_reader.h"
#include "svc/common/limits/files.h"
#include "svc/kernel/result.h"

#include "places.h"

namespace svc::hostfiles {

/// The bits of a mode that a file can be given.
inline constexpr mode_t kPermissions = 07777;

/// In hexadecimal.
[[nodiscard]] std::string sha256(std::string_view bytes);
/// Milliseconds since the epoch.
[[nodiscard]] std::int64_t modifiedMs(const struct stat& status);
/// Of a file system that a kernel makes up: /proc, /sys and their like.
[[nodiscard]] bool isMadeUp(int handle);

/// What is known of a regular file of a disk; `invalid_input` for everything else.
[[nodiscard]] Result<struct stat> regularFile(const Object& object);
/// The same file, whatever its path leads to by now.
[[nodiscard]] Result<base::Fd> openForReading(const Object& object);
/// All of it, up to limits::kFileWrite; `too_large` beyond.
[[nodiscard]] Result<std::string> contentOf(const Object& object, const struct stat& status);

/// A command about one path.
struct Asked {
  Reach reach;
  std::string path;
};
/// { path, rootPath? } of it, and the issues that it has.
[[nodiscard]] Result<Asked> askedOf(const Bounds& bounds, common::BodyReader& reader);

}  // namespace svc::hostfiles
