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

Findings lookAtAll(const Context& context) {
  Findings findings;
  checkProgram(context, findings);
  checkData(context, findings);
  checkMachine(context, findings);
  checkServer(context, findings);
  return findings;
}

/// True when something was repaired.
bool repairAll(const Console& console, const Findings& findings) {
  bool has_repaired = false;
  for (const auto& finding : findings) {
    if (!finding.repair) {
      continue;
    }
    const auto done = finding.repair();
    has_repaired = has_repaired || done;
    console.err << (done ? "Repaired: " : "Not repaired: ") << oneLine(finding.check) << ": "
                << oneLine(done ? finding.message : done.error().message) << '\n';
  }
  return has_repaired;
}

}  // namespace

int doctor(Context& context, bool fix) {
  const auto& console = context.console;
  auto findings = lookAtAll(context);
  // What was wrong may have hidden what else is.
  if (fix && repairAll(console, findings)) {
    findings = lookAtAll(context);
  }
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
    if (!fix && std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
          return static_cast<bool>(finding.repair);
        })) {
      console.err << "`svc doctor --fix` repairs some of it.\n";
    }
  }
  return problems == 0 ? kExitOk : kExitFailure;
}

}  // namespace svc::client
