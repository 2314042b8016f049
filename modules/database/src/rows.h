#pragma once

#include <cstdint>

#include <sqlite3.h>
#include <v8.h>

#include "values.h"

namespace svc::database {

class Databases;

/// What a row becomes.
enum class Shape : std::uint8_t {
  kObject,  ///< { column: value }
  kPluck,   ///< the value of the first column
  kExpand,  ///< { table: { column: value } }
  kRaw,     ///< [ value ]
};

/// Makes rows of one statement. Objects come from a function that is compiled for their columns: V8 gives them one hidden
/// class, which is several times faster than setting properties one by one.
class RowMaker {
 public:
  /// The current row. Empty with a pending exception, or when V8 is ending.
  [[nodiscard]] v8::MaybeLocal<v8::Value> make(Databases& databases, sqlite3_stmt* statement,
                                               Shape shape, Integers integers);

 private:
  [[nodiscard]] v8::MaybeLocal<v8::Function> factory(Databases& databases, sqlite3_stmt* statement,
                                                     Shape shape);

  v8::Global<v8::Function> factory_;
  Shape shape_ = Shape::kObject;
  int prepared_ =
      -1;  ///< how often SQLite had prepared the statement again when the factory was made
};

}  // namespace svc::database
