#pragma once

#include <string>
#include <string_view>

#include <v8.h>

namespace svc::database {

/// Empty when the text is longer than a string of V8 can be.
[[nodiscard]] v8::MaybeLocal<v8::String> newText(v8::Isolate* isolate, std::string_view utf8);
/// For names and other short literals.
[[nodiscard]] v8::Local<v8::String> literal(v8::Isolate* isolate, std::string_view text);
/// As UTF-8; lone surrogates become U+FFFD.
[[nodiscard]] std::string utf8Of(v8::Isolate* isolate, v8::Local<v8::String> text);

void throwTypeError(v8::Isolate* isolate, std::string_view message);
void throwRangeError(v8::Isolate* isolate, std::string_view message);
void throwError(v8::Isolate* isolate, std::string_view message);

}  // namespace svc::database
