#pragma once

#include <map>
#include <string>
#include <vector>

namespace svc::client {

/// One command with the answers it gets. It runs on a terminal (where questions are answered with yes), in a pipe and
/// with --json; what it prints stands in tests/golden/cli/<name>.txt.
struct GoldenCase {
  std::string name;
  std::vector<std::string> words;
  struct Answer {
    int status = 200;
    std::string body;
  };
  /// By "METHOD target"; others are 404 not_found.
  std::map<std::string, Answer> answers{};
};

// The cases of some groups.
[[nodiscard]] std::vector<GoldenCase> projectContentCases();
[[nodiscard]] std::vector<GoldenCase> environmentCases();
[[nodiscard]] std::vector<GoldenCase> threadCases();

/// All of them.
[[nodiscard]] const std::vector<GoldenCase>& goldenCases();

}  // namespace svc::client
