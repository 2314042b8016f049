#include "client_fixture.h"
#include "commands/commands.h"
#include "exit_code.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

constexpr auto kTerminals =
    R"({"ok":true,"sessions":[{"id":"term_abc","title":"one\u001b[31m","status":"running","initialCwd":"/home/a","hostId":"h","exitCode":null,"closeReason":null},)"
    R"({"id":"term_abd","title":"two","status":"exited","initialCwd":"/","hostId":"h","exitCode":3,"closeReason":"process-exit"}]})";

using TerminalTest = ClientTest;

TEST_F(TerminalTest, ListsTerminalsWithoutWhatTheirTitlesDoToOthers) {
  auto made = context();
  expectGet("/api/v1/terminals", kTerminals);
  EXPECT_EQ(terminalList(made, {}), 0);
  EXPECT_EQ(out.str(),
            "ID\tSTATUS\tTITLE\tDIRECTORY\tHOST\nterm_abc\trunning\tone[31m\t/home/a\th\n"
            "term_abd\texited (3)\ttwo\t/\th\n");
}

TEST_F(TerminalTest, TheBeginningOfAnIdIsEnoughWhenItIsTheOnlyOne) {
  auto made = context();
  for (const auto& [wanted, code] :
       {std::pair("ab", kExitNotFound), std::pair("x", kExitNotFound)}) {
    expectGet("/api/v1/terminals", kTerminals);
    EXPECT_EQ(terminalClose(made, {.id = wanted}), code);
  }
  EXPECT_THAT(err.str(), HasSubstr("several terminals begin with \"ab\""));
  expectGet("/api/v1/terminals", kTerminals);
  expectPost("/api/v1/terminals/term_abd/close", R"({"ok":true,"terminal":{"title":"two"}})");
  EXPECT_EQ(terminalClose(made, {.id = "abd", .force = true}), 0);
  EXPECT_EQ(requests.back().body, R"({"mode":"force"})");
}

TEST_F(TerminalTest, TypesALineOrWhatStandardInputHas) {
  auto made = context();
  const auto sent = [&](const TerminalOptions& options) {
    expectGet("/api/v1/terminals", kTerminals);
    expectPost("/api/v1/terminals/term_abc/input", R"({"ok":true,"terminal":{}})");
    EXPECT_EQ(terminalSend(made, options), 0);
    return requests.back().body;
  };
  EXPECT_EQ(sent({.id = "term_abc", .text = "ls"}), R"({"dataBase64":"bHMK"})");
  EXPECT_EQ(sent({.id = "term_abc", .text = "ls", .plain = true}), R"({"dataBase64":"bHM="})");
  in.str("a");
  EXPECT_EQ(sent({.id = "term_abc"}), R"({"dataBase64":"YQ=="})");
}

TEST_F(TerminalTest, NothingIsTypedIntoATerminalThatIsThereOnly) {
  auto made = context();
  expectGet("/api/v1/terminals", kTerminals);
  EXPECT_EQ(terminalSend(made, {.id = "term_abc"}), 0);
  expectGet("/api/v1/terminals", kTerminals);
  EXPECT_EQ(terminalSend(made, {.id = "nope"}), kExitNotFound);
}

TEST_F(TerminalTest, OpensWithoutATerminalAndLeavesIt) {
  auto made = context();
  expectPost("/api/v1/terminals", R"({"ok":true,"terminal":{"id":"term_x"}})", 201);
  EXPECT_EQ(terminalOpen(made, {.cwd = "~/p", .title = "T", .text = "make"}), 0);
  EXPECT_EQ(out.str(), "term_x\n");
  EXPECT_EQ(
      requests.back().body,
      R"({"scope":{"kind":"host_path","cwd":"~/p"},"cols":80,"rows":24,"title":"T","start":{"mode":"command","command":"make"}})");
}

TEST_F(TerminalTest, AttachingNeedsATerminal) {
  auto made = context();
  EXPECT_EQ(terminalAttach(made, {.id = "abc"}), kExitUsage);
  EXPECT_THAT(err.str(), HasSubstr("svc terminal send"));
}

TEST_F(TerminalTest, OutputIsPrintedAsItIsOrHarmless) {
  auto made = context();
  const auto* answer =
      R"({"ok":true,"chunks":[{"seq":0,"dataBase64":"YRtb"},{"seq":1,"dataBase64":"Mko="}],"nextSeq":2,"truncated":true})";
  expectGet("/api/v1/terminals", kTerminals);
  expectGet("/api/v1/terminals/term_abc/output?tailBytes=5", answer);
  EXPECT_EQ(terminalOutput(made, {.id = "term_abc", .tail = 5}), 0);
  EXPECT_EQ(out.str(), "a\x1b[2J");
  EXPECT_THAT(err.str(), HasSubstr("gone"));
  out.str("");
  made.console.out_terminal = true;
  expectGet("/api/v1/terminals", kTerminals);
  expectGet("/api/v1/terminals/term_abc/output", answer);
  EXPECT_EQ(terminalOutput(made, {.id = "term_abc"}), 0);
  EXPECT_EQ(out.str(), "a[2J");
  expectGet("/api/v1/terminals", kTerminals);
  expectGet("/api/v1/terminals/term_abc/output",
            R"({"ok":true,"chunks":[],"nextSeq":1,"truncated":true})");
  EXPECT_EQ(terminalOutput(made, {.id = "term_abc"}), 0);
  EXPECT_THAT(err.str(), HasSubstr("What it has written is gone"));
}

}  // namespace
}  // namespace svc::client
