#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "svc/base/data_marks.h"
#include "svc/base/spawn.h"
#include "svc/common/data_schema.h"

#include "client_fixture.h"
#include "commands/commands.h"
#include "doctor/findings.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr auto kConnected =
    R"({"ok":true,"hosts":[{"role":"server","status":"connected","stateMessage":null}]})";

class DoctorTest : public ClientTest {
 protected:
  DoctorTest() {
    variables["SVC_DATA_DIR"] = data.path().string();
    ::chmod(data.path().c_str(), 0700);
  }
  Context machine() {
    auto made = context();
    made.now = [] { return 1'767'225'600'000; };
    made.execute = [this](const ProcessRequest& request) -> Result<ProcessOutcome> {
      const auto& program = request.argv.front();
      const auto key = program.ends_with("/svcd")   ? "svcd " + request.argv.back()
                       : request.argv.at(1) == "-e" ? program + " -e"
                                                    : program;
      const auto found = programs.find(key);
      return found == programs.end() ? Result<ProcessOutcome>(Error{errc::kNotFound, "no " + key})
                                     : found->second;
    };
    return made;
  }
  Findings look(void (*check)(const Context&, Findings&)) {
    Findings findings;
    check(machine(), findings);
    return findings;
  }
  static auto is(Finding::State state, const std::string& check, const std::string& message,
                 const std::string& fix = "") {
    return Contains(AllOf(Field(&Finding::state, state), Field(&Finding::check, check),
                          Field(&Finding::message, HasSubstr(message)),
                          Field(&Finding::fix, HasSubstr(fix))));
  }
  static std::string settings(const std::string& host, int port) {
    return R"({"configFile":"/none","settings":[{"key":"listen.host","value":")" + host +
           R"("},{"key":"listen.port","value":)" + std::to_string(port) + "}]}";
  }

  static std::string databaseHeader(unsigned schema) {
    std::string header("SQLite format 3\0", 16);
    header.resize(100);
    header[common::kSchemaOffset + 3] = static_cast<char>(schema);
    return header;
  }

  static constexpr auto kOk = Finding::State::kOk;
  static constexpr auto kWarning = Finding::State::kWarning;
  static constexpr auto kProblem = Finding::State::kProblem;
  TempTree data;
  std::map<std::string, ProcessOutcome> programs{
      {"svcd --check", {0, "svcd 0.43.0\n", ""}},
      {"svcd --print-config", {0, settings("127.0.0.1", 0), ""}},
      {"node", {0, "v20.1.0\n", ""}},
      {"node -e", {0, "", ""}},
      {"npm", {0, "10.1.0\n", ""}},
      {"git", {0, "git version 2\n", ""}},
      {"curl", {0, "curl 8\n", ""}}};
};

TEST_F(DoctorTest, FindsAMissingServerProgram) {
  programs.erase("svcd --check");
  EXPECT_THAT(look(checkProgram), is(kProblem, "program", "there is no svcd", "install svc again"));
}

TEST_F(DoctorTest, FindsADatabaseThatANewerVersionHasWritten) {
  const auto write = [this](unsigned schema) { data.write("svc.db", databaseHeader(schema)); };
  const auto of_database = Contains(Field(&Finding::check, "database"));
  EXPECT_THAT(look(checkData), ::testing::Not(of_database)) << "there is none yet";
  write(common::kCoreSchema);
  EXPECT_THAT(look(checkData), is(kOk, "database", "svc.db"));
  write(common::kCoreSchema + 1);
  EXPECT_THAT(
      look(checkData),
      is(kProblem, "database",
         fmt::format("svc.db was written by a newer version of svc (its schema is {}, this version "
                     "knows up to {}): the server does not start with it",
                     common::kCoreSchema + 1, common::kCoreSchema),
         fmt::format(
             "install that version again, or rm {0}-wal {0}-shm and replace {0} with a copy "
             "from {1}",
             (data.path() / "svc.db").string(), (data.path() / "backups").string())));
  data.write("svc.db", "");
  EXPECT_THAT(look(checkData), ::testing::Not(of_database)) << "SQLite makes one of it";
}

TEST_F(DoctorTest, FindsADatabaseWithWhichNoServerStarts) {
  const auto damaged =
      is(kProblem, "database",
         "svc.db is damaged or not a database: the server does not start with it",
         fmt::format("mkdir {0}.restore, tar -C {0}.restore -xzf <backup>, svc server start",
                     data.path().string()));
  data.write("svc.db", "no database");
  EXPECT_THAT(look(checkData), damaged);
  std::string whole("SQLite format 3\0", 16);
  whole.resize(8192);
  whole[16] = 16;  // pages of 4096 bytes
  whole[31] = 2;
  data.write("svc.db", whole);
  EXPECT_THAT(look(checkData), is(kOk, "database", "svc.db"));
  data.write("svc.db", whole.substr(0, 5000));
  EXPECT_THAT(look(checkData), damaged) << "cut off";
  data.write("svc.db-wal", "of a server that was killed");
  EXPECT_THAT(look(checkData), is(kOk, "database", "svc.db"));
  std::filesystem::remove(data.path() / "svc.db");
  data.write("svc.db/file", "in a directory");
  EXPECT_THAT(look(checkData), damaged);
}

TEST_F(DoctorTest, FindsADatabaseThatIsGone) {
  data.write("plugins/cache/npm/todo/1.0.0/package.json", "{}");
  const auto gone =
      is(kProblem, "database", "svc.db is missing or empty, and only it knows what is in",
         "put it back from " + (data.path() / "backups").string());
  EXPECT_THAT(look(checkData), gone);
  data.write("svc.db", "");
  EXPECT_THAT(look(checkData), gone);
  std::filesystem::remove_all(data.path() / "plugins");
  data.write("plugins/todo/data.db", "x");
  EXPECT_THAT(look(checkData), gone);
  std::filesystem::remove_all(data.path() / "plugins");
  data.write("plugins/toolchain-1/esbuild", "x");
  EXPECT_THAT(look(checkData), ::testing::Not(gone)) << "what is made anew";
}

TEST_F(DoctorTest, FindsATimeZoneThatThereIsNot) {
  const auto of_zone = Contains(Field(&Finding::check, "TZ"));
  for (const char* good : {"", "UTC", ":UTC", "/usr/share/zoneinfo/UTC"}) {
    variables["TZ"] = good;
    EXPECT_THAT(look(checkMachine), ::testing::Not(of_zone)) << good;
  }
  variables["TZ"] = "Europe/Berlim";
  EXPECT_THAT(look(checkMachine), is(kWarning, "TZ", "Europe/Berlim is no time zone"));
}

TEST_F(DoctorTest, ShowsWhatIsWrongWithTheConfiguration) {
  programs["svcd --check"] = {1, "", "svcd: unknown configuration key \"log.leval\"\n"};
  EXPECT_THAT(look(checkProgram), is(kProblem, "configuration",
                                     "unknown configuration key \"log.leval\"", "svcd --check"));
}

TEST_F(DoctorTest, FindsWhatKeepsARunningServerFromStartingAgain) {
  const int lock =
      ::open((data.path() / "server.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const auto pid = std::to_string(::getpid());
  ASSERT_EQ(::write(lock, pid.data(), pid.size()), static_cast<ssize_t>(pid.size()));
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  auto made = machine();
  made.execute = [this](const ProcessRequest& request) -> Result<ProcessOutcome> {
    // With the variables of the running server all is well; a start has those of the caller.
    return request.argv.back() == "--check" ? programs["svcd --check"]
           : request.environment.has_value()
               ? programs["svcd --print-config"]
               : ProcessOutcome{0,
                                R"({"problems":[{"key":"listen.port",)"
                                R"("code":"invalid_argument",)"
                                R"("message":"listen.port: wrong"}]})",
                                ""};
  };
  Findings findings;
  checkProgram(made, findings);
  ::close(lock);
  EXPECT_THAT(findings, is(kProblem, "configuration",
                           "would not start again from here: listen.port: wrong", "restart"));
}

TEST_F(DoctorTest, WarnsOfAWrongValueThatIsOverridden) {
  programs["svcd --print-config"] = {
      0, R"({"settings":[],"masked":[{"key":"listen.port","message":"listen.port: wrong"}]})", ""};
  EXPECT_THAT(look(checkProgram),
              is(kWarning, "configuration", "overridden now, but wrong: listen.port: wrong",
                 "svc settings set listen.port"));
}

TEST_F(DoctorTest, WarnsOfAnAddressThatOthersReach) {
  programs["svcd --print-config"] = {0, settings("0.0.0.0", 4700), ""};
  EXPECT_THAT(look(checkProgram), is(kWarning, "address", "listens on 0.0.0.0"));
}

TEST_F(DoctorTest, FindsAnotherProgramOnThePort) {
  programs["svcd --print-config"] = {0, settings("127.0.0.1", 4700), ""};
  expectGet("/healthz", "<html>");
  expectGet("/api/v1/system/config", "<html>");
  EXPECT_THAT(look(checkProgram),
              is(kProblem, "address", "another program answers on 127.0.0.1:4700", "listen.port"));
  expect("GET", "/healthz", Error{errc::kUnavailable, "refused"});
  EXPECT_THAT(look(checkProgram), is(kOk, "address", "127.0.0.1:4700 is free"));
}

TEST_F(DoctorTest, NamesTheServerOfAnotherDirectoryOnThePort) {
  programs["svcd --print-config"] = {0, settings("127.0.0.1", 4700), ""};
  expectGet("/healthz", R"({"ok":true})");
  expectGet("/api/v1/system/config", R"({"ok":true,"dataDir":"/home/ada/other"})");
  EXPECT_THAT(look(checkProgram),
              is(kProblem, "address", "the svcd of /home/ada/other is there, on 127.0.0.1:4700",
                 "svc --data-dir /home/ada/other"));
}

TEST_F(DoctorTest, FindsADataDirectoryThatOthersRead) {
  ASSERT_EQ(::chmod(data.path().c_str(), 0755), 0);
  EXPECT_THAT(look(checkData),
              is(kProblem, "data directory", "mode 755", "chmod 700 " + data.path().string()));
}

TEST_F(DoctorTest, AcceptsADirectoryThatIsNotThereYet) {
  variables["SVC_DATA_DIR"] = data.path().string() + "/later";
  const auto findings = look(checkData);
  EXPECT_THAT(findings, is(kOk, "data directory", "does not exist yet"));
  EXPECT_THAT(findings, Each(Field(&Finding::state, kOk)));
}

TEST_F(DoctorTest, FindsWhatACrashedServerLeft) {
  data.write("server.json", R"({"pid":7,"url":"http://127.0.0.1:1"})");
  EXPECT_THAT(look(checkData), is(kWarning, "lock", "names pid 7, but no server runs here"));
}

TEST_F(DoctorTest, FindsProgramsOfAKilledServerByTheirMark) {
  auto started = base::spawn(
      {.argv = {"sleep", "1000"},
       .environment = base::Environment{{"PATH", "/usr/bin:/bin"},
                                        {base::kProcessMark, base::marksOf(data.path()) + "aa"}}});
  ASSERT_TRUE(started.ok());
  const auto pid = std::to_string(started.value().pid());
  EXPECT_THAT(look(checkData), is(kWarning, "processes", "sleep (pid " + pid + ")", "kill " + pid));
  const int lock =
      ::open((data.path() / "server.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const auto owner = std::to_string(::getpid());
  ASSERT_EQ(::write(lock, owner.data(), owner.size()), static_cast<ssize_t>(owner.size()));
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(look(checkData), is(kOk, "processes", "none left behind"))
      << "a server that runs has them";
  ::close(lock);
}

TEST_F(DoctorTest, AddsUpTheLogs) {
  data.write("plugins/todo/logs/plugin.log", std::string(2000, 'x'));
  data.write("plugins/cache/x.log", std::string(9000, 'x'));
  EXPECT_THAT(look(checkData), is(kOk, "logs", "2.0 kB"));
}

TEST_F(DoctorTest, FindsAnOldOrMissingNode) {
  programs["node"] = {0, "v18.20.4\n", ""};
  EXPECT_THAT(look(checkMachine), is(kProblem, "node", "v18.20.4 is too old", "Node.js 20"));
  programs.erase("node");
  EXPECT_THAT(look(checkMachine), is(kProblem, "node", "there is no node on the PATH"));
}

TEST_F(DoctorTest, LooksAtTheNodeThatBuildsUse) {
  programs["svcd --print-config"] = {
      0, R"({"settings":[{"key":"build.node","value":"/opt/node"}]})", ""};
  programs["/opt/node"] = {0, "v22.3.0\n", ""};
  programs["/opt/node -e"] = {0, "", ""};
  EXPECT_THAT(look(checkMachine), is(kOk, "node", "v22.3.0, /opt/node"));
  programs["/opt/node"] = {0, "", ""};
  EXPECT_THAT(look(checkMachine),
              is(kProblem, "node", "/opt/node, which build.node names, is no Node.js",
                 "svc settings set build.node"));
}

TEST_F(DoctorTest, FindsAToolchainThatDoesNotRun) {
  EXPECT_THAT(look(checkMachine), is(kOk, "toolchain", "share/svc/toolchain"));
  programs["node -e"] = {1, "", "The package \"@esbuild/linux-x64\" could not be found"};
  EXPECT_THAT(look(checkMachine), is(kProblem, "toolchain", "does not run; plugins cannot be built",
                                     "install svc again"));
}

TEST_F(DoctorTest, AToolchainThatGetsNoProcessIsWhole) {
  for (const char* const said : {"spawn /opt/esbuild EAGAIN", "failed to create new OS thread"}) {
    programs["node -e"] = {1, "", said};
    EXPECT_THAT(look(checkMachine),
                is(kProblem, "toolchain", "no further process or thread", "raise the limit"));
  }
}

TEST_F(DoctorTest, WarnsOfMissingTools) {
  programs.erase("git");
  EXPECT_THAT(look(checkMachine), is(kWarning, "git", "there is no git on the PATH"));
}

TEST_F(DoctorTest, FindsAWrongClock) {
  Findings findings;
  auto made = machine();
  made.now = [] { return 0; };
  checkMachine(made, findings);
  EXPECT_THAT(findings, is(kProblem, "clock", "1970-01-01", "set the clock"));
}

TEST_F(DoctorTest, SaysThatNoServerRuns) {
  variables.erase("SVC_SERVER_URL");
  EXPECT_THAT(look(checkServer),
              is(kProblem, "server", "no server is running", "svc server start"));
}

TEST_F(DoctorTest, FindsPluginsThatDoNotRun) {
  expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/readyz", R"({"modules":[],"plugins":[]})");
  expectGet("/api/v1/system/config",
            R"({"ok":true,"version":"0.1.0","timezone":"No/Where","safeMode":true})");
  expectGet("/api/v1/plugins",
            R"({"ok":true,"plugins":[{"id":"a","status":"running","enabled":true},)"
            R"({"id":"b","status":"needs-configuration","statusDetail":"key","enabled":true},)"
            R"({"id":"c","status":"disabled","enabled":false},)"
            R"({"id":"d","status":"missing","enabled":true,"source":"path:/home/ada/d"},)"
            R"({"id":"e","status":"missing","enabled":true,"source":"npm:svc-plugin-e"}]})");
  expectGet("/api/v1/hosts", kConnected);
  const auto findings = look(checkServer);
  EXPECT_THAT(findings,
              is(kProblem, "plugin b", "needs-configuration: key", "svc plugin config b"));
  EXPECT_THAT(findings, is(kProblem, "plugin d", "missing", "svc plugin remove d"));
  EXPECT_THAT(findings, is(kProblem, "plugin e", "missing", "svc plugin update e"));
  EXPECT_THAT(findings, is(kOk, "plugins", "1 of 5 run"));
  EXPECT_THAT(findings, is(kWarning, "version", "the server is 0.1.0"));
  EXPECT_THAT(findings, is(kWarning, "time zone", "No/Where"));
  EXPECT_THAT(findings, is(kWarning, "safe mode", "it is on"));
}

TEST_F(DoctorTest, FindsWhatModulesCannotDoForNow) {
  expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
  expectGet(
      "/readyz",
      R"({"modules":[{"name":"http","state":"ready","detail":null},)"
      R"({"name":"storage.writes","state":"failing","detail":"writes are refused: disk full"},)"
      R"({"name":"updates.recovery","state":"ready","detail":"plugin a is not loaded"}]})",
      503);
  expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  expectGet("/api/v1/hosts", kConnected);
  const auto findings = look(checkServer);
  EXPECT_THAT(findings, is(kProblem, "storage.writes", "failing: writes are refused: disk full",
                           "svc server logs"));
  EXPECT_THAT(findings,
              is(kWarning, "updates.recovery", "plugin a is not loaded", "svc server logs"));
  EXPECT_THAT(findings, ::testing::Not(is(kWarning, "http", "")));
}

TEST_F(DoctorTest, FindsReloadsThatFailed) {
  expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/readyz", R"({"modules":[],"plugins":[]})");
  expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/api/v1/plugins",
            R"({"ok":true,"plugins":[{"id":"a","status":"running","enabled":true,)"
            R"("statusDetail":"reload failed: no such module\nat x"},)"
            R"({"id":"b","status":"running","enabled":true,"statusDetail":"unknown key"}]})");
  expectGet("/api/v1/hosts", kConnected);
  const auto findings = look(checkServer);
  EXPECT_THAT(findings,
              is(kProblem, "plugin a", "reload failed: no such module", "svc plugin reload a"));
  EXPECT_THAT(findings, is(kWarning, "plugin b", "unknown key", "svc plugin show b"));
}

TEST_F(DoctorTest, FindsThatTheServersOwnMachineIsAway) {
  const auto answers = [this](const std::string& host) {
    expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
    expectGet("/readyz", R"({"modules":[],"plugins":[]})");
    expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
    expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
    EXPECT_CALL(*http, send(Field(&HttpRequest::target, "/api/v1/hosts")))
        .InSequence(order)
        .WillRepeatedly(
            ::testing::Return(HttpResponse{200, R"({"ok":true,"hosts":[)" + host + "]}"}));
  };
  answers(R"({"role":"machine","status":"disconnected"},{"role":"server","status":"disconnected",)"
          R"("stateMessage":"its host daemon ended with exit status 1"})");
  EXPECT_THAT(look(checkServer),
              is(kProblem, "machine", "its host daemon ended with exit status 1", "server logs"));
  EXPECT_FALSE(pauses.empty()) << "it may be about to connect";
  answers(R"({"role":"server","status":"disconnected",)"
          R"("stateMessage":"the server starts no host daemon here: hosts.local is false"})");
  EXPECT_THAT(look(checkServer), is(kOk, "machine", "hosts.local is false"));
}

TEST_F(DoctorTest, FindsFilesThatCannotBeRead) {
  data.write("plugins/todo/data.db", "1");
  EXPECT_THAT(look(checkData), is(kOk, "files", "all can be read"));
  ASSERT_EQ(::chmod((data.path() / "plugins/todo/data.db").c_str(), 0), 0);
  // The superuser reads everything, so that the test must not be that for a moment.
  constexpr uid_t kNobody = 65534;
  const auto user = ::geteuid();
  ASSERT_EQ(::chmod(data.path().c_str(), 0755), 0);
  ASSERT_TRUE(user != 0 || ::seteuid(kNobody) == 0);
  const auto findings = look(checkData);
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_THAT(findings, is(kProblem, "files", "plugins/todo/data.db is one", "chown -R"));
}

TEST_F(DoctorTest, RepairsModesAndWhatAServerLeft) {
  for (int i = 0; i < 2; ++i) {
    expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
    expectGet("/readyz", R"({"modules":[],"plugins":[]})");
    expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
    expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
    expectGet("/api/v1/hosts", kConnected);
  }
  ::chmod(data.path().c_str(), 0755);
  data.write("server.json", R"({"url":"http://127.0.0.1:1","pid":1,"version":"0.43.0"})");
  data.write("svc.db", databaseHeader(common::kCoreSchema));
  data.write("plugins/todo/data.db", "rows");
  ::chmod((data.path() / "plugins/todo/data.db").c_str(), 0);
  auto made = machine();
  EXPECT_EQ(doctor(made, true), 0);
  EXPECT_THAT(err.str(), HasSubstr("Repaired: data directory: other users can look into"));
  EXPECT_THAT(err.str(), HasSubstr("Repaired: lock: server.json names pid 1"));
  EXPECT_FALSE(data.has("server.json"));
  struct stat facts {};
  ASSERT_EQ(::stat(data.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0700U);
}

TEST_F(DoctorTest, FilesThatCannotBeReadCanBeAgain) {
  data.write("plugins/todo/data.db", "rows");
  constexpr uid_t kNobody = 65534;
  const auto user = ::geteuid();
  const auto owner = user == 0 ? kNobody : user;
  for (const char* const name : {"", "plugins", "plugins/todo", "plugins/todo/data.db"}) {
    ASSERT_EQ(::chown((data.path() / name).c_str(), owner, static_cast<gid_t>(-1)), 0);
  }
  ASSERT_EQ(::chmod((data.path() / "plugins/todo/data.db").c_str(), 0), 0);
  ASSERT_EQ(::chmod((data.path() / "plugins").c_str(), 0), 0);
  ASSERT_TRUE(user != 0 || ::seteuid(kNobody) == 0);
  const auto findings = look(checkData);
  Status repaired = Error{errc::kInternal, "nothing to repair"};
  for (const auto& finding : findings) {
    if (finding.check == "files" && finding.repair) {
      repaired = finding.repair();
    }
  }
  const auto after = look(checkData);
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(repaired) << repaired.error().message;
  EXPECT_THAT(after, is(kOk, "files", "all can be read"));
}

TEST_F(DoctorTest, SaysThatSomeOfItCanBeRepaired) {
  expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/readyz", R"({"modules":[],"plugins":[]})");
  expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  expectGet("/api/v1/hosts", kConnected);
  ::chmod(data.path().c_str(), 0755);
  auto made = machine();
  EXPECT_EQ(doctor(made, false), 1);
  EXPECT_THAT(err.str(), HasSubstr("`svc doctor --fix` repairs some of it.\n"));
}

TEST_F(DoctorTest, WarningsAloneAreNoFailure) {
  programs.erase("git");
  expectGet("/api/v1/system/version", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/readyz", R"({"modules":[],"plugins":[]})");
  expectGet("/api/v1/system/config", R"({"ok":true,"version":"0.43.0"})");
  expectGet("/api/v1/plugins", R"({"ok":true,"plugins":[]})");
  expectGet("/api/v1/hosts", kConnected);
  auto made = machine();
  EXPECT_EQ(doctor(made, false), 0);
  EXPECT_THAT(out.str(), HasSubstr("warning\tgit\tthere is no git"));
}

}  // namespace
}  // namespace svc::client
