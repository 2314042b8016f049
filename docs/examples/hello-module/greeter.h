#pragma once

#include <string>

#include "svc/kernel/result.h"

namespace hello {

/// Makes greetings. Stateless after construction, so any thread may call it. The module is glue around this class, and
/// tests need nothing but this class.
class Greeter {
 public:
  explicit Greeter(std::string greeting);
  /// "<greeting>, <name>!"; `invalid_argument` when the name is longer than kMaxName bytes.
  [[nodiscard]] svc::Result<std::string> greet(const std::string& name) const;

  static constexpr std::size_t kMaxName = 100;

 private:
  std::string greeting_;
};

}  // namespace hello
