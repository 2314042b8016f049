#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::skillfiles {

/// A SHA-256 (FIPS 180-4) that is fed piece by piece. Written out, since each command of `svc` would load a library that has it.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Once, at the end.
  [[nodiscard]] std::string hex();

 private:
  static constexpr std::size_t kBlock = 64;

  void mix(const char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, kBlock> begun_{};  ///< of which `size_ % kBlock` bytes are there
  std::uint64_t size_ = 0;
};

}  // namespace svc::skillfiles
