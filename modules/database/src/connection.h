#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include <sqlite3.h>
#include <v8.h>

#include "pragma_guard.h"
#include "values.h"
#include "wrapped.h"

namespace svc::database {

class Backup;
class Statement;

/// How a connection is opened.
struct OpenOptions {
  std::string path;  ///< absolute; "" and ":memory:" are databases without a file
  bool readonly = false;
  bool must_exist = false;
  bool is_private = false;  ///< a new file gets the mode 0600
  int busy_timeout_ms = 0;
};

/// One connection to a database. Script thread.
class Connection final : public Wrapped {
 public:
  [[nodiscard]] static v8::Local<v8::FunctionTemplate> makeClass(v8::Isolate* isolate);
  /// Null with a pending exception when it fails.
  [[nodiscard]] static Connection* open(Databases& databases, const OpenOptions& options);

  Connection(Databases& databases, v8::Local<v8::Object> object, sqlite3* handle);
  ~Connection() override;

  [[nodiscard]] Connection* asConnection() override { return this; }
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[nodiscard]] bool isOpen() const { return handle_ != nullptr; }
  /// Fills an in-memory connection with the bytes of a database. False with a pending exception.
  [[nodiscard]] bool load(v8::Local<v8::ArrayBufferView> bytes, bool readonly);
  void setVerbose(v8::Local<v8::Function> verbose) { verbose_.Reset(isolate(), verbose); }

  /// Each throws and answers false when the connection is not in the state it names.
  [[nodiscard]] bool requireOpen() const;
  [[nodiscard]] bool requireNotExecuting() const;
  [[nodiscard]] bool requireNoIterators() const;
  [[nodiscard]] bool requireIdle() const {
    return requireOpen() && requireNotExecuting() && requireNoIterators();
  }
  /// Changes while rows are being read are refused unless the author has asked for it.
  [[nodiscard]] bool requireWritable() const { return unsafe_ || requireNoIterators(); }
  [[nodiscard]] bool isExecuting() const { return executing_ > 0; }

  /// While it lives, JavaScript that SQLite calls cannot use the connection.
  class Executing {
   public:
    explicit Executing(Connection& connection) : connection_(connection) {
      ++connection_.executing_;
    }
    Executing(const Executing&) = delete;
    Executing& operator=(const Executing&) = delete;
    ~Executing() { --connection_.executing_; }

   private:
    Connection& connection_;
  };

  /// As sqlite3_prepare_v3; `rest` is what comes after the first statement.
  [[nodiscard]] int compile(const char* sql, unsigned int flags, sqlite3_stmt** statement,
                            const char** rest);
  /// As sqlite3_step.
  [[nodiscard]] int step(sqlite3_stmt* statement);
  /// Throws what made the last call of SQLite fail: what JavaScript under it has thrown, or else an SqliteError.
  void throwFailure();
  /// Keeps what JavaScript under a call of SQLite has thrown, until that call has returned.
  void holdException(const v8::TryCatch& caught);
  void holdException(v8::Local<v8::Value> exception);
  [[nodiscard]] bool holdsException() const { return failed_; }
  /// Shows the statement to the author's `verbose`. False with a pending exception.
  [[nodiscard]] bool trace(sqlite3_stmt* statement);

  [[nodiscard]] Integers integers() const { return integers_; }
  void iterationBegins() { ++iterators_; }
  void iterationEnds() { --iterators_; }
  void add(Statement& statement) { statements_.insert(&statement); }
  void remove(Statement& statement) { statements_.erase(&statement); }
  void add(Backup& backup) { backups_.insert(&backup); }
  void remove(Backup& backup) { backups_.erase(&backup); }
  /// Closes whatever is going on. Not while SQLite runs.
  void shut();

 private:
  v8::Local<v8::Value> openProperty() const;
  v8::Local<v8::Value> inTransactionProperty() const;
  void prepare(const Arguments& arguments);
  void exec(const Arguments& arguments);
  void closeMethod(const Arguments& arguments);
  void requireIdleMethod(const Arguments& arguments);
  void requireWritableMethod(const Arguments& arguments);
  void safeIntegers(const Arguments& arguments);
  void unsafe(const Arguments& arguments);
  void defineFunction(const Arguments& arguments);
  void defineAggregate(const Arguments& arguments);
  void serialize(const Arguments& arguments);
  void backup(const Arguments& arguments);
  [[nodiscard]] bool runNext(const char*& sql);

  sqlite3* handle_;
  PragmaGuard pragmas_;
  int executing_ = 0;
  int iterators_ = 0;
  bool unsafe_ = false;
  bool failed_ = false;
  Integers integers_ = Integers::kNumbers;
  v8::Global<v8::Value> exception_;
  v8::Global<v8::Function> verbose_;
  std::unordered_set<Statement*> statements_;
  std::unordered_set<Backup*> backups_;
};

}  // namespace svc::database
