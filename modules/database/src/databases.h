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

#include "wrapped.h"

namespace svc::database {

class Connection;

/// The database connections of one environment. Lives on the script thread; interrupt() and stopping() are for any thread.
class Databases final : public script::INativeExtension {
 public:
  Databases();
  Databases(const Databases&) = delete;
  Databases& operator=(const Databases&) = delete;
  ~Databases() override;

  // INativeExtension
  void install(v8::Isolate* isolate, v8::Local<v8::Context> context,
               v8::Local<v8::Object> exports) override;
  void interrupt() override;
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

 private:
  static void setErrorClass(const Arguments& arguments);
  static void open(const Arguments& arguments);
  static void closeAll(const Arguments& arguments);
  void deleteDoomed();
  [[nodiscard]] v8::Local<v8::Value> makePair(v8::Global<v8::Function>& factory, const char* body,
                                              v8::Local<v8::Value> first,
                                              v8::Local<v8::Value> second);

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

  std::mutex mutex_;
  std::unordered_set<sqlite3*> open_;
};

}  // namespace svc::database
