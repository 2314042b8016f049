#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <sqlite3.h>
#include <v8.h>

#include "svc/jsruntime/script_runtime.h"

#include "memory_account.h"
#include "wrapped.h"

namespace svc::database {

class Connection;

/// Whose databases they are, and what they may take.
struct DatabaseBudget {
  std::string plugin_id;
  /// Of all that SQLite allocates for them; 0 is no limit.
  std::size_t bytes = 0;
  /// The setting of the limit, which somebody who reaches it is told; empty when there is none.
  std::string_view setting = {};
  /// Open at a time, targets of backups included; 0 is no limit.
  std::size_t connections = 0;
};

/// The database connections of one environment. Lives on the script thread; interrupt(), report() and stopping() are for any
/// thread.
class Databases final : public script::INativeExtension {
 public:
  explicit Databases(DatabaseBudget budget = {});
  Databases(const Databases&) = delete;
  Databases& operator=(const Databases&) = delete;
  ~Databases() override;

  // INativeExtension
  void install(v8::Isolate* isolate, v8::Local<v8::Context> context,
               v8::Local<v8::Object> exports) override;
  void interrupt() override;
  void report(script::ScriptStats& stats) const override;
  void close() override;

  [[nodiscard]] v8::Isolate* isolate() const { return isolate_; }
  /// True once the environment is being ended: statements end early then.
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  /// Takes over what belongs to a JavaScript object.
  void keep(std::unique_ptr<Wrapped> object);
  /// Called by the collector: the object is deleted when that is allowed.
  void doom(Wrapped& object) { doomed_.push_back(&object); }
  /// Deletes what has been collected. At the beginning of calls that look at the state of a connection.
  void sweep() {
    if (!doomed_.empty()) {
      deleteDoomed();
    }
  }

  /// Whether another connection may be opened; throws when not. Garbage does not count: it is collected first.
  [[nodiscard]] bool requireRoom();
  [[nodiscard]] std::size_t memoryLimit() const { return budget_.bytes; }
  /// Connections that interrupt() reaches.
  void track(sqlite3& handle);
  void untrack(sqlite3& handle);

  [[nodiscard]] v8::Local<v8::FunctionTemplate> connectionClass() const;
  [[nodiscard]] v8::Local<v8::FunctionTemplate> statementClass() const;
  [[nodiscard]] v8::Local<v8::FunctionTemplate> iteratorClass() const;
  [[nodiscard]] v8::Local<v8::FunctionTemplate> backupClass() const;
  /// A function that makes a row object of the values of its columns; `body` is what it returns. Empty when V8 is ending.
  [[nodiscard]] v8::MaybeLocal<v8::Function> rowFactory(int columns, const std::string& body);
  /// What `run()` answers.
  [[nodiscard]] v8::Local<v8::Value> runResult(v8::Local<v8::Value> changes,
                                               v8::Local<v8::Value> row_id);
  /// What `next()` of an iterator answers.
  [[nodiscard]] v8::Local<v8::Value> iteratorResult(v8::Local<v8::Value> value,
                                                    v8::Local<v8::Value> done);
  /// An instance of SqliteError.
  [[nodiscard]] v8::MaybeLocal<v8::Value> sqliteError(std::string_view message,
                                                      std::string_view code) const;
  /// Throws what SQLite says of the last call on a connection. Null is one that could not be made.
  void throwFailure(sqlite3* handle);
  /// The SqliteError for memory that was not given, which names the limit that was reached.
  [[nodiscard]] v8::MaybeLocal<v8::Value> memoryError();
  void throwMemoryError();

 private:
  static void setErrorClass(const Arguments& arguments);
  static void open(const Arguments& arguments);
  static void closeAll(const Arguments& arguments);
  void deleteDoomed();
  /// Closes all connections under which SQLite does not run.
  void closeIdle();
  /// What nobody has any more is closed now.
  void collect();
  [[nodiscard]] std::size_t openConnections() const;
  [[nodiscard]] v8::Local<v8::Value> makePair(v8::Global<v8::Function>& factory, const char* body,
                                              v8::Local<v8::Value> first,
                                              v8::Local<v8::Value> second);

  const DatabaseBudget budget_;
  const MemoryAccount::Handle memory_;
  std::size_t collect_above_;
  v8::Isolate* isolate_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::unordered_set<Wrapped*> objects_;
  std::vector<Wrapped*> doomed_;
  v8::Global<v8::FunctionTemplate> connection_class_;
  v8::Global<v8::FunctionTemplate> statement_class_;
  v8::Global<v8::FunctionTemplate> iterator_class_;
  v8::Global<v8::FunctionTemplate> backup_class_;
  v8::Global<v8::Function> error_class_;
  v8::Global<v8::Function> run_result_;
  v8::Global<v8::Function> iterator_result_;
  std::unordered_map<std::string, v8::Global<v8::Function>> row_factories_;

  mutable std::mutex mutex_;
  std::unordered_set<sqlite3*> open_;
};

}  // namespace svc::database
