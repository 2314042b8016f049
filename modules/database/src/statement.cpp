#include "statement.h"

#include <memory>
#include <utility>
#include <vector>

#include "class_builder.h"
#include "connection.h"
#include "databases.h"
#include "text.h"

namespace svc::database {

v8::Local<v8::FunctionTemplate> Statement::makeClass(v8::Isolate* isolate) {
  return ClassBuilder<Statement>(
             isolate, "Statement",
             [](const Arguments& arguments) {
               throwTypeError(arguments.GetIsolate(),
                              "Statements can only be constructed by the db.prepare() method");
             })
      .property<&Statement::busyProperty>("busy")
      .property<&Statement::readerProperty>("reader")
      .property<&Statement::readonlyProperty>("readonly")
      .property<&Statement::sourceProperty>("source")
      .property<&Statement::databaseProperty>("database")
      .method<&Statement::run>("run")
      .method<&Statement::get>("get")
      .method<&Statement::all>("all")
      .method<&Statement::iterate>("iterate")
      .method<&Statement::bind>("bind")
      .method<&Statement::pluck>("pluck")
      .method<&Statement::expand>("expand")
      .method<&Statement::raw>("raw")
      .method<&Statement::safeIntegers>("safeIntegers")
      .method<&Statement::columns>("columns")
      .method<&Statement::toString>("toString")
      .result();
}

void Statement::prepare(Connection& connection, const Arguments& arguments) {
  auto* isolate = arguments.GetIsolate();
  const auto source = arguments[1].As<v8::String>();
  const auto sql = utf8Of(isolate, source);
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  int status = connection.compile(sql.c_str(), SQLITE_PREPARE_PERSISTENT, &handle, &rest);
  // Only comments and blanks may follow.
  sqlite3_stmt* second = nullptr;
  while (status == SQLITE_OK && handle != nullptr && second == nullptr && *rest != '\0') {
    status = connection.compile(rest, 0, &second, &rest);
  }
  if (second != nullptr || (status != SQLITE_OK && handle != nullptr)) {
    sqlite3_finalize(second);
    sqlite3_finalize(handle);
    throwRangeError(isolate, "The supplied SQL string contains more than one statement");
    return;
  }
  if (status != SQLITE_OK) {
    connection.throwFailure();
    return;
  }
  if (handle == nullptr) {
    throwRangeError(isolate, "The supplied SQL string contains no statements");
    return;
  }
  v8::Local<v8::Object> object;
  if (!connection.databases()
           .statementClass()
           ->InstanceTemplate()
           ->NewInstance(isolate->GetCurrentContext())
           .ToLocal(&object)) {
    sqlite3_finalize(handle);
    return;
  }
  object->SetInternalField(kOwner, arguments[0]);
  auto statement = std::make_unique<Statement>(connection, object, handle);
  statement->source_.Reset(isolate, source);
  statement->bound_ = arguments[2]->IsTrue();
  connection.databases().keep(std::move(statement));
  arguments.GetReturnValue().Set(object);
}

Statement::Statement(Connection& connection, v8::Local<v8::Object> object, sqlite3_stmt* handle)
    : Wrapped(connection.databases(), object),
      connection_(&connection),
      handle_(handle),
      reader_(sqlite3_column_count(handle) > 0),
      readonly_(sqlite3_stmt_readonly(handle) != 0),
      integers_(connection.integers()) {
  connection.add(*this);
}

Statement::~Statement() {
  finalize();
  if (connection_ != nullptr) {
    connection_->remove(*this);
  }
}

void Statement::finalize() {
  endIteration();
  sqlite3_finalize(std::exchange(handle_, nullptr));
}

// ---- execution ---------------------------------------------------------------------------------------------------

bool Statement::requireUsable(Access access) const {
  if (!connection_->requireOpen() || !requireUnused()) {
    return false;
  }
  return access == Access::kReads || connection_->requireWritable();
}

bool Statement::requireUnused() const {
  if (!connection_->requireNotExecuting()) {
    return false;
  }
  if (iterator_ != nullptr) {
    throwTypeError(isolate(), "This statement is busy executing a query");
    return false;
  }
  return true;
}

bool Statement::requireReader() const {
  if (!reader_) {
    throwTypeError(isolate(), "This statement does not return data. Use run() instead");
  }
  return reader_;
}

const ParameterList& Statement::parameters() {
  if (!parameters_) {
    parameters_.emplace(isolate(), handle_);
  }
  return *parameters_;
}

bool Statement::bindParameters(const Arguments& arguments, Access access) {
  ParameterValues values;
  if (!values.read(arguments, parameters())) {
    return false;
  }
  // Getters of the arguments may have used the connection.
  if (!requireUsable(access)) {
    return false;
  }
  if (!values.bind(databases(), handle_, parameters())) {
    sqlite3_clear_bindings(handle_);
    return false;
  }
  return true;
}

bool Statement::begin(const Arguments& arguments, Access access) {
  if (!requireUsable(access)) {
    return false;
  }
  if (bound_) {
    if (arguments.Length() > 0) {
      throwTypeError(isolate(), "This statement already has bound parameters");
      return false;
    }
  } else if ((arguments.Length() > 0 || !parameters().empty()) &&
             !bindParameters(arguments, access)) {
    return false;
  }
  if (connection_->trace(handle_)) {
    return true;
  }
  static_cast<void>(reset());
  return false;
}

int Statement::step() { return connection_->step(handle_); }

int Statement::reset() {
  const int status = sqlite3_reset(handle_);
  if (!bound_ && parameters_ && !parameters_->empty()) {
    sqlite3_clear_bindings(handle_);
  }
  return status;
}

v8::MaybeLocal<v8::Value> Statement::makeRow() {
  return rows_.make(databases(), handle_, shape_, integers_);
}

v8::Local<v8::Value> Statement::runResult(bool changed) const {
  const auto changes = changed ? sqlite3_changes64(connection_->handle()) : 0;
  const auto row_id = sqlite3_last_insert_rowid(connection_->handle());
  const auto id = integers_ == Integers::kBigInts
                      ? v8::BigInt::New(isolate(), row_id).As<v8::Value>()
                      : v8::Number::New(isolate(), static_cast<double>(row_id)).As<v8::Value>();
  return databases().runResult(v8::Number::New(isolate(), static_cast<double>(changes)), id);
}

void Statement::run(const Arguments& arguments) {
  if (!begin(arguments, Access::kChanges)) {
    return;
  }
  const auto before = sqlite3_total_changes64(connection_->handle());
  const int stepped = step();
  if (stepped != SQLITE_ROW && stepped != SQLITE_DONE) {
    connection_->throwFailure();
    static_cast<void>(reset());
    return;
  }
  if (reset() != SQLITE_OK) {
    connection_->throwFailure();
    return;
  }
  arguments.GetReturnValue().Set(
      runResult(before != sqlite3_total_changes64(connection_->handle())));
}

void Statement::get(const Arguments& arguments) {
  if (!requireReader() || !begin(arguments, Access::kReads)) {
    return;
  }
  const int stepped = step();
  v8::Local<v8::Value> row;
  if (stepped == SQLITE_ROW) {
    if (makeRow().ToLocal(&row)) {
      arguments.GetReturnValue().Set(row);
    }
  } else if (stepped != SQLITE_DONE) {
    connection_->throwFailure();
    static_cast<void>(reset());
    return;
  }
  if (reset() != SQLITE_OK) {
    connection_->throwFailure();
  }
}

void Statement::all(const Arguments& arguments) {
  if (!requireReader() || !begin(arguments, Access::kReads)) {
    return;
  }
  std::vector<v8::Local<v8::Value>> rows;
  int stepped = step();
  while (stepped == SQLITE_ROW) {
    v8::Local<v8::Value> row;
    if (!makeRow().ToLocal(&row)) {
      static_cast<void>(reset());
      return;
    }
    rows.push_back(row);
    stepped = step();
  }
  if (stepped != SQLITE_DONE) {
    connection_->throwFailure();
    static_cast<void>(reset());
    return;
  }
  static_cast<void>(reset());
  arguments.GetReturnValue().Set(v8::Array::New(isolate(), rows.data(), rows.size()));
}

void Statement::iterate(const Arguments& arguments) {
  if (!requireReader() || !begin(arguments, Access::kReads)) {
    return;
  }
  v8::Local<v8::Object> object;
  if (!databases().iteratorClass()->InstanceTemplate()->NewInstance(context()).ToLocal(&object)) {
    static_cast<void>(reset());
    return;
  }
  object->SetInternalField(kOwner, arguments.This());
  auto iterator = std::make_unique<StatementIterator>(*this, object);
  iterator_ = iterator.get();
  databases().keep(std::move(iterator));
  connection_->iterationBegins();
  arguments.GetReturnValue().Set(object);
}

bool Statement::nextRow(v8::Local<v8::Value>& row) {
  const int stepped = step();
  if (stepped == SQLITE_ROW) {
    const bool made = makeRow().ToLocal(&row);
    if (!made) {
      endIteration();
    }
    return made;
  }
  if (stepped != SQLITE_DONE) {
    connection_->throwFailure();
  }
  endIteration();
  return stepped == SQLITE_DONE;
}

void Statement::endIteration() {
  if (auto* iterator = std::exchange(iterator_, nullptr)) {
    iterator->detach();
    connection_->iterationEnds();
    static_cast<void>(reset());
  }
}

// ---- settings ----------------------------------------------------------------------------------------------------

void Statement::bind(const Arguments& arguments) {
  if (!requireUsable(Access::kReads)) {
    return;
  }
  if (bound_) {
    throwTypeError(isolate(), "The bind() method can only be invoked once per statement object");
    return;
  }
  if (bindParameters(arguments, Access::kReads)) {
    bound_ = true;
    arguments.GetReturnValue().Set(arguments.This());
  }
}

namespace {

/// The argument of a switch; nothing (with a pending exception) when it is no boolean.
std::optional<bool> switchArgument(const Arguments& arguments) {
  if (arguments.Length() == 0) {
    return true;
  }
  if (!arguments[0]->IsBoolean()) {
    throwTypeError(arguments.GetIsolate(), "Expected first argument to be a boolean");
    return std::nullopt;
  }
  return arguments[0]->IsTrue();
}

}  // namespace

void Statement::setShape(const Arguments& arguments, Shape shape, const char* method) {
  if (!reader_) {
    throwTypeError(isolate(), "The " + std::string(method) +
                                  "() method is only for statements that return data");
    return;
  }
  if (!requireUnused()) {
    return;
  }
  if (const auto on = switchArgument(arguments)) {
    if (*on) {
      shape_ = shape;
    } else if (shape_ == shape) {
      shape_ = Shape::kObject;
    }
    arguments.GetReturnValue().Set(arguments.This());
  }
}

void Statement::pluck(const Arguments& arguments) { setShape(arguments, Shape::kPluck, "pluck"); }

void Statement::expand(const Arguments& arguments) {
  setShape(arguments, Shape::kExpand, "expand");
}

void Statement::raw(const Arguments& arguments) { setShape(arguments, Shape::kRaw, "raw"); }

void Statement::safeIntegers(const Arguments& arguments) {
  if (!requireUnused()) {
    return;
  }
  if (const auto on = switchArgument(arguments)) {
    integers_ = *on ? Integers::kBigInts : Integers::kNumbers;
    arguments.GetReturnValue().Set(arguments.This());
  }
}

void Statement::columns(const Arguments& arguments) {
  if (!reader_) {
    throwTypeError(isolate(), "The columns() method is only for statements that return data");
    return;
  }
  if (!connection_->requireOpen() || !connection_->requireNotExecuting()) {
    return;
  }
  const auto text = [this](const char* value) -> v8::Local<v8::Value> {
    v8::Local<v8::String> string;
    return value != nullptr && newText(isolate(), value).ToLocal(&string)
               ? string.As<v8::Value>()
               : v8::Null(isolate()).As<v8::Value>();
  };
  const auto columns = v8::Array::New(isolate(), sqlite3_column_count(handle_));
  for (int at = 0; at < sqlite3_column_count(handle_); ++at) {
    const auto column = v8::Object::New(isolate());
    const auto set = [&](const char* key, const char* value) {
      column->Set(context(), literal(isolate(), key), text(value)).Check();
    };
    set("name", sqlite3_column_name(handle_, at));
    set("column", sqlite3_column_origin_name(handle_, at));
    set("table", sqlite3_column_table_name(handle_, at));
    set("database", sqlite3_column_database_name(handle_, at));
    set("type", sqlite3_column_decltype(handle_, at));
    columns->Set(context(), static_cast<std::uint32_t>(at), column).Check();
  }
  arguments.GetReturnValue().Set(columns);
}

/// The source, with the parameters that bind() has fixed.
void Statement::toString(const Arguments& arguments) {
  const std::unique_ptr<char, decltype(&sqlite3_free)> expanded(
      bound_ && handle_ != nullptr ? sqlite3_expanded_sql(handle_) : nullptr, sqlite3_free);
  v8::Local<v8::String> text;
  arguments.GetReturnValue().Set(expanded && newText(isolate(), expanded.get()).ToLocal(&text)
                                     ? text
                                     : source_.Get(isolate()));
}

// ---- properties --------------------------------------------------------------------------------------------------

v8::Local<v8::Value> Statement::busyProperty() const {
  return v8::Boolean::New(isolate(), iterator_ != nullptr);
}

v8::Local<v8::Value> Statement::readerProperty() const {
  return v8::Boolean::New(isolate(), reader_);
}

v8::Local<v8::Value> Statement::readonlyProperty() const {
  return v8::Boolean::New(isolate(), readonly_);
}

v8::Local<v8::Value> Statement::sourceProperty() const { return source_.Get(isolate()); }

v8::Local<v8::Value> Statement::databaseProperty() const {
  return object()->GetInternalField(kOwner).As<v8::Value>();
}

}  // namespace svc::database
