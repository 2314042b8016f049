#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "doctor/findings.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string_view stateName(Finding::State state) {
  switch (state) {
    case Finding::State::kOk:
      return "ok";
    case Finding::State::kWarning:
      return "warning";
    case Finding::State::kProblem:
      return "problem";
  }
  return "problem";
}

Console::Style styleOf(Finding::State state) {
  switch (state) {
    case Finding::State::kOk:
      return Console::Style::kGood;
    case Finding::State::kWarning:
      return Console::Style::kDim;
    case Finding::State::kProblem:
      return Console::Style::kBad;
  }
  return Console::Style::kPlain;
}

Json toJson(const Finding& finding) {
  return Json::object()
      .set("check", finding.check)
      .set("state", stateName(finding.state))
      .set("message", finding.message)
      .set("fix", finding.fix.empty() ? Json() : Json(finding.fix));
}

void printAll(const Console& console, const Findings& findings) {
  std::size_t width = 0;
  for (const auto& finding : findings) {
    width = std::max(width, displayWidth(finding.check));
  }
  for (const auto& finding : findings) {
    const auto state = stateName(finding.state);
    if (!console.out_terminal) {
      console.out << state << '\t' << oneLine(finding.check) << '\t' << oneLine(finding.message)
                  << '\t' << oneLine(finding.fix) << '\n';
      continue;
    }
    constexpr std::size_t kStateWidth = 9;
    console.out << console.paint(styleOf(finding.state), state)
                << std::string(kStateWidth - state.size(), ' ') << oneLine(finding.check)
                << std::string(width - displayWidth(finding.check) + 2, ' ')
                << oneLine(finding.message) << '\n';
    if (!finding.fix.empty()) {
      console.out << std::string(kStateWidth + width + 2, ' ') << "fix: " << oneLine(finding.fix)
                  << '\n';
    }
  }
}

}  // namespace

int doctor(Context& context) {
  const auto& console = context.console;
  Findings findings;
  checkProgram(context, findings);
  checkData(context, findings);
  checkMachine(context, findings);
  checkServer(context, findings);
  const auto problems = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state == Finding::State::kProblem;
  });
  if (console.json) {
    Json list = Json::array();
    for (const auto& finding : findings) {
      list.push(toJson(finding));
    }
    console.out << Json::object()
                       .set("ok", true)
                       .set("healthy", problems == 0)
                       .set("findings", std::move(list))
                       .dump()
                << '\n';
  } else {
    printAll(console, findings);
    console.err << (problems == 0
                        ? std::string("No problems found.\n")
                        : fmt::format("{} problem{} found.\n", problems, problems == 1 ? "" : "s"));
  }
  return problems == 0 ? kExitOk : kExitFailure;
}

}  // namespace svc::client
