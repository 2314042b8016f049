#include "svg_expansion.h"

#include <fmt/format.h>

#include "svc/common/limits/plugins.h"

namespace svc::common {

bool SvgExpansion::begin() {
  if (open_.size() >= limits::kSvgDepth) {
    return false;
  }
  const auto index = elements_.size();
  elements_.emplace_back();
  if (!open_.empty()) {
    elements_[open_.back()].children.push_back(index);
  }
  open_.push_back(index);
  return true;
}

void SvgExpansion::attribute(std::string_view name, std::string_view value) {
  if (name == "id") {
    by_id_.emplace(value, open_.back());
    return;
  }
  // href="#shape", fill="url(#shape)", style="mask: url('#shape')": whatever the place means, it may draw what it names. Other values are
  // text, such as the labels of editors, which name the element they stand at.
  for (auto at = value.find('#'); at != std::string_view::npos; at = value.find('#', at + 1)) {
    const auto before = value.substr(0, at).find_last_not_of("\"' \t\r\n\f");
    if (name == "href" ? at == 0 : before != std::string_view::npos && value[before] == '(') {
      const auto rest = value.substr(at + 1);
      elements_[open_.back()].refers_to.emplace_back(
          name == "href" ? rest : rest.substr(0, rest.find_first_of("\"') \t\r\n\f")));
    }
  }
}

std::string SvgExpansion::problem() { return elements_.empty() ? std::string() : count(0, 1); }

std::string SvgExpansion::count(std::size_t index, std::size_t depth) {
  auto& element = elements_[index];
  if (element.state == State::kOpen) {
    return "an element refers to itself or to what it is in";
  }
  if (depth > limits::kSvgDepth) {
    return fmt::format("what is referred to is nested deeper than {}", limits::kSvgDepth);
  }
  if (element.state == State::kDone) {
    return {};
  }
  element.state = State::kOpen;
  element.drawn = 1;
  for (const auto child : element.children) {
    if (auto problem = add(element, child, depth); !problem.empty()) {
      return problem;
    }
  }
  for (const auto& name : element.refers_to) {
    const auto [first, last] = by_id_.equal_range(name);
    for (auto each = first; each != last; ++each) {
      if (auto problem = add(element, each->second, depth); !problem.empty()) {
        return problem;
      }
    }
  }
  element.state = State::kDone;
  return {};
}

std::string SvgExpansion::add(Element& element, std::size_t other, std::size_t depth) {
  if (auto problem = count(other, depth + 1); !problem.empty()) {
    return problem;
  }
  element.drawn += elements_[other].drawn;
  return element.drawn <= limits::kSvgElements
             ? std::string()
             : fmt::format("more than {} elements are drawn, what is referred to each time again",
                           limits::kSvgElements);
}

}  // namespace svc::common
