#pragma once

#include <vector>

#include <v8.h>

#include "code_cache.h"

namespace svc::jsruntime {

/// What this thread's environment had to compile itself although every environment runs it. Once it has run for a while its
/// code is given to the others. Script thread only; lives as long as the isolate.
class CompiledScripts {
 public:
  explicit CompiledScripts(v8::Isolate* isolate);
  CompiledScripts(const CompiledScripts&) = delete;
  CompiledScripts& operator=(const CompiledScripts&) = delete;
  ~CompiledScripts();

  void add(ScriptKey key, v8::Local<v8::Function> function);
  /// Call from time to time: at the second call without anything new it gives away what there is, with the functions that
  /// were compiled because they were called.
  void shareWhenQuiet();

 private:
  struct Script {
    ScriptKey key;
    v8::Global<v8::Function> function;
  };

  v8::Isolate* isolate_;
  std::vector<Script> scripts_;
  bool quiet_ = false;
};

}  // namespace svc::jsruntime
