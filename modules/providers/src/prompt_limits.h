#pragma once

#include <cstddef>

namespace svc::providers {

// What of a message's attachments goes to its agent within the prompt, in bytes of the files. Base64 makes a third more of them, and a
// prompt is one message to its machine (limits::kIpcMessage).

/// An image or a sound.
inline constexpr std::size_t kPromptMedia = 5UL * 1024 * 1024;
inline constexpr std::size_t kPromptText = 256UL * 1024;
/// All of one message.
inline constexpr std::size_t kPromptAttachments = 20UL * 1024 * 1024;

}  // namespace svc::providers
