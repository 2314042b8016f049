#pragma once

namespace svc {

/// The threads of the process that own objects. A thread takes its role once, when it starts.
enum class ThreadRole : unsigned char { kNone, kMain, kIo, kStore, kWorker, kScript };

void setThreadRole(ThreadRole role) noexcept;
[[nodiscard]] ThreadRole threadRole() noexcept;

}  // namespace svc
