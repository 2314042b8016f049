// What an author has to know before publishing: types, tests, bundles, and that it runs where nothing is set.
#include <array>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "builder.h"
#include "commands/authoring.h"
#include "commands/commands.h"
#include "dependencies.h"
#include "dev_loop.h"
#include "exit_code.h"
#include "interruptible_builder.h"
#include "interrupts.h"
#include "npm_test_run.h"
#include "package_files.h"
#include "progress.h"
#include "sdk_pins.h"
#include "setting_values.h"
#include "text.h"
#include "trial_server.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr Errc kTestFailed{"test_failed"};
/// What `npm init` writes for a package without tests.
constexpr std::string_view kNoTestScript = "no test specified";

struct Step {
  enum class Outcome { kOk, kFailed, kSkipped, kInterrupted };
  Outcome outcome = Outcome::kOk;
  /// One line: why it failed or was left out.
  std::string reason{};
  /// What a program said that failed.
  std::string output{};
};

Step failedStep(std::string reason, std::string output = {}) {
  return {Step::Outcome::kFailed, std::move(reason), std::move(output)};
}
/// With the first line as the reason, and all of it where there is more.
Step failedWith(const std::string& message) {
  auto line = firstLine(message);
  return failedStep(line, line == message ? "" : message);
}
Step skippedStep(std::string reason) { return {Step::Outcome::kSkipped, std::move(reason), {}}; }

const char* outcomeName(Step::Outcome outcome) {
  switch (outcome) {
    case Step::Outcome::kOk:
      return "ok";
    case Step::Outcome::kFailed:
      return "failed";
    case Step::Outcome::kSkipped:
      return "skipped";
    case Step::Outcome::kInterrupted:
      return "interrupted";
  }
  return "";
}

/// The steps in their order, each told of as it ends.
class PluginTrial {
 public:
  PluginTrial(const Context& context, const TestTools& tools, fs::path root, Json manifest,
              std::vector<TypedSetting> settings)
      : context_(context),
        tools_(tools),
        root_(std::move(root)),
        manifest_(std::move(manifest)),
        settings_(std::move(settings)),
        progress_(context.console) {}

  int run() {
    struct Entry {
      const char* name;
      Step (PluginTrial::*step)();
    };
    constexpr std::array<Entry, 4> kSteps{{{"types", &PluginTrial::types},
                                           {"tests", &PluginTrial::tests},
                                           {"build", &PluginTrial::build},
                                           {"install", &PluginTrial::install}}};
    for (const auto& [name, step] : kSteps) {
      const auto start = context_.now();
      progress_.show(name);
      const auto done = (this->*step)();
      progress_.clear();
      tell(name, done, context_.now() - start);
      if (done.outcome == Step::Outcome::kInterrupted) {
        return end(Error{errc::kAborted, "interrupted"}, kExitInterrupted);
      }
    }
    return failed_.empty() ? end({}, kExitOk)
                           : end(Error{kTestFailed, "failed: " + failed_}, kExitFailure);
  }

 private:
  /// A program of the author in the plugin's directory.
  Step program(const std::vector<std::string>& argv, const std::string& shown) {
    const auto ran = tools_.children.run({argv, root_}, [&](std::chrono::milliseconds elapsed) {
      progress_.show(fmt::format("{}, {} s", shown, elapsed.count() / 1000));
    });
    if (!ran) {
      return failedStep(ran.error().code == errc::kNotFound && argv.front() == "npm"
                            ? "npm is not on PATH: install Node.js 20 or newer"
                            : ran.error().message);
    }
    const auto& outcome = ran.value();
    if (outcome.interrupted) {
      return {Step::Outcome::kInterrupted, {}, {}};
    }
    if (outcome.exit_code != 0) {
      return failedStep(fmt::format("{} ended with exit code {}", shown, outcome.exit_code),
                        outcome.output);
    }
    return {};
  }

  Step types() {
    std::error_code ignored;
    if (!fs::exists(root_ / "tsconfig.json", ignored)) {
      return skippedStep("there is no tsconfig.json");
    }
    const auto package = resolvePackage(root_, "typescript");
    if (!package) {
      return failedStep("TypeScript is not installed: npm install --include=dev");
    }
    return program({"node", (*package / "bin/tsc").string(), "--noEmit", "--pretty", "false"},
                   "tsc");
  }

  Step tests() {
    if (!hasScript(manifest_, "test") ||
        manifest_["scripts"]["test"].asString().find(kNoTestScript) != std::string::npos) {
      return skippedStep("package.json has no test script");
    }
    return program({"npm", "test"}, "npm test");
  }

  Step build() {
    const auto report =
        tools_.builder.build({.root = root_, .targets = releaseTargets(), .minify = true});
    if (!report) {
      return report.error().code == errc::kAborted ? Step{Step::Outcome::kInterrupted, {}, {}}
                                                   : failedStep(report.error().message);
    }
    for (const auto& target : report.value().targets) {
      for (const auto& warning : target.warnings) {
        context_.console.complain("warning: " + common::codeFrame(warning));
      }
    }
    if (const auto* const failed = report.value().failed()) {
      std::string frames;
      for (const auto& error : failed->errors) {
        frames += common::codeFrame(error) + "\n";
      }
      return failedStep(
          fmt::format("the {} bundle could not be built", common::targetName(failed->target)),
          frames);
    }
    is_built_ = true;
    return {};
  }

  Step install() {
    if (!is_built_) {
      return skippedStep("it was not built");
    }
    const auto trial = tools_.server.install(root_, settings_);
    if (!trial) {
      return trial.error().code == errc::kAborted ? Step{Step::Outcome::kInterrupted, {}, {}}
                                                  : failedWith(trial.error().message);
    }
    const auto& record = trial.value().record;
    const auto& status = record["status"].asString();
    if (status == "running") {
      return {};
    }
    const auto& detail = record["statusDetail"].asString();
    const auto line = firstLine(detail);
    return failedStep(fmt::format("the plugin is {}, not running{}{}{}", oneLine(status),
                                  line.empty() ? "" : ": ", line, whatToSet(trial.value().unset)),
                      line == detail ? "" : detail);
  }

  static std::string whatToSet(const std::vector<std::string>& unset) {
    std::string options;
    for (const auto& key : unset) {
      options += fmt::format(" --setting {}=…", oneLine(key));
    }
    return options.empty() ? options : "; not set:" + options;
  }

  void tell(const char* name, const Step& step, std::int64_t took) {
    const bool failed = step.outcome == Step::Outcome::kFailed;
    if (failed) {
      failed_ += (failed_.empty() ? "" : ", ") + std::string(name);
    }
    const auto& console = context_.console;
    if (console.json) {
      auto entry = Json::object()
                       .set("name", name)
                       .set("outcome", outcomeName(step.outcome))
                       .set("durationMs", took);
      if (!step.reason.empty()) {
        entry.set("reason", step.reason);
      }
      if (!step.output.empty()) {
        entry.set("output", step.output);
      }
      steps_.push(std::move(entry));
      return;
    }
    const auto style = failed                               ? Console::Style::kBad
                       : step.outcome == Step::Outcome::kOk ? Console::Style::kGood
                                                            : Console::Style::kDim;
    const auto what = step.outcome == Step::Outcome::kOk ? formatDuration(static_cast<double>(took))
                                                         : step.reason;
    console.out << fmt::format(
        "{:<8} {}", name, console.paint(style, fmt::format("{:<8}", outcomeName(step.outcome))));
    console.out << (what.empty() ? "" : " ") << oneLine(what) << '\n' << std::flush;
    if (!step.output.empty()) {
      console.err << manyLines(step.output) << (step.output.ends_with('\n') ? "" : "\n")
                  << std::flush;
    }
  }

  int end(const std::optional<Error>& error, int code) {
    const auto& console = context_.console;
    if (!console.json) {
      if (code == kExitInterrupted) {
        console.complain(error->message);
      }
      return code;
    }
    auto envelope = Json::object().set("ok", !error);
    if (error) {
      envelope.set("error", Json::object()
                                .set("code", std::string(error->code.name()))
                                .set("message", error->message));
    }
    console.out << envelope.set("steps", std::move(steps_)).dump() << '\n';
    return code;
  }

  const Context& context_;
  const TestTools& tools_;
  fs::path root_;
  Json manifest_;
  std::vector<TypedSetting> settings_;
  Progress progress_;
  bool is_built_ = false;
  /// Names of the steps that did.
  std::string failed_;
  Json steps_ = Json::array();
};

}  // namespace

int testPlugin(Context& context, const TestTools& tools, const std::string& path,
               const std::vector<TypedSetting>& settings) {
  const auto& console = context.console;
  const auto shown = path.empty() ? "." : path;
  constexpr const char* kHint = "name the directory of a plugin: svc plugin test <path>";
  std::error_code failure;
  const auto root = fs::canonical(context.environment.working_dir / shown, failure);
  if (failure) {
    console.fail({errc::kNotFound, fmt::format("{}: {}", shown, failure.message())}, kHint);
    return kExitNotFound;
  }
  const auto manifest = readPackageFile(root);
  if (!manifest) {
    console.fail(manifest.error(), kHint);
    return exitCodeFor(manifest.error().code.name());
  }
  if (declaredEntry(manifest.value().json, "server").empty()) {
    console.fail(
        {errc::kNotFound, root.string() + "/package.json is not a plugin's: svc.server is missing"},
        kHint);
    return kExitNotFound;
  }
  if (const auto sdk = readCarriedSdk(tools.share)) {
    if (const auto warning = pinWarning(manifest.value().json, sdk.value()); !warning.empty()) {
      console.complain("warning: " + warning);
    }
  }
  for (const auto& warning : missingFromPackage(root, manifest.value().json)) {
    console.complain("warning: " + oneLine(warning));
  }
  return PluginTrial(context, tools, root, manifest.value().json, settings).run();
}

int pluginTest(Context& context, const TestOptions& options) {
  // Nobody looks at the descriptor while a secret is typed, so that Ctrl-C ends the program there.
  const auto settings = typedSettings(context.console, options.settings);
  if (!settings) {
    context.console.fail(settings.error(), "svc plugin test --setting key=value");
    return kExitUsage;
  }
  const Interrupts interrupts(kExitInterrupted);
  ChildRunner children(interrupts.descriptor());
  InterruptibleBuilder builder(builderOptions(context.environment), interrupts);
  TrialServer server(context, interrupts.descriptor());
  return testPlugin(context, {children, builder, server, shareDir(context.environment)},
                    options.path, settings.value());
}

}  // namespace svc::client
