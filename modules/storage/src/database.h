#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "statement.h"
#include "transactions.h"

namespace Poco::Data {
class Session;
}

namespace svc::storage {

/// The connection to one database file (a Poco session and its SQLite handle). Used by one thread at a time,
/// except interrupt().
class Database final : public ITransactions {
 public:
  /// Opens or creates the file with mode 0600. Fails when it is not a readable database, without changing it.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file);
  /// A second connection, for reads beside the writer of `file`. It refuses every change.
  [[nodiscard]] static Result<std::unique_ptr<Database>> openReader(
      const std::filesystem::path& file);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  /// Closes; every statement of others is gone by then. The writer closes last and folds the write-ahead log into the
  /// file.
  ~Database() override;

  /// Write-ahead log with a sync at every commit.
  [[nodiscard]] Status makeDurable();
  /// Runs SQL text of one or more statements without arguments.
  [[nodiscard]] Status execute(const char* sql);
  /// Writes a consistent copy, mode 0600, in place of what `copy` names; durable when it returns.
  [[nodiscard]] Status backup(const std::filesystem::path& copy);

  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  [[nodiscard]] Status begin() override;
  [[nodiscard]] Status commit() override;
  void rollback() override;
  [[nodiscard]] bool active() const override;
  void openSnapshot() override;
  void closeSnapshot() override;
  [[nodiscard]] Status openSavepoint() override;
  [[nodiscard]] Status keepSavepoint() override;
  [[nodiscard]] Status undoSavepoint() override;
  [[nodiscard]] Status tryWrite() override;
  [[nodiscard]] std::size_t logPages() const override { return log_pages_; }
  void foldLog() override;
  void interrupt() override;

 private:
  enum class Use : unsigned char { kWrite, kRead };
  struct TransactionStatements;

  [[nodiscard]] static Result<std::unique_ptr<Database>> connect(const std::filesystem::path& file,
                                                                 Use use);
  Database(std::filesystem::path file, Use use);
  static int onCommit(void* self, sqlite3* connection, const char* schema, int pages);

  std::filesystem::path file_;
  Use use_;
  std::size_t log_pages_ = 0;
  std::unique_ptr<Poco::Data::Session> session_;
  sqlite3* handle_;
  std::unique_ptr<TransactionStatements> statements_;
};

}  // namespace svc::storage
