#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace svc::common {

/// How many elements a browser draws for an SVG: one that is referred to counts again at each place. A few hundred bytes of references to
/// references are a billion shapes otherwise, and the window that shows them stands still.
class SvgExpansion {
 public:
  /// False when the element is nested too deep; it is not counted then.
  [[nodiscard]] bool begin();
  void end() { open_.pop_back(); }
  /// Of the element that began last; the name without its prefix, in lower case.
  void attribute(std::string_view name, std::string_view value);

  /// What is wrong with the whole; empty when nothing is. Once, at the end.
  [[nodiscard]] std::string problem();

 private:
  enum class State { kNew, kOpen, kDone };
  struct Element {
    std::vector<std::size_t> children;
    std::vector<std::string> refers_to;
    std::size_t drawn = 0;
    State state = State::kNew;
  };

  std::string count(std::size_t index, std::size_t depth);
  std::string add(Element& element, std::size_t other, std::size_t depth);

  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
  /// Several may have one id, of which a browser takes the first: all of them count.
  std::multimap<std::string, std::size_t, std::less<>> by_id_;
};

}  // namespace svc::common
