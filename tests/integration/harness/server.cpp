#include "server.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace svc::test {

Server::Server(std::string modules, std::vector<std::string> flags)
    : data_(directory_.path() / "data"), modules_(std::move(modules)), flags_(std::move(flags)) {
  start();
}

std::vector<std::string> Server::commandLine() const {
  std::vector<std::string> words{SVC_TEST_SVCD, "--data-dir", data_.string(), "--listen",
                                 "127.0.0.1:0", "--modules",  modules_};
  if (modules_.find("machines") != std::string::npos) {
    words.emplace_back("--hosts.local=false");
  }
  if (modules_.find("plugins") != std::string::npos) {
    // A test sees what it installs, whatever ships with the server.
    words.emplace_back("--plugins.builtin=false");
  }
  const bool chosen =
      std::any_of(flags_.begin(), flags_.end(), [](const auto& flag) { return flag == kSpare; });
  if (!chosen && modules_.find("jsruntime") != std::string::npos) {
    // Most tests load one plugin, once.
    words.emplace_back("--jsruntime.spare=false");
  }
  words.insert(words.end(), flags_.begin(), flags_.end());
  return words;
}

void Server::start() {
  child_ = std::make_unique<Child>(Command{.argv = commandLine(), .directory = directory_.path()});
  awaitReady();
}

void Server::awaitReady() {
  constexpr std::string_view kReady = "listening on http://127.0.0.1:";
  const auto line = child_->readLine();
  if (!line || !line->starts_with(kReady)) {
    throw std::runtime_error("no ready line, but: " + line.value_or("(nothing)") + "\n" +
                             child_->errorText());
  }
  port_ = static_cast<std::uint16_t>(std::stoul(line->substr(kReady.size())));
}

Outcome Server::stop() {
  child_->signal(SIGTERM);
  auto outcome = child_->wait();
  if (!outcome) {
    throw std::runtime_error("the server did not end after SIGTERM:\n" + child_->errorText());
  }
  return std::move(*outcome);
}

void Server::kill() {
  child_->signal(SIGKILL);
  if (!child_->wait()) {
    throw std::runtime_error("the server survived SIGKILL");
  }
}

void Server::restart() {
  const auto outcome = stop();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  start();
}

std::string Server::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

common::Json Server::install(const std::filesystem::path& directory) const {
  const auto answer =
      http().post("/api/v1/plugins/install", R"({"source":"path:)" + directory.string() + R"("})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  return answer.json["plugin"];
}

Answer Server::rpc(const std::string& plugin, const std::string& method,
                   const std::string& input) const {
  return http().rpc(plugin, method, input);
}

Answer Server::reload(const std::string& plugin) const {
  return http().post("/api/v1/plugins/reload?id=" + plugin, "{}");
}

common::Json Server::record(const std::string& plugin) const {
  return http().get("/api/v1/plugins/" + plugin).json["plugin"];
}

common::Json Server::awaitRecord(const std::string& plugin,
                                 const std::function<bool(const common::Json&)>& wanted) const {
  auto connection = http();
  common::Json last;
  const bool found = eventually([&] {
    last = connection.get("/api/v1/plugins/" + plugin).json["plugin"];
    return wanted(last);
  });
  EXPECT_TRUE(found) << "the record never became what the test waits for; last: " << last.dump();
  return last;
}

Outcome Server::cli(std::vector<std::string> arguments, const std::string& input) const {
  arguments.insert(arguments.begin(), SVC_TEST_SVC);
  return runCommand({.argv = std::move(arguments),
                     .directory = directory_.path(),
                     .environment = {{"SVC_DATA_DIR", data_.string()}},
                     .input = input});
}

namespace {
constexpr int kAskEveryMs = 2;
}  // namespace

bool eventually(const std::function<bool()>& ask) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  do {
    if (ask()) {
      return true;
    }
    // The processor belongs to the server that is waited for.
    ::poll(nullptr, 0, kAskEveryMs);
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

std::string moduleSetName(const ::testing::TestParamInfo<const char*>& info) {
  return std::string_view(info.param).starts_with("storage-memory") ? "Memory" : "Sqlite";
}

}  // namespace svc::test
