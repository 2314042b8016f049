#pragma once

#include <string>

#include <sqlite3.h>
#include <v8.h>

#include "wrapped.h"

namespace svc::database {

class Connection;

/// A copy of a database into a file, a number of pages at a time. Script thread.
class Backup final : public Wrapped {
 public:
  [[nodiscard]] static v8::Local<v8::FunctionTemplate> makeClass(v8::Isolate* isolate);
  /// The method `backup` of a connection: (schema, path).
  static void begin(Connection& source, const Arguments& arguments);

  Backup(Connection& source, v8::Local<v8::Object> object, sqlite3* target, sqlite3_backup* handle);
  ~Backup() override;

  /// Closes the target. Called again it does nothing.
  void finish();

 private:
  void step(const Arguments& arguments);
  void finishMethod(const Arguments& arguments);

  Connection* source_;  // null once finished
  sqlite3* target_;
  sqlite3_backup* handle_;
};

}  // namespace svc::database
