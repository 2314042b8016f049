#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <node.h>

namespace svc::jsruntime {

/// Memory of one environment's ArrayBuffers, and so of its Buffers: V8 does not count it as heap. Beyond `limit` V8 is made
/// to collect garbage first; when that does not help, `on_limit` is called on the script thread, which ends the environment.
/// What it then still asks for is granted up to a small excess. Freed memory may come back on any thread.
[[nodiscard]] std::shared_ptr<v8::ArrayBuffer::Allocator> makeBufferAllocator(
    std::shared_ptr<node::ArrayBufferAllocator> memory, std::size_t limit,
    std::function<void()> on_limit);

}  // namespace svc::jsruntime
