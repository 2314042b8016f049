#pragma once

#include <uv.h>

#include "svc/kernel/result.h"

// In the executable of Node.js libuv is linked in, and nothing of it can be taken over by name. The copy that runs us
// (cmake/node/make_runtime.mjs) jumps to what the slots hold instead of its pool of threads: everything that libuv does on
// other threads comes to the three functions of UvWork. Functions that change OpenSSL for the whole process throw.

namespace svc::jsruntime {

#ifdef SVC_NODE_EXECUTABLE

struct UvWork {
  enum class Kind : int { kCpu, kFastIo, kSlowIo };
  using Work = void (*)(uv__work* work);
  using Done = void (*)(uv__work* work, int status);
  /// As libuv's functions of these names. On the thread of the loop.
  static void submit(uv_loop_t* loop, uv__work* request, Kind kind, Work work, Done done);
  static int queueWork(uv_loop_t* loop, uv_work_t* request, uv_work_cb compute,
                       uv_after_work_cb after);
  static int cancel(uv_req_t* request);
};

/// As uv_accept, for Node's inspector.
int acceptOfInspector(uv_stream_t* server, uv_stream_t* client);

/// Once per process, before anything of Node or libuv runs.
[[nodiscard]] Status fillUvSlots();

#endif

}  // namespace svc::jsruntime
