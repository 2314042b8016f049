#include "values.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <node_buffer.h>

#include "databases.h"
#include "text.h"

namespace svc::database {

namespace {

constexpr const char* kTooLarge = "A value is too large for JavaScript";

v8::MaybeLocal<v8::Value> integer(v8::Isolate* isolate, std::int64_t value, Integers integers) {
  return integers == Integers::kBigInts
             ? v8::BigInt::New(isolate, value).As<v8::Value>()
             : v8::Number::New(isolate, static_cast<double>(value)).As<v8::Value>();
}

v8::MaybeLocal<v8::Value> text(Databases& databases, const unsigned char* bytes, int size) {
  auto* isolate = databases.isolate();
  if (bytes == nullptr) {
    databases.throwMemoryError();
    return {};
  }
  v8::Local<v8::String> string;
  if (!newText(isolate, {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)})
           .ToLocal(&string)) {
    throwRangeError(isolate, kTooLarge);
    return {};
  }
  return string;
}

v8::MaybeLocal<v8::Value> blob(Databases& databases, const void* bytes, int size) {
  if (bytes == nullptr && size > 0) {
    databases.throwMemoryError();
    return {};
  }
  v8::Local<v8::Object> buffer;
  if (!node::Buffer::Copy(databases.isolate(), static_cast<const char*>(bytes),
                          static_cast<std::size_t>(size))
           .ToLocal(&buffer)) {
    return {};
  }
  return buffer;
}

/// A parameter of a statement.
struct Parameter {
  sqlite3_stmt* statement;
  int index;

  [[nodiscard]] int null() const { return sqlite3_bind_null(statement, index); }
  [[nodiscard]] int real(double value) const {
    return sqlite3_bind_double(statement, index, value);
  }
  [[nodiscard]] int integer(std::int64_t value) const {
    return sqlite3_bind_int64(statement, index, value);
  }
  [[nodiscard]] int text(const char* bytes, std::size_t size, void (*free)(void*)) const {
    return sqlite3_bind_text64(statement, index, bytes, size, free, SQLITE_UTF8);
  }
  [[nodiscard]] int blob(const void* bytes, std::size_t size) const {
    return sqlite3_bind_blob64(statement, index, bytes, size, SQLITE_TRANSIENT);
  }
};

/// The result of a function.
struct Returned {
  sqlite3_context* context;

  [[nodiscard]] int null() const { return sqlite3_result_null(context), SQLITE_OK; }
  [[nodiscard]] int real(double value) const {
    return sqlite3_result_double(context, value), SQLITE_OK;
  }
  [[nodiscard]] int integer(std::int64_t value) const {
    return sqlite3_result_int64(context, value), SQLITE_OK;
  }
  [[nodiscard]] int text(const char* bytes, std::size_t size, void (*free)(void*)) const {
    return sqlite3_result_text64(context, bytes, size, free, SQLITE_UTF8), SQLITE_OK;
  }
  [[nodiscard]] int blob(const void* bytes, std::size_t size) const {
    return sqlite3_result_blob64(context, bytes, size, SQLITE_TRANSIENT), SQLITE_OK;
  }
};

constexpr int kShortText = 256;

int writeUtf8(v8::Isolate* isolate, v8::Local<v8::String> text, char* into, int capacity) {
  return text->WriteUtf8(isolate, into, capacity, nullptr,
                         v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8);
}

template <class Target>
int putText(v8::Isolate* isolate, v8::Local<v8::String> text, const Target& target) {
  // Three bytes per UTF-16 unit always suffice.
  if (text->Length() <= kShortText) {
    std::array<char, kShortText * 3> bytes;  // written before it is read
    const int size = writeUtf8(isolate, text, bytes.data(), static_cast<int>(bytes.size()));
    return target.text(bytes.data(), static_cast<std::size_t>(size), SQLITE_TRANSIENT);
  }
  const auto size = static_cast<std::size_t>(text->Utf8Length(isolate));
  auto* bytes = static_cast<char*>(sqlite3_malloc64(size));
  if (bytes == nullptr) {
    return SQLITE_NOMEM;
  }
  const int written = writeUtf8(isolate, text, bytes, static_cast<int>(size));
  return target.text(bytes, static_cast<std::size_t>(written), sqlite3_free);
}

template <class Target>
int putBytes(v8::Local<v8::ArrayBufferView> view, const Target& target) {
  const auto size = view->ByteLength();
  const auto* bytes =
      size == 0 ? nullptr : static_cast<const char*>(view->Buffer()->GetBackingStore()->Data());
  // Without an address an empty blob would be NULL.
  return bytes == nullptr ? target.blob("", 0) : target.blob(bytes + view->ByteOffset(), size);
}

template <class Target>
Fit put(v8::Isolate* isolate, v8::Local<v8::Value> value, const Target& target) {
  int status = SQLITE_OK;
  if (value->IsNumber()) {
    status = target.real(value.As<v8::Number>()->Value());
  } else if (value->IsString()) {
    status = putText(isolate, value.As<v8::String>(), target);
  } else if (value->IsNullOrUndefined()) {
    status = target.null();
  } else if (value->IsBigInt()) {
    bool lossless = false;
    const auto integer = value.As<v8::BigInt>()->Int64Value(&lossless);
    status = lossless ? target.integer(integer) : SQLITE_TOOBIG;
  } else if (value->IsArrayBufferView()) {
    status = putBytes(value.As<v8::ArrayBufferView>(), target);
  } else {
    return Fit::kNotAValue;
  }
  return status == SQLITE_OK ? Fit::kTaken : status == SQLITE_NOMEM ? Fit::kNoMemory : Fit::kTooBig;
}

}  // namespace

v8::MaybeLocal<v8::Value> columnValue(Databases& databases, sqlite3_stmt* statement, int column,
                                      Integers integers) {
  auto* isolate = databases.isolate();
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return integer(isolate, sqlite3_column_int64(statement, column), integers);
    case SQLITE_FLOAT:
      return v8::Number::New(isolate, sqlite3_column_double(statement, column)).As<v8::Value>();
    case SQLITE_TEXT: {
      const auto* bytes = sqlite3_column_text(statement, column);
      return text(databases, bytes, sqlite3_column_bytes(statement, column));
    }
    case SQLITE_BLOB: {
      const auto* bytes = sqlite3_column_blob(statement, column);
      return blob(databases, bytes, sqlite3_column_bytes(statement, column));
    }
    default:
      return v8::Null(isolate).As<v8::Value>();
  }
}

v8::MaybeLocal<v8::Value> argumentValue(Databases& databases, sqlite3_value* value,
                                        Integers integers) {
  auto* isolate = databases.isolate();
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return integer(isolate, sqlite3_value_int64(value), integers);
    case SQLITE_FLOAT:
      return v8::Number::New(isolate, sqlite3_value_double(value)).As<v8::Value>();
    case SQLITE_TEXT: {
      const auto* bytes = sqlite3_value_text(value);
      return text(databases, bytes, sqlite3_value_bytes(value));
    }
    case SQLITE_BLOB: {
      const auto* bytes = sqlite3_value_blob(value);
      return blob(databases, bytes, sqlite3_value_bytes(value));
    }
    default:
      return v8::Null(isolate).As<v8::Value>();
  }
}

bool isBindable(v8::Local<v8::Value> value) {
  return value->IsNumber() || value->IsString() || value->IsNullOrUndefined() ||
         value->IsBigInt() || value->IsArrayBufferView();
}

Fit bindValue(v8::Isolate* isolate, v8::Local<v8::Value> value, sqlite3_stmt* statement,
              int index) {
  return put(isolate, value, Parameter{statement, index});
}

Fit returnValue(v8::Isolate* isolate, v8::Local<v8::Value> value, sqlite3_context* context) {
  return put(isolate, value, Returned{context});
}

}  // namespace svc::database
