#pragma once

#include <cstddef>

namespace svc::projects {

/// Bytes, as those of files that are written.
inline constexpr std::size_t kAttachment = 25'000'000;
inline constexpr std::size_t kAttachmentImage = 10'000'000;
/// Bytes of a file's name without the id before it, and of what may stand behind its last dot.
inline constexpr std::size_t kAttachmentName = 200;
inline constexpr std::size_t kAttachmentEnding = 20;
/// As many as one message has blocks.
inline constexpr std::size_t kAttachmentCopies = 50;
/// Bytes.
inline constexpr std::size_t kMimeType = 100;
/// Characters.
inline constexpr std::size_t kProjectName = 200;
/// Bytes; no system takes more.
inline constexpr std::size_t kProjectPath = 4096;

}  // namespace svc::projects
