#include "compiled_scripts.h"

#include <dlfcn.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <node.h>

#include "js_text.h"

// Debian builds Node without a snapshot and without its code cache, so each environment compiles some 70 scripts of Node, which
// is most of what its start costs. Node calls the two functions below by their names in the dynamic symbol table, where
// this library comes before libnode: what is defined here takes their place for it, and for the service's own scripts.
// Newer ones have a snapshot.
#if NODE_MAJOR_VERSION < 20

namespace {

using v8::Local;
using v8::ScriptCompiler;
using Source = ScriptCompiler::Source;
using CachedData = ScriptCompiler::CachedData;

// The members of Source are private and it has no accessors; an explicit instantiation may name them.
template <auto member>
struct TextOf {
  friend Local<v8::String>& textOf(Source& source) { return source.*member; }
};
template <auto member>
struct NameOf {
  friend Local<v8::Value>& nameOf(Source& source) { return source.*member; }
};
template <auto member>
struct CodeOf {
  friend std::unique_ptr<CachedData>& codeOf(Source& source) { return source.*member; }
};
Local<v8::String>& textOf(Source& source);
Local<v8::Value>& nameOf(Source& source);
std::unique_ptr<CachedData>& codeOf(Source& source);
template struct TextOf<&Source::source_string>;
template struct NameOf<&Source::resource_name>;
template struct CodeOf<&Source::cached_data>;

template <class Function>
Function* original(const char* symbol) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, symbol));
}

thread_local svc::jsruntime::CompiledScripts* scripts_here = nullptr;

bool isNodes(std::string_view name) { return name.starts_with("node:"); }

using Digest = std::array<std::uint8_t, 32>;

/// Most texts are part of a library: they stay where they are, and it takes 10 ms to read them all.
Digest digestInPlace(std::string_view text) {
  dl_find_object library;
  if (::_dl_find_object(const_cast<char*>(text.data()), &library) != 0) {
    return svc::jsruntime::sha256(text);
  }
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::map<std::pair<const char*, std::size_t>, Digest>;
  const std::pair place{text.data(), text.size()};
  {
    const std::lock_guard lock(*mutex);
    if (const auto found = known->find(place); found != known->end()) {
      return found->second;
    }
  }
  const auto digest = svc::jsruntime::sha256(text);
  const std::lock_guard lock(*mutex);
  return known->try_emplace(place, digest).first->second;
}

Digest digestOf(v8::Isolate* isolate, Local<v8::String> text) {
  v8::String::Encoding encoding{};
  const auto* const resource = text->GetExternalStringResourceBase(&encoding);
  if (resource != nullptr && encoding == v8::String::ONE_BYTE_ENCODING) {
    const auto* const one = static_cast<const v8::String::ExternalOneByteStringResource*>(resource);
    return digestInPlace({one->data(), one->length()});
  }
  if (resource != nullptr) {
    const auto* const two = static_cast<const v8::String::ExternalStringResource*>(resource);
    return digestInPlace({reinterpret_cast<const char*>(two->data()), 2 * two->length()});
  }
  return svc::jsruntime::sha256(svc::jsruntime::textOf(isolate, text));
}

CachedData* codeOfFunction(Local<v8::Function> function) {
  static auto* const create = original<decltype(ScriptCompiler::CreateCodeCacheForFunction)>(
      "_ZN2v814ScriptCompiler26CreateCodeCacheForFunctionENS_5LocalINS_8FunctionEEE");
  return create(function);
}

/// Nothing for scripts of plugins.
std::optional<svc::jsruntime::ScriptKey> keyOf(v8::Isolate* isolate, Source& source) {
  if (nameOf(source).IsEmpty() || !nameOf(source)->IsString()) {
    return std::nullopt;
  }
  auto name = svc::jsruntime::textOf(isolate, nameOf(source));
  if (!isNodes(name) && !name.starts_with("svc:")) {
    return std::nullopt;
  }
  return svc::jsruntime::ScriptKey{std::move(name), digestOf(isolate, textOf(source))};
}

}  // namespace

namespace v8 {

[[gnu::visibility("default")]] MaybeLocal<Function> ScriptCompiler::CompileFunction(
    Local<Context> context, Source* source, std::size_t arguments_count, Local<String> arguments[],
    std::size_t context_extension_count, Local<Object> context_extensions[], CompileOptions options,
    NoCacheReason no_cache_reason) {
  static auto* const compile = original<decltype(ScriptCompiler::CompileFunction)>(
      "_ZN2v814ScriptCompiler15CompileFunctionENS_5LocalINS_7ContextEEEPNS0_6SourceEmPNS1_INS_"
      "6StringEEEmPNS1_INS_6ObjectEEENS0_14CompileOptionsENS0_13NoCacheReasonE");
  auto& cache = svc::jsruntime::CodeCache::instance();
  auto key = keyOf(context->GetIsolate(), *source);
  const auto code = key ? cache.find(*key) : nullptr;
  if (code) {
    codeOf(*source) = std::make_unique<CachedData>(
        reinterpret_cast<const std::uint8_t*>(code->data()), static_cast<int>(code->size()));
    options = kConsumeCodeCache;
  }
  auto function = compile(context, source, arguments_count, arguments, context_extension_count,
                          context_extensions, options, no_cache_reason);
  const bool taken = code && !codeOf(*source)->rejected;
  if (taken) {
    cache.noteTaken();
  } else if (code) {
    cache.drop(*key);
  }
  if (Local<Function> made; key && !taken && scripts_here != nullptr && function.ToLocal(&made)) {
    scripts_here->add(std::move(*key), made);
  }
  return function;
}

[[gnu::visibility("default")]] ScriptCompiler::CachedData*
ScriptCompiler::CreateCodeCacheForFunction(Local<Function> function) {
  const auto name = function->GetScriptOrigin().ResourceName();
  if (!isNodes(svc::jsruntime::textOf(Isolate::GetCurrent(), name))) {
    return codeOfFunction(function);
  }
  // Node asks for the code of each of its scripts, for the worker threads of this environment. They have ours.
  constexpr int kNothing = 8;
  return new CachedData(new std::uint8_t[kNothing]{}, kNothing, CachedData::BufferOwned);
}

}  // namespace v8

namespace svc::jsruntime {

CompiledScripts::CompiledScripts(v8::Isolate* isolate) : isolate_(isolate) { scripts_here = this; }

CompiledScripts::~CompiledScripts() { scripts_here = nullptr; }

}  // namespace svc::jsruntime

#else

namespace svc::jsruntime {

namespace {

v8::ScriptCompiler::CachedData* codeOfFunction(v8::Local<v8::Function> function) {
  return v8::ScriptCompiler::CreateCodeCacheForFunction(function);
}

}  // namespace

CompiledScripts::CompiledScripts(v8::Isolate* isolate) : isolate_(isolate) {}

CompiledScripts::~CompiledScripts() = default;

}  // namespace svc::jsruntime

#endif

namespace svc::jsruntime {

namespace {

/// Node has some 300, the service 20.
constexpr std::size_t kMostScripts = 600;

}  // namespace

void CompiledScripts::add(ScriptKey key, v8::Local<v8::Function> function) {
  if (scripts_.size() < kMostScripts) {
    scripts_.push_back({std::move(key), v8::Global<v8::Function>(isolate_, function)});
    quiet_ = false;
  }
}

void CompiledScripts::shareWhenQuiet() {
  if (scripts_.empty() || !std::exchange(quiet_, true)) {
    return;
  }
  auto& cache = CodeCache::instance();
  const v8::HandleScope handles(isolate_);
  for (auto& script : std::exchange(scripts_, {})) {
    if (cache.find(script.key)) {
      continue;  // another environment was quicker
    }
    const std::unique_ptr<v8::ScriptCompiler::CachedData> code(
        codeOfFunction(script.function.Get(isolate_)));
    if (code) {
      cache.put(script.key, {reinterpret_cast<const char*>(code->data),
                             static_cast<std::size_t>(code->length)});
    }
  }
  cache.save();
}

}  // namespace svc::jsruntime
