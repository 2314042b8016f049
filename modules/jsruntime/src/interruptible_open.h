#pragma once

#include <functional>
#include <string>

namespace svc::jsruntime {

/// Opens a file on a blocking thread. `opened` gets the descriptor or a negative error of libuv, on the calling script
/// thread; it gives up when the environment ends, as libuv's own would not. Returns what uv_fs_open returns.
[[nodiscard]] int openInterruptibly(std::string path, int flags, int mode,
                                    std::function<void(long result)> opened);

}  // namespace svc::jsruntime
