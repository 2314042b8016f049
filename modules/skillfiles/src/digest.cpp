#include "digest.h"

#include <bit>

#include <fmt/format.h>

#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {
namespace {

constexpr std::size_t kRounds = 64;
constexpr std::array<std::uint32_t, kRounds> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const char* bytes) {
  std::uint32_t word = 0;
  for (std::size_t at = 0; at < sizeof word; ++at) {
    word = word << 8U | static_cast<unsigned char>(bytes[at]);
  }
  return word;
}

}  // namespace

void Sha256::mix(const char* block) {
  std::array<std::uint32_t, kRounds>
      words;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t at = 0; at < 16; ++at) {
    words[at] = bigEndian(block + at * sizeof(std::uint32_t));
  }
  for (std::size_t at = 16; at < kRounds; ++at) {
    const auto before = words[at - 15];
    const auto late = words[at - 2];
    words[at] = words[at - 16] + words[at - 7] +
                (std::rotr(before, 7) ^ std::rotr(before, 18) ^ before >> 3U) +
                (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t at = 0; at < kRounds; ++at) {
    const auto first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                       ((e & f) ^ (~e & g)) + kConstants[at] + words[at];
    const auto second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
  for (std::size_t at = 0; at < mixed.size(); ++at) {
    state_[at] += mixed[at];
  }
}

void Sha256::add(std::string_view bytes) {
  const auto held = static_cast<std::size_t>(size_ % kBlock);
  size_ += bytes.size();
  if (held > 0) {
    const auto taken = bytes.copy(begun_.data() + held, kBlock - held);
    bytes.remove_prefix(taken);
    if (held + taken < kBlock) {
      return;
    }
    mix(begun_.data());
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) {
    mix(bytes.data());
  }
  bytes.copy(begun_.data(), bytes.size());
}

std::string Sha256::hex() {
  const auto bits = size_ * 8;
  // One bit, zeros, and the length of what came before in the last eight bytes of a block.
  std::string padding(1, '\x80');
  constexpr std::size_t kLength = sizeof bits;
  padding.append((2 * kBlock - kLength - 1 - size_ % kBlock) % kBlock, '\0');
  for (std::size_t at = 0; at < kLength; ++at) {
    padding += static_cast<char>(bits >> (8 * (kLength - 1 - at)) & 0xffU);
  }
  add(padding);
  std::string text;
  for (const auto word : state_) {
    text += fmt::format("{:08x}", word);
  }
  return text;
}

std::string digestOf(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace svc::skillfiles
