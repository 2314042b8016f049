#pragma once

#include <string>
#include <string_view>

#include <v8.h>

namespace svc::jsruntime {

// Text and bytes between C++ and V8. Script thread only. An empty handle means that V8 refused (longer than 512 MiB).

[[nodiscard]] bool isAscii(std::string_view text);
[[nodiscard]] v8::MaybeLocal<v8::String> newString(v8::Isolate* isolate, std::string_view text);
/// Text in static storage: V8 reads it in place when it is ASCII.
[[nodiscard]] v8::MaybeLocal<v8::String> staticString(v8::Isolate* isolate, std::string_view text);
/// Long ASCII text is handed over without a copy.
[[nodiscard]] v8::MaybeLocal<v8::String> adoptString(v8::Isolate* isolate, std::string&& text);
/// For names and other short literals.
[[nodiscard]] v8::Local<v8::String> literal(v8::Isolate* isolate, std::string_view text);
/// Lone surrogates become U+FFFD.
[[nodiscard]] std::string textOf(v8::Isolate* isolate, v8::Local<v8::String> text);
/// "" for anything that is not a string.
[[nodiscard]] std::string textOf(v8::Isolate* isolate, v8::Local<v8::Value> value);

/// A Uint8Array with a copy of the bytes.
[[nodiscard]] v8::Local<v8::Uint8Array> newBytes(v8::Isolate* isolate, std::string_view bytes);
/// A copy of what a typed array or DataView shows; "" for anything else.
[[nodiscard]] std::string bytesOf(v8::Local<v8::Value> value);

}  // namespace svc::jsruntime
