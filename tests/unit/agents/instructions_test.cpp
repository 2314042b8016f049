#include "svc/agents/instructions.h"

#include <gtest/gtest.h>

namespace svc::agents {
namespace {

TEST(InstructionsTest, StandInTheOrderOfTheContract) {
  const InstructionSources sources{
      .service = "service",
      .tools = {{"b", "tool b"}, {"a", "tool a 1"}, {"a", "tool a 2"}},
      .contributed = {{"b", "contributed b"}, {"a", "contributed a"}},
      .configured = {{"c", "configured c"}, {"a", "configured a"}},
      .data_directory = "data directory",
      .workspace = "workspace",
  };
  EXPECT_EQ(joinInstructions(sources),
            "service\n\ntool a 1\n\ntool a 2\n\ntool b\n\ncontributed a\n\ncontributed b\n\n"
            "configured a\n\nconfigured c\n\ndata directory\n\nworkspace");
}

TEST(InstructionsTest, LeaveOutWhatIsEmpty) {
  EXPECT_EQ(joinInstructions({}), "");
  EXPECT_EQ(joinInstructions({.service = "",
                              .tools = {{"a", ""}},
                              .contributed = {{"a", "one"}, {"b", ""}},
                              .configured = {},
                              .data_directory = "",
                              .workspace = "two"}),
            "one\n\ntwo");
}

}  // namespace
}  // namespace svc::agents
