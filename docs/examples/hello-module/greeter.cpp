#include "greeter.h"

#include <utility>

#include <fmt/format.h>

namespace hello {

Greeter::Greeter(std::string greeting) : greeting_(std::move(greeting)) {}

svc::Result<std::string> Greeter::greet(const std::string& name) const {
  if (name.size() > kMaxName) {
    return svc::Error{svc::errc::kInvalidArgument,
                      fmt::format("the name has {} bytes, the limit is {}", name.size(), kMaxName)};
  }
  return fmt::format("{}, {}!", greeting_, name);
}

}  // namespace hello
