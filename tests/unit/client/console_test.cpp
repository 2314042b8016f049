#include "console.h"

#include <fstream>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "exit_code.h"

namespace svc::client {
namespace {

/// What is not in this table is a failure. What each command prints with --json is held against it by GoldenTest.
TEST(ConsoleTest, TheCodeOfAnErrorIsThatOfTheProcess) {
  for (const auto& [code, exit_code] :
       {std::pair("usage", kExitUsage), std::pair("not_found", kExitNotFound),
        std::pair("unknown_plugin", kExitNotFound), std::pair("unknown_command", kExitNotFound),
        std::pair("unknown_host", kExitNotFound), std::pair("unknown_route", kExitNotFound),
        std::pair("unknown_method", kExitNotFound), std::pair("refused", kExitRefused),
        std::pair("incompatible", kExitIncompatible), std::pair("unreachable", kExitUnreachable),
        std::pair("invalid_input", kExitFailure), std::pair("conflict", kExitFailure),
        std::pair("timeout", kExitFailure), std::pair("unavailable", kExitFailure)}) {
    EXPECT_EQ(exitCodeFor(code), exit_code) << code;
  }
}

TEST(ConsoleTest, JsonHasNothingOnATerminalThatItObeysOrHides) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err};
  console.showJson("\"\u202E\"");
  EXPECT_EQ(out.str(), "\"\u202E\"\n") << "programs read what is there";
  console.out_terminal = true;
  console.showJson("\"\u202E\"");
  EXPECT_EQ(out.str(), "\"\u202E\"\n\"\\u202e\"\n");
}

TEST(ConsoleTest, AStreamThatCannotBeReadIsToldFromOneThatEnds) {
  std::istringstream text(std::string(200'000, 'x') + "\n");
  EXPECT_EQ(readWhole(text), std::string(200'000, 'x') + "\n");
  std::istringstream nothing;
  EXPECT_EQ(readWhole(nothing), "");
  // Its reading throws, as that of a closed standard input.
  std::ifstream directory("/");
  EXPECT_EQ(readWhole(directory), std::nullopt);
}

}  // namespace
}  // namespace svc::client
