#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace svc::threads::model {

/// Everything that is left to chance, from one seed, the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// Below `sides`, which is not 0.
  std::size_t roll(std::size_t sides) { return static_cast<std::size_t>(engine_() % sides); }
  bool chance(std::size_t percent) { return roll(100) < percent; }
  template <class Container>
  auto& oneOf(Container& container) {
    return container[roll(container.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace svc::threads::model
