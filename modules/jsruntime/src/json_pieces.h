#pragma once

#include <string>
#include <utility>

#include <v8.h>

namespace svc::jsruntime {

/// JSON text made of pieces that are ASCII. Script thread only.
class JsonPieces {
 public:
  /// Adds the text as it is, or quoted as JSON.stringify() does. False when it is not ASCII; the pieces are of no use then.
  [[nodiscard]] bool add(v8::Isolate* isolate, v8::Local<v8::String> piece, bool quoted);
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  std::string piece_;
};

}  // namespace svc::jsruntime
