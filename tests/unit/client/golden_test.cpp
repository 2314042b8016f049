// What every command prints: on a terminal, in a pipe, with --json. SVC_UPDATE_GOLDEN=1 writes the files anew.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api.h"
#include "app.h"
#include "cli/command_tree.h"
#include "golden_cases.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kNow = 1'767'225'600'000;  // 2026-01-01

/// Answers from a table.
class CannedHttp final : public IHttpClient {
 public:
  explicit CannedHttp(const GoldenCase& golden) : golden_(golden) {}
  Result<HttpResponse> send(const HttpRequest& request) override {
    const auto found = golden_.answers.find(request.method + " " + request.target);
    if (found == golden_.answers.end()) {
      return HttpResponse{404,
                          R"({"ok":false,"error":{"code":"not_found","message":"there is no )" +
                              request.method + " " + request.target + R"("}})"};
    }
    if (request.save != nullptr && found->second.status == 200) {
      *request.save << found->second.body;
      return HttpResponse{200, ""};
    }
    return HttpResponse{found->second.status, found->second.body};
  }

 private:
  const GoldenCase& golden_;
};

/// The programs of a machine where all is well.
Result<ProcessOutcome> cannedProgram(const ProcessRequest& request) {
  const auto& program = request.argv.front();
  const auto& last = request.argv.back();
  if (program.ends_with("/svcd")) {
    return last == "--check"
               ? ProcessOutcome{0, "svcd 0.43.0\nconfiguration: ok\n", ""}
               : ProcessOutcome{
                     0,
                     R"({"configFile":"/etc/svc/config.json","dataDir":"/data","settings":[)"
                     R"({"key":"listen.host","type":"string","value":"127.0.0.1","default":"127.0.0.1","origin":"default","help":""},)"
                     R"({"key":"listen.port","type":"number","value":0,"default":4700,"origin":"flag","help":""},)"
                     R"({"key":"timezone","type":"string","value":null,"default":null,"origin":"default","help":""},)"
                     R"({"key":"log.level","type":"string","value":"debug","default":"info","origin":"file","help":""}]})",
                     ""};
  }
  if (program == "node") {
    return ProcessOutcome{0, "v20.1.0\n", ""};
  }
  return ProcessOutcome{0, program + " 1.0.0\n", ""};
}

enum class Mode : std::uint8_t { kTerminal, kPipe, kJson };

std::string_view nameOf(Mode mode) {
  return mode == Mode::kTerminal ? "terminal" : mode == Mode::kPipe ? "pipe" : "json";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// What differs between machines and runs gets a name; escape sequences become readable.
std::string normalized(std::string text, const std::string& directory) {
  text = replaced(std::move(text), directory, "<dir>");
  text = replaced(std::move(text), "\x1b", "\\e");
  text = replaced(std::move(text), "\r", "\\r");
  static const std::regex kSpace(R"((free space[^\d]{1,60})\d+(\.\d+)? [kMGT]?B)");
  return std::regex_replace(text, kSpace, "$1<size>");
}

std::string runIn(const GoldenCase& golden, Mode mode, const std::string& directory) {
  std::istringstream in(mode == Mode::kTerminal ? "y\n" : "");
  std::ostringstream out;
  std::ostringstream err;
  const bool terminal = mode == Mode::kTerminal;
  const std::map<std::string, std::string> variables{{"SVC_SERVER_URL", "http://127.0.0.1:4700"},
                                                     {"SVC_DATA_DIR", directory + "/data"}};
  Context context{
      .console = {.in = in, .out = out, .err = err},
      .environment = {.variable =
                          [&](const std::string& name) {
                            const auto found = variables.find(name);
                            return found == variables.end() ? std::nullopt
                                                            : std::optional(found->second);
                          },
                      .working_dir = directory,
                      .program_dir = directory + "/bin",
                      .home = directory},
      .choice = {},
      .connector =
          [&](const std::string&) {
            return Result<std::unique_ptr<IHttpClient>>(std::make_unique<CannedHttp>(golden));
          },
      .sleep = [](std::chrono::milliseconds) {},
      .execute = cannedProgram,
      .now = [] { return kNow; }};
  context.console.in_terminal = context.console.out_terminal = context.console.err_terminal =
      context.console.color = terminal;
  auto words = golden.words;
  if (mode == Mode::kJson) {
    words.insert(words.begin(), "--json");
  }
  std::string line;
  for (const auto& word : words) {
    line += " " + word;
  }
  const int code = run(context, std::move(words));
  if (const auto envelope = common::Json::parse(out.str());
      mode == Mode::kJson && envelope && !envelope.value()["ok"].asBool(true)) {
    EXPECT_EQ(code, exitCodeOf(envelope.value()["error"])) << out.str();
  }
  return fmt::format("=== {}: svc{}\n--- exit {}\n--- stdout\n{}--- stderr\n{}", nameOf(mode), line,
                     code, normalized(out.str(), directory), normalized(err.str(), directory));
}

class GoldenTest : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenTest, PrintsWhatIsWritten) {
  std::string text;
  for (const auto mode : {Mode::kTerminal, Mode::kPipe, Mode::kJson}) {
    const TempTree directory;
    fs::create_directory(directory.path() / "data");
    fs::permissions(directory.path() / "data", fs::perms::owner_all);
    fs::create_directory(directory.path() / "todo");
    std::ofstream(directory.path() / "todo/package.json")
        << R"({"name":"svc-plugin-todo","version":"1.0.0"})";
    writeExample(directory, "notes", "Notes in a private SQL database.", "share/svc");
    writeExample(directory, "reading-list", "Pages of the window.", "share/svc");
    writeRegistry(directory, "share/svc");
    text += runIn(GetParam(), mode, directory.path().string());
  }
  const fs::path file = SVC_SOURCE_DIR "/tests/golden/cli/" + GetParam().name + ".txt";
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* const update = std::getenv("SVC_UPDATE_GOLDEN"); update != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return;
  }
  std::ifstream stream(file);
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, expected) << "in " << file << "; SVC_UPDATE_GOLDEN=1 writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Commands, GoldenTest, ::testing::ValuesIn(goldenCases()),
                         [](const auto& golden) {
                           std::string name;
                           bool upper = true;
                           for (const char c : golden.param.name) {
                             if (c == '-') {
                               upper = true;
                             } else {
                               name += upper ? static_cast<char>(std::toupper(c)) : c;
                               upper = false;
                             }
                           }
                           return name;
                         });

TEST(GoldenCasesTest, EveryCommandHasOne) {
  std::set<std::string> covered;
  for (const auto& golden : goldenCases()) {
    std::string line = "svc";
    for (const auto& word : golden.words) {
      line += " " + word;
      covered.insert(line);
    }
  }
  // `set` and `unset` stand behind the id.
  covered.insert({"svc plugin config set", "svc plugin config unset"});
  const std::function<void(const CommandInfo&)> look = [&](const CommandInfo& command) {
    EXPECT_TRUE(covered.contains(command.line) || command.line == "svc") << command.line;
    for (const auto& below : command.commands) {
      look(below);
    }
  };
  look(commandTree());
}

}  // namespace
}  // namespace svc::client
