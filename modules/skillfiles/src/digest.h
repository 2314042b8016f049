#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc::skillfiles {

/// A SHA-256 that is fed piece by piece.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view bytes);
  /// Once, at the end.
  [[nodiscard]] std::string hex();

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace svc::skillfiles
