#pragma once

#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <sqlite3.h>
#include <v8.h>

#include "wrapped.h"

namespace svc::database {

class Databases;

/// The parameters a statement has.
class ParameterList {
 public:
  ParameterList(v8::Isolate* isolate, sqlite3_stmt* statement);

  /// Parameters without a name, in their order.
  [[nodiscard]] const std::vector<int>& anonymous() const { return anonymous_; }
  /// Name without its prefix.
  [[nodiscard]] const std::vector<std::pair<int, v8::Global<v8::String>>>& named() const {
    return named_;
  }
  [[nodiscard]] bool empty() const { return anonymous_.empty() && named_.empty(); }

 private:
  std::vector<int> anonymous_;
  std::vector<std::pair<int, v8::Global<v8::String>>> named_;
};

/// The values of one call for the parameters of a statement. Two steps, because reading an object may run code of the
/// plugin while binding must not be disturbed by any. Both are false with a pending exception.
class ParameterValues {
 public:
  [[nodiscard]] bool read(const Arguments& arguments, const ParameterList& list);
  [[nodiscard]] bool bind(Databases& databases, sqlite3_stmt* statement,
                          const ParameterList& list) const;

 private:
  [[nodiscard]] bool readArgument(v8::Isolate* isolate, v8::Local<v8::Context> context,
                                  v8::Local<v8::Value> argument, const ParameterList& list);
  [[nodiscard]] bool addAnonymous(v8::Isolate* isolate, v8::Local<v8::Value> value,
                                  const ParameterList& list);
  [[nodiscard]] bool readNamed(v8::Isolate* isolate, v8::Local<v8::Context> context,
                               const ParameterList& list);

  static constexpr std::size_t kUsual = 16;
  using Values = boost::container::small_vector<v8::Local<v8::Value>, kUsual>;
  Values anonymous_;
  Values named_;
  v8::Local<v8::Object> object_;
};

}  // namespace svc::database
