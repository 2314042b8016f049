#include "hosts.h"

#include <signal.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace svc::test {

using common::Json;

Json hostRecord(const Server& server, const std::string& host_id) {
  return server.http().get("/api/v1/hosts/" + host_id).json["host"];
}

bool awaitConnected(const Server& server, const std::string& host_id, bool connected) {
  return eventually([&] {
    return (hostRecord(server, host_id)["status"].asString() == "connected") == connected;
  });
}

std::string ownHost(const Server& server) {
  const auto answer = server.http().get("/api/v1/hosts");
  for (const auto& host : answer.json["hosts"].items()) {
    if (host["role"].asString() == "server") {
      return host["id"].asString();
    }
  }
  throw std::runtime_error("no machine of the server in " + answer.body);
}

Json joinCode(const Server& server, const std::string& name) {
  auto answer =
      server.http().post("/api/v1/hosts/join-codes", Json::object().set("name", name).dump());
  if (answer.status != 201) {
    throw std::runtime_error("no join code: " + answer.body);
  }
  return answer.json;
}

Outcome runHostd(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SVC_TEST_HOSTD);
  return runCommand({.argv = std::move(arguments)});
}

Machine::Machine(const Server& server, const std::string& name, const std::string& address)
    : data_(directory_.path() / "hostd") {
  const auto code = joinCode(server, name);
  id_ = code["hostId"].asString();
  child_ = std::make_unique<Child>(Command{
      .argv = {SVC_TEST_HOSTD, "join", "--server", address.empty() ? server.url() : address,
               "--code", code["joinCode"].asString(), "--name", name, "--data-dir", data_.string()},
      .directory = directory_.path()});
  if (!awaitConnected(server, id_)) {
    throw std::runtime_error("machine " + name + " did not connect:\n" + child_->errorText());
  }
}

void Machine::start(const std::vector<std::string>& flags) {
  std::vector<std::string> argv{SVC_TEST_HOSTD, "--data-dir", data_.string()};
  argv.insert(argv.end(), flags.begin(), flags.end());
  child_ =
      std::make_unique<Child>(Command{.argv = std::move(argv), .directory = directory_.path()});
}

Outcome Machine::stop() {
  child_->signal(SIGTERM);
  auto outcome = child_->wait();
  if (!outcome) {
    throw std::runtime_error("the daemon did not end after SIGTERM:\n" + child_->errorText());
  }
  return std::move(*outcome);
}

void Machine::kill() {
  child_->signal(SIGKILL);
  if (!child_->wait()) {
    throw std::runtime_error("the daemon survived SIGKILL");
  }
}

Probe::Probe(const Server& server) : server_(server), path_(directory_.path() / "host-probe") {
  std::filesystem::copy(fixture("host-probe"), path_, std::filesystem::copy_options::recursive);
  const auto record = server.install(path_);
  if (record["status"].asString() != "running") {
    throw std::runtime_error("the probe does not run: " + record.dump());
  }
}

Json Probe::call(const std::string& host_id, const std::string& method, const std::string& input,
                 const std::string& rest) const {
  const auto request = fmt::format(R"({{"hostId":"{}","method":"{}","input":{}{}{}}})", host_id,
                                   method, input, rest.empty() ? "" : ",", rest);
  const auto answer = server_.rpc("host-probe", "call", request);
  if (answer.status != 200) {
    throw std::runtime_error("the probe failed: " + answer.body);
  }
  return answer.json["result"];
}

std::string Probe::codeOf(const std::string& host_id, const std::string& method,
                          const std::string& input, const std::string& rest) const {
  const auto outcome = call(host_id, method, input, rest);
  const auto& error = outcome["error"];
  return error["code"].isString() ? error["code"].asString() : error["name"].asString();
}

Json Probe::many(const std::string& host_id, const std::string& method, int count,
                 const std::string& input, const std::string& rest) const {
  const auto request = fmt::format(R"({{"hostId":"{}","method":"{}","count":{},"input":{}{}{}}})",
                                   host_id, method, count, input, rest.empty() ? "" : ",", rest);
  const auto answer = server_.rpc("host-probe", "many", request);
  if (answer.status != 200) {
    throw std::runtime_error("the probe failed: " + answer.body);
  }
  return answer.json["result"];
}

Json Probe::report(const std::string& host_id) const {
  const auto outcome = call(host_id, "report");
  if (!outcome["ok"].asBool()) {
    throw std::runtime_error("no report: " + outcome.dump());
  }
  return outcome["output"];
}

Json Probe::events() const { return server_.rpc("host-probe", "events").json["result"]; }

bool Probe::awaitState(const std::string& id, const std::string& at, int times) const {
  return eventually([&] {
    const auto now = events();
    int found = 0;
    for (const auto& signal : now["signals"].items()) {
      const auto& payload = signal["payload"];
      if (signal["name"].asString() == "state" && payload["id"].asString() == id &&
          payload["at"].asString() == at) {
        ++found;
      }
    }
    return found >= times;
  });
}

void Probe::reload(const std::string& version) const {
  std::ofstream(path_ / "version.ts") << "export const version = \"" << version << "\";\n";
  const auto answer = server_.reload("host-probe");
  if (answer.status != 200) {
    throw std::runtime_error("the reload failed: " + answer.body);
  }
}

bool isAlive(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto end = text.rfind(") ");
  return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}

}  // namespace svc::test
