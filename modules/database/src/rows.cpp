#include "rows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "svc/common/json.h"

#include "databases.h"

namespace svc::database {

namespace {

constexpr std::size_t kUsualColumns = 32;
using Values = boost::container::small_vector<v8::Local<v8::Value>, kUsualColumns>;

/// A key of an object literal. `__proto__` is a property like every other only when it is computed.
std::string key(const std::string& name) {
  const auto text = common::jsonString(name);
  return name == "__proto__" ? '[' + text + "]:" : text + ':';
}

std::string nameOf(sqlite3_stmt* statement, int column) {
  const char* name = sqlite3_column_name(statement, column);
  return name == nullptr ? "" : name;  // there was no memory for it
}

std::string objectText(sqlite3_stmt* statement, int columns) {
  std::string text = "{";
  for (int column = 0; column < columns; ++column) {
    text += key(nameOf(statement, column)) + 'c' + std::to_string(column) + ',';
  }
  return text + '}';
}

std::string expandedText(sqlite3_stmt* statement, int columns) {
  std::vector<std::pair<std::string, std::string>> tables;
  for (int column = 0; column < columns; ++column) {
    const char* name = sqlite3_column_table_name(statement, column);
    const std::string table = name == nullptr ? "$" : name;
    auto found = std::find_if(tables.begin(), tables.end(),
                              [&](const auto& entry) { return entry.first == table; });
    if (found == tables.end()) {
      found = tables.insert(tables.end(), {table, ""});
    }
    found->second += key(nameOf(statement, column)) + 'c' + std::to_string(column) + ',';
  }
  std::string text = "{";
  for (const auto& [table, members] : tables) {
    text += key(table) + '{' + members + "},";
  }
  return text + '}';
}

}  // namespace

v8::MaybeLocal<v8::Function> RowMaker::factory(Databases& databases, sqlite3_stmt* statement,
                                               Shape shape) {
  const int prepared = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  if (!factory_.IsEmpty() && shape_ == shape && prepared_ == prepared) {
    return factory_.Get(databases.isolate());
  }
  const int columns = sqlite3_column_count(statement);
  v8::Local<v8::Function> made;
  if (!databases
           .rowFactory(columns, shape == Shape::kExpand ? expandedText(statement, columns)
                                                        : objectText(statement, columns))
           .ToLocal(&made)) {
    return {};
  }
  factory_.Reset(databases.isolate(), made);
  shape_ = shape;
  prepared_ = prepared;
  return made;
}

v8::MaybeLocal<v8::Value> RowMaker::make(Databases& databases, sqlite3_stmt* statement, Shape shape,
                                         Integers integers) {
  auto* isolate = databases.isolate();
  if (shape == Shape::kPluck) {
    return columnValue(databases, statement, 0, integers);
  }
  v8::EscapableHandleScope scope(isolate);
  const int columns = sqlite3_column_count(statement);
  Values values;
  for (int column = 0; column < columns; ++column) {
    v8::Local<v8::Value> value;
    if (!columnValue(databases, statement, column, integers).ToLocal(&value)) {
      return {};
    }
    values.push_back(value);
  }
  if (shape == Shape::kRaw) {
    return scope.Escape(v8::Array::New(isolate, values.data(), values.size()).As<v8::Value>());
  }
  v8::Local<v8::Function> make;
  v8::Local<v8::Value> row;
  if (!factory(databases, statement, shape).ToLocal(&make) ||
      !make->Call(isolate->GetCurrentContext(), v8::Undefined(isolate), columns, values.data())
           .ToLocal(&row)) {
    return {};
  }
  return scope.Escape(row);
}

}  // namespace svc::database
