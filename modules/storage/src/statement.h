#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace svc::storage {

class Statement;

/// One run of a prepared statement; the statement is ready for its next run when this goes away. Text arguments
/// are bound without a copy, so they outlive the run. Throws SqliteFailure.
class Run {
 public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  /// Steps to the next row; false at the end.
  bool next();
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string_view view(int column) const;  ///< valid until the next step
  [[nodiscard]] std::int64_t integer(int column) const;

 private:
  friend class Statement;
  explicit Run(sqlite3_stmt* statement) : statement_(statement) {}

  sqlite3_stmt* statement_;
};

/// A statement prepared once and run many times, on one thread at a time. One run at a time. Finalised when
/// destroyed, which is before its connection closes. Throws SqliteFailure.
class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds the arguments in order and begins a run.
  template <class... Arguments>
  [[nodiscard]] Run run(const Arguments&... arguments) {
    int index = 0;
    (bind(++index, arguments), ...);
    return Run(statement_);
  }

  /// Runs to the end, ignoring rows.
  template <class... Arguments>
  void execute(const Arguments&... arguments) {
    auto rows = run(arguments...);
    while (rows.next()) {
    }
  }

 private:
  void bind(int index, std::string_view text);
  void bind(int index, std::int64_t number);

  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace svc::storage
