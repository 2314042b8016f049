#pragma once

#include <optional>

#include <sqlite3.h>
#include <v8.h>

#include "parameters.h"
#include "rows.h"
#include "values.h"
#include "wrapped.h"

namespace svc::database {

class Connection;
class StatementIterator;

/// One prepared statement. Script thread.
class Statement final : public Wrapped {
 public:
  [[nodiscard]] static v8::Local<v8::FunctionTemplate> makeClass(v8::Isolate* isolate);
  /// The method `prepare` of a connection: (database, sql, without parameters?).
  static void prepare(Connection& connection, const Arguments& arguments);

  Statement(Connection& connection, v8::Local<v8::Object> object, sqlite3_stmt* handle);
  ~Statement() override;

  /// The connection closes: nothing can be executed any more.
  void finalize();
  /// The connection is being deleted.
  void connectionGone() { connection_ = nullptr; }

  // For the iterator:
  [[nodiscard]] Connection& connection() const { return *connection_; }
  /// One step, which leaves `row` empty at the end. False when it failed, with a pending exception.
  [[nodiscard]] bool nextRow(v8::Local<v8::Value>& row);
  /// Ends the execution: the statement can be used again.
  void endIteration();

 private:
  enum class Access : bool { kReads, kChanges };

  [[nodiscard]] v8::Local<v8::Value> busyProperty() const;
  [[nodiscard]] v8::Local<v8::Value> readerProperty() const;
  [[nodiscard]] v8::Local<v8::Value> readonlyProperty() const;
  [[nodiscard]] v8::Local<v8::Value> sourceProperty() const;
  [[nodiscard]] v8::Local<v8::Value> databaseProperty() const;
  void run(const Arguments& arguments);
  void get(const Arguments& arguments);
  void all(const Arguments& arguments);
  void iterate(const Arguments& arguments);
  void bind(const Arguments& arguments);
  void pluck(const Arguments& arguments);
  void expand(const Arguments& arguments);
  void raw(const Arguments& arguments);
  void safeIntegers(const Arguments& arguments);
  void columns(const Arguments& arguments);
  void toString(const Arguments& arguments);

  [[nodiscard]] bool requireUsable(Access access) const;
  /// Neither the connection runs something nor are rows of this statement being read.
  [[nodiscard]] bool requireUnused() const;
  [[nodiscard]] bool requireReader() const;
  /// Everything before the first step. False with a pending exception.
  [[nodiscard]] bool begin(const Arguments& arguments, Access access);
  [[nodiscard]] bool bindParameters(const Arguments& arguments, Access access);
  [[nodiscard]] int step();
  [[nodiscard]] int reset();
  void setShape(const Arguments& arguments, Shape shape, const char* method);
  [[nodiscard]] v8::MaybeLocal<v8::Value> makeRow();
  [[nodiscard]] v8::Local<v8::Value> runResult(bool changed) const;
  [[nodiscard]] const ParameterList& parameters();

  Connection* connection_;
  sqlite3_stmt* handle_;
  const bool reader_;
  const bool readonly_;
  bool bound_ = false;
  Shape shape_ = Shape::kObject;
  Integers integers_;
  v8::Global<v8::String> source_;
  std::optional<ParameterList> parameters_;
  RowMaker rows_;
  StatementIterator* iterator_ = nullptr;
};

/// What `iterate()` answers. Script thread.
class StatementIterator final : public Wrapped {
 public:
  [[nodiscard]] static v8::Local<v8::FunctionTemplate> makeClass(v8::Isolate* isolate);
  StatementIterator(Statement& statement, v8::Local<v8::Object> object);
  ~StatementIterator() override;

  /// The statement has ended the execution.
  void detach() { statement_ = nullptr; }

 private:
  void next(const Arguments& arguments);
  void finish(const Arguments& arguments);
  void itself(const Arguments& arguments);
  [[nodiscard]] v8::Local<v8::Value> statementProperty() const;
  void answer(const Arguments& arguments, v8::Local<v8::Value> value, bool done) const;

  Statement* statement_;  // null once it has ended
};

}  // namespace svc::database
