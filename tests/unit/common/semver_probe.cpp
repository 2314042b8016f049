// Answers lines of "<range>\t<version>" with what the service thinks of them: "-" when the version is none, "!" when the
// range is none, else "1" or "0", and the range's minimum ("none" when nothing matches).
#include <iostream>
#include <string>

#include "svc/common/semver.h"

int main() {
  using svc::common::semver::Range;
  using svc::common::semver::Version;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto tab = line.find('\t');
    const auto range = Range::parse(line.substr(0, tab));
    const auto version = Version::parse(line.substr(tab + 1));
    if (!version) {
      std::cout << "-\n";
    } else if (!range) {
      std::cout << "!\n";
    } else {
      const auto minimum = range->minimum();
      std::cout << (range->matches(*version) ? "1 " : "0 ") << (minimum ? minimum->text() : "none")
                << "\n";
    }
  }
}
