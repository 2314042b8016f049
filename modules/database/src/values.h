#pragma once

#include <cstdint>

#include <sqlite3.h>
#include <v8.h>

namespace svc::database {

class Databases;

/// Whether integers reach JavaScript as numbers or as BigInts.
enum class Integers : bool { kNumbers, kBigInts };

/// The value of a column of the current row. Empty with a pending exception when it is too large for JavaScript, or SQLite has
/// no memory for it.
[[nodiscard]] v8::MaybeLocal<v8::Value> columnValue(Databases& databases, sqlite3_stmt* statement,
                                                    int column, Integers integers);
/// An argument of a function.
[[nodiscard]] v8::MaybeLocal<v8::Value> argumentValue(Databases& databases, sqlite3_value* value,
                                                      Integers integers);

/// What became of a value of JavaScript on its way to SQLite.
enum class Fit : std::uint8_t { kTaken, kTooBig, kNoMemory, kNotAValue };

/// Whether a value is of a kind that SQLite has.
[[nodiscard]] bool isBindable(v8::Local<v8::Value> value);
/// Binds a value to a parameter.
[[nodiscard]] Fit bindValue(v8::Isolate* isolate, v8::Local<v8::Value> value,
                            sqlite3_stmt* statement, int index);
/// Makes a value the result of a function or a column of a virtual table.
[[nodiscard]] Fit returnValue(v8::Isolate* isolate, v8::Local<v8::Value> value,
                              sqlite3_context* context);

}  // namespace svc::database
