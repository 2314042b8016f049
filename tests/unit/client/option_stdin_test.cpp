#include "option_stdin.h"

#include <sstream>

#include <gtest/gtest.h>

#include "svc/common/limits/cli.h"

#include "console.h"

namespace svc::client {
namespace {

using Words = std::vector<std::string>;

Result<Words> expand(Words argv, const std::string& input, bool terminal = false) {
  std::istringstream in(input);
  return expandOptionStdin(std::move(argv), in, terminal);
}

std::string messageOf(const Result<Words>& result) { return result ? "" : result.error().message; }

TEST(OptionStdinTest, LeavesOtherArgumentsAlone) {
  EXPECT_EQ(expand({"a", "--b", "-stdin", "---stdin", "--stdin"}, "").value(),
            (Words{"a", "--b", "-stdin", "---stdin", "--stdin"}));
}

TEST(OptionStdinTest, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(messageOf(expand({"a", "--token-stdin"}, "\xff")),
            "--token-stdin: standard input is not UTF-8 text; encode it, as Base64 for example");
}

TEST(OptionStdinTest, PutsTheLineBehindTheOption) {
  EXPECT_EQ(expand({"a", "--token-stdin", "b"}, "x y\n").value(),
            (Words{"a", "--token", "x y", "b"}));
  EXPECT_EQ(expand({"--token-stdin"}, "x").value(), (Words{"--token", "x"}));
  EXPECT_EQ(expand({"--token-stdin"}, "x\r\n").value(), (Words{"--token", "x"}));
}

TEST(OptionStdinTest, StopsAtTheSeparator) {
  EXPECT_EQ(expand({"--", "--token-stdin"}, "x").value(), (Words{"--", "--token-stdin"}));
}

TEST(OptionStdinTest, RefusesTwoOptions) {
  EXPECT_EQ(messageOf(expand({"--a-stdin", "--b-stdin"}, "x")),
            "--a-stdin and --b-stdin: only one option can be read from standard input");
}

TEST(OptionStdinTest, RefusesTheOptionItself) {
  EXPECT_EQ(messageOf(expand({"--a-stdin", "--a", "x"}, "x")),
            "--a-stdin and --a cannot be used together");
  EXPECT_EQ(messageOf(expand({"--a=1", "--a-stdin"}, "x")),
            "--a-stdin and --a cannot be used together");
}

TEST(OptionStdinTest, RefusesATerminal) {
  EXPECT_EQ(messageOf(expand({"--a-stdin"}, "x", true)),
            "--a-stdin reads from a pipe, and standard input is a terminal");
}

TEST(OptionStdinTest, RefusesEmptyAndSeveralLines) {
  EXPECT_EQ(messageOf(expand({"--a-stdin"}, "\n")),
            "--a-stdin: standard input is empty; pipe one line into it");
  EXPECT_EQ(messageOf(expand({"--a-stdin"}, "x\ny\n")),
            "--a-stdin: standard input has several lines; pipe exactly one into it");
}

TEST(OptionStdinTest, AcceptsTheLimitAndRefusesOneMore) {
  std::string line(limits::kCliStdin + 1, 'x');
  EXPECT_EQ(messageOf(expand({"--a-stdin"}, line)),
            "--a-stdin: standard input has more than the 16384 bytes allowed (cliStdin)");
  line.pop_back();
  line.append("\r\n");
  EXPECT_TRUE(expand({"--a-stdin"}, line).ok());
}

}  // namespace
}  // namespace svc::client
