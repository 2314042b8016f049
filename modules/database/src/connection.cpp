#include "connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include <node_buffer.h>

#include "backup.h"
#include "class_builder.h"
#include "databases.h"
#include "statement.h"
#include "text.h"
#include "vfs.h"

namespace svc::database {

namespace {

/// Virtual machine steps between two looks at whether the environment is ending.
constexpr int kStepsBetweenChecks = 10'000;
constexpr int kCacheKiB = 16'000;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// SQLite would create the file with the process's default mode. A file that is there is not opened: closing it would let
/// go of the locks that another connection of this process holds on it.
void createPrivately(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) {
    ::close(file);
  }
}

/// The settings that authors know from the better-sqlite3 package.
void configure(sqlite3* handle, int busy_timeout_ms) {
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, busy_timeout_ms);
  for (const auto& [option, value] :
       {std::pair(SQLITE_DBCONFIG_ENABLE_FKEY, 1), std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
        std::pair(SQLITE_DBCONFIG_DQS_DDL, 0), std::pair(SQLITE_DBCONFIG_DQS_DML, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)}) {
    sqlite3_db_config(handle, option, value, nullptr);
  }
  const auto cache = "PRAGMA cache_size=-" + std::to_string(kCacheKiB);
  sqlite3_exec(handle, cache.c_str(), nullptr, nullptr, nullptr);
}

}  // namespace

Connection* Connection::open(Databases& databases, const OpenOptions& options) {
  auto* isolate = databases.isolate();
  if (options.is_private) {
    createPrivately(options.path);
  }
  const int access = options.readonly     ? SQLITE_OPEN_READONLY
                     : options.must_exist ? SQLITE_OPEN_READWRITE
                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(options.path.c_str(), &handle, access | SQLITE_OPEN_NOMUTEX, pluginVfs());
  if (status != SQLITE_OK) {
    databases.throwFailure(handle);
    sqlite3_close(handle);
    return nullptr;
  }
  configure(handle, options.busy_timeout_ms);
  sqlite3_progress_handler(
      handle, kStepsBetweenChecks,
      [](void* self) { return static_cast<Databases*>(self)->stopping() ? 1 : 0; }, &databases);
  v8::Local<v8::Object> object;
  if (!databases.connectionClass()
           ->InstanceTemplate()
           ->NewInstance(isolate->GetCurrentContext())
           .ToLocal(&object)) {
    sqlite3_close(handle);
    return nullptr;
  }
  auto connection = std::make_unique<Connection>(databases, object, handle);
  auto* opened = connection.get();
  databases.keep(std::move(connection));
  return opened;
}

Connection::Connection(Databases& databases, v8::Local<v8::Object> object, sqlite3* handle)
    : Wrapped(databases, object), handle_(handle), pragmas_(databases.memoryLimit()) {
  pragmas_.watch(handle);
  databases.track(*handle);
}

Connection::~Connection() {
  shut();
  for (auto* statement : statements_) {
    statement->connectionGone();
  }
}

void Connection::shut() {
  if (handle_ == nullptr) {
    return;
  }
  for (auto* statement : statements_) {
    statement->finalize();
  }
  while (!backups_.empty()) {
    (*backups_.begin())->finish();
  }
  iterators_ = 0;
  databases().untrack(*handle_);
  sqlite3_close_v2(std::exchange(handle_, nullptr));
}

bool Connection::load(v8::Local<v8::ArrayBufferView> bytes, bool readonly) {
  const auto size = bytes->ByteLength();
  if (size == 0) {
    return true;
  }
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(size));
  if (copy == nullptr) {
    databases().throwMemoryError();
    return false;
  }
  bytes->CopyContents(copy, size);
  const unsigned int flags = SQLITE_DESERIALIZE_FREEONCLOSE |
                             (readonly ? static_cast<unsigned int>(SQLITE_DESERIALIZE_READONLY)
                                       : static_cast<unsigned int>(SQLITE_DESERIALIZE_RESIZEABLE));
  const auto length = static_cast<sqlite3_int64>(size);
  if (sqlite3_deserialize(handle_, "main", copy, length, length, flags) != SQLITE_OK) {
    throwFailure();
    return false;
  }
  return true;
}

// ---- state -------------------------------------------------------------------------------------------------------

bool Connection::requireOpen() const {
  databases().sweep();
  if (!isOpen()) {
    throwTypeError(isolate(), "The database connection is not open");
  }
  return isOpen();
}

bool Connection::requireNotExecuting() const {
  if (executing_ > 0) {
    throwTypeError(isolate(), "This database connection is busy executing a query");
  }
  return executing_ == 0;
}

bool Connection::requireNoIterators() const {
  if (iterators_ > 0) {
    throwTypeError(isolate(), "This database connection is busy executing a query");
  }
  return iterators_ == 0;
}

void Connection::holdException(const v8::TryCatch& caught) {
  failed_ = true;
  // The end of the environment is not an exception: it goes on by itself.
  if (!caught.HasTerminated()) {
    exception_.Reset(isolate(), caught.Exception());
  }
}

void Connection::holdException(v8::Local<v8::Value> exception) {
  failed_ = true;
  exception_.Reset(isolate(), exception);
}

void Connection::throwFailure() {
  if (std::exchange(failed_, false)) {
    if (!exception_.IsEmpty()) {
      isolate()->ThrowException(exception_.Get(isolate()));
      exception_.Reset();
    }
    return;
  }
  databases().throwFailure(handle_);
}

int Connection::compile(const char* sql, unsigned int flags, sqlite3_stmt** statement,
                        const char** rest) {
  const Executing executing(*this);
  return pragmas_.prepare(handle_, sql, flags, statement, rest);
}

int Connection::step(sqlite3_stmt* statement) {
  const Executing executing(*this);
  // Threads that SQLite starts to sort would allocate for nobody, and a pragma can ask for them.
  sqlite3_limit(handle_, SQLITE_LIMIT_WORKER_THREADS, 0);
  return sqlite3_step(statement);
}

bool Connection::trace(sqlite3_stmt* statement) {
  if (verbose_.IsEmpty()) {
    return true;
  }
  const Executing executing(*this);
  const std::unique_ptr<char, decltype(&sqlite3_free)> expanded(sqlite3_expanded_sql(statement),
                                                                sqlite3_free);
  const char* sql = expanded ? expanded.get() : sqlite3_sql(statement);
  v8::Local<v8::String> text;
  if (!newText(isolate(), sql).ToLocal(&text)) {
    return true;
  }
  v8::Local<v8::Value> arguments[] = {text};
  return !verbose_.Get(isolate())
              ->Call(context(), v8::Undefined(isolate()), 1, arguments)
              .IsEmpty();
}

// ---- methods -----------------------------------------------------------------------------------------------------

v8::Local<v8::FunctionTemplate> Connection::makeClass(v8::Isolate* isolate) {
  return ClassBuilder<Connection>(isolate, "Connection",
                                  [](const Arguments& arguments) {
                                    throwTypeError(arguments.GetIsolate(), "Illegal constructor");
                                  })
      .property<&Connection::openProperty>("open")
      .property<&Connection::inTransactionProperty>("inTransaction")
      .method<&Connection::prepare>("prepare")
      .method<&Connection::exec>("exec")
      .method<&Connection::closeMethod>("close")
      .method<&Connection::requireIdleMethod>("requireIdle")
      .method<&Connection::requireWritableMethod>("requireWritable")
      .method<&Connection::safeIntegers>("safeIntegers")
      .method<&Connection::unsafe>("unsafe")
      .method<&Connection::defineFunction>("defineFunction")
      .method<&Connection::defineAggregate>("defineAggregate")
      .method<&Connection::serialize>("serialize")
      .method<&Connection::backup>("backup")
      .result();
}

v8::Local<v8::Value> Connection::openProperty() const {
  return v8::Boolean::New(isolate(), isOpen());
}

v8::Local<v8::Value> Connection::inTransactionProperty() const {
  return v8::Boolean::New(isolate(), isOpen() && sqlite3_get_autocommit(handle_) == 0);
}

/// (database, sql, without parameters?): `database` is what the statement shows as its own
void Connection::prepare(const Arguments& arguments) {
  if (!arguments[1]->IsString()) {
    throwTypeError(isolate(), "Expected first argument to be a string");
    return;
  }
  if (requireOpen() && requireNotExecuting()) {
    Statement::prepare(*this, arguments);
  }
}

/// (sql)
void Connection::exec(const Arguments& arguments) {
  if (!arguments[0]->IsString()) {
    throwTypeError(isolate(), "Expected first argument to be a string");
    return;
  }
  if (!requireOpen() || !requireNotExecuting() || !requireWritable()) {
    return;
  }
  const auto text = utf8Of(isolate(), arguments[0].As<v8::String>());
  const char* sql = text.c_str();
  while (*sql != '\0' && runNext(sql)) {
  }
}

/// Runs one statement to its end and moves on to the next. False with a pending exception.
bool Connection::runNext(const char*& sql) {
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  int status = compile(sql, 0, &prepared, &rest);
  const StatementHandle statement(prepared);
  sql = rest;
  if (status == SQLITE_OK && statement) {
    if (!trace(statement.get())) {
      return false;
    }
    do {
      status = step(statement.get());
    } while (status == SQLITE_ROW);
  }
  if (status != SQLITE_OK && status != SQLITE_DONE) {
    throwFailure();
    return false;
  }
  return true;
}

void Connection::closeMethod(const Arguments& /*arguments*/) {
  databases().sweep();
  if (isOpen() && requireNotExecuting() && requireNoIterators()) {
    shut();
  }
}

void Connection::requireIdleMethod(const Arguments& /*arguments*/) {
  static_cast<void>(requireIdle());
}

void Connection::requireWritableMethod(const Arguments& /*arguments*/) {
  static_cast<void>(requireOpen() && requireNotExecuting() && requireWritable());
}

/// (on)
void Connection::safeIntegers(const Arguments& arguments) {
  if (requireOpen() && requireNotExecuting()) {
    integers_ = arguments[0]->IsTrue() ? Integers::kBigInts : Integers::kNumbers;
  }
}

/// (on)
void Connection::unsafe(const Arguments& arguments) {
  if (requireOpen() && requireNotExecuting()) {
    unsafe_ = arguments[0]->IsTrue();
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, unsafe_ ? 0 : 1, nullptr);
  }
}

/// (schema): a Buffer with the bytes of the database
void Connection::serialize(const Arguments& arguments) {
  if (!requireIdle()) {
    return;
  }
  const auto schema = utf8Of(isolate(), arguments[0].As<v8::String>());
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(handle_, schema.c_str(), &size, 0), sqlite3_free);
  if (size < 0) {
    throwError(isolate(), "There is no database \"" + schema + "\"");
    return;
  }
  if (!bytes && size != 0) {  // an empty database has no bytes
    databases().throwMemoryError();
    return;
  }
  v8::Local<v8::Object> buffer;
  if (node::Buffer::Copy(isolate(), reinterpret_cast<const char*>(bytes.get()),
                         static_cast<std::size_t>(size))
          .ToLocal(&buffer)) {
    arguments.GetReturnValue().Set(buffer);
  }
}

/// (schema, path)
void Connection::backup(const Arguments& arguments) {
  if (requireOpen() && requireNotExecuting()) {
    Backup::begin(*this, arguments);
  }
}

}  // namespace svc::database
