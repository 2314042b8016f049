#include "catalogue.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"
#include "svc/hosts/host_answer.h"

namespace svc::providers {
namespace {

using common::Json;

/// A machine asks two programs for their version at most, one after the other, and may be busy.
constexpr auto kReportWait = 4 * limits::kAgentProbe + limits::kHostTransport;

/// Places whose commands are kept.
constexpr std::size_t kSeenCommands = 256;

constexpr const char* kNoBridge =
    "this service runs agents through the Agent Client Protocol, and a plugin's declaration has no "
    "program "
    "for it; configure one under an id of its own as \"agents\" in config.json";

/// One that is there, else one whose machine has said why it is not.
bool saysMore(const Offer& offer, const Offer& than) {
  return offer.available != than.available ? offer.available
                                           : than.report.isNull() && !offer.report.isNull();
}

/// What to do about a program that is not there; other reasons say it themselves.
std::string remedyOf(const Offer& offer) {
  if (offer.report.isNull()) {
    return {};
  }
  return offer.configured ? fmt::format(
                                "; install it there, or put right \"agents.{}.command\" in "
                                "config.json, and try again",
                                offer.id)
                          : "; install it there and try again";
}

/// The agents of a report. One with more than a machine may have is none: every list of agents is made of all reports.
Result<Json> reportedAgents(const Result<std::string>& answer) {
  auto said = hosts::answerObject(answer);
  if (!said) {
    return std::move(said).error();
  }
  const auto& agents = said.value()["providers"];
  if (agents.items().size() > limits::kMachineAgents) {
    return Error{
        errc::kHostError,
        fmt::format("it reports {} agents, and at most {} are taken of one machine; update "
                    "svc-hostd there, or configure fewer \"agents\" in config.json",
                    agents.items().size(), limits::kMachineAgents)};
  }
  return agents;
}

std::string notReported(const std::string& failure, bool connected) {
  if (!failure.empty()) {
    return "the machine did not say which agents it has: " + failure;
  }
  return connected ? "the machine is being asked which agents it has"
                   : "the machine is not connected; is svc-hostd running on it?";
}

}  // namespace

bool Catalogue::isOn(const ConfiguredAgent& agent, const machines::Host& host) {
  const auto& hosts = agent.hosts;
  return hosts.empty() || std::any_of(hosts.begin(), hosts.end(), [&host](const auto& named) {
           return named == host.id || named == host.name;
         });
}

void Catalogue::configure(std::map<std::string, ConfiguredAgent> agents) {
  std::vector<std::string> connected;
  {
    const std::scoped_lock lock(mutex_);
    agents_ = std::move(agents);
    for (auto& [id, machine] : machines_) {
      if (machine.connected) {
        connected.push_back(id);
      }
    }
  }
  for (const auto& id : connected) {
    ask(id);
  }
  with_.changed();
}

void Catalogue::ask(const std::string& host_id) {
  const auto host = with_.machines.find(host_id);
  auto wanted = Json::object();
  {
    const std::scoped_lock lock(mutex_);
    ++machines_[host_id].asks;
    for (const auto& [id, agent] : agents_) {
      if (host && isOn(agent, *host)) {
        wanted.set(id, agent.commandJson());
      }
    }
  }
  with_.commands.send(host_id,
                      Json::object()
                          .set("type", hostprotocol::command::kAgentProviders)
                          .set("agents", std::move(wanted))
                          .dump(),
                      kReportWait,
                      [weak = weak_from_this(), host_id](const Result<std::string>& answer) {
                        if (const auto self = weak.lock()) {
                          self->told(host_id, answer);
                        }
                      });
}

void Catalogue::told(const std::string& host_id, const Result<std::string>& answer) {
  const auto agents = reportedAgents(answer);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = machines_.find(host_id);
    if (found == machines_.end()) {
      return;  // it was removed meanwhile
    }
    auto& machine = found->second;
    --machine.asks;
    machine.failure = agents ? std::string() : agents.error().message;
    if (agents) {
      machine.reported = true;
      machine.agents.clear();
      for (const auto& agent : agents.value().items()) {
        machine.agents[agent["id"].asString()] = agent;
      }
    }
  }
  with_.changed();
}

bool Catalogue::isConfigured(const std::string& provider_id) const {
  const std::scoped_lock lock(mutex_);
  return agents_.contains(provider_id);
}

std::vector<machines::Host> Catalogue::hostsOf(const std::string& host_id) const {
  auto hosts = with_.machines.list();
  if (!host_id.empty()) {
    std::erase_if(hosts, [&host_id](const auto& host) { return host.id != host_id; });
  }
  return hosts;
}

std::vector<Offer> Catalogue::offersOn(const machines::Host& host) const {
  std::map<std::string, Offer> offers;
  const auto declared = with_.declared();
  const std::scoped_lock lock(mutex_);
  const auto found = machines_.find(host.id);
  const Machine machine = found == machines_.end() ? Machine{} : found->second;
  const auto unknown = notReported(machine.failure, machine.connected);
  for (const auto& [plugin_id, declaration] : declared) {
    const auto& id = declaration["id"].asString();
    offers[id] = {.id = id,
                  .display_name = declaration["displayName"].asString(),
                  .reason = kNoBridge,
                  .plugin_id = plugin_id,
                  .declared = declaration};
  }
  for (const auto& [id, agent] : agents_) {
    // It came after the plugin that declares it, whose next load fails for that.
    auto& offer = offers[id];
    offer = {.id = id, .display_name = agent.display_name.empty() ? id : agent.display_name};
    offer.configured = true;
    offer.reason =
        isOn(agent, host)
            ? unknown
            : fmt::format("agents.{}.hosts in config.json does not name this machine", id);
  }
  for (const auto& [id, report] : machine.agents) {
    auto& offer = offers[id];
    if (!offer.plugin_id.empty() && !offer.configured && !report["available"].asBool()) {
      continue;
    }
    offer.id = id;
    offer.display_name = report["displayName"].asString();
    offer.report = report;
    offer.available = machine.connected && report["available"].asBool();
    offer.reason = !machine.connected ? notReported({}, false)
                   : !report["unavailableReason"].asString().empty()
                       ? report["unavailableReason"].asString()
                       : std::string();
    if (const auto& hint = report["installHint"].asString(); !offer.available && !hint.empty()) {
      offer.reason += fmt::format(" ({})", hint);
    }
  }
  std::vector<Offer> out;
  for (auto& [id, offer] : offers) {
    out.push_back(std::move(offer));
  }
  return out;
}

std::vector<std::pair<std::string, Offer>> Catalogue::states(const std::string& host_id) const {
  std::vector<std::pair<std::string, Offer>> out;
  for (const auto& host : hostsOf(host_id)) {
    for (auto& offer : offersOn(host)) {
      out.emplace_back(host.id, std::move(offer));
    }
  }
  return out;
}

std::vector<Offer> Catalogue::list(const std::string& host_id) const {
  // Machines come with the server's own first, which speaks for those that are nowhere available.
  std::map<std::string, Offer> best;
  auto all = states(host_id);
  if (all.empty()) {
    // A server without machines still says what is configured and declared.
    for (auto& offer : offersOn(machines::Host{})) {
      all.emplace_back(std::string(), std::move(offer));
    }
  }
  for (auto& [host, offer] : all) {
    const bool known = offer.configured || !offer.plugin_id.empty() || offer.available;
    const auto found = best.find(offer.id);
    if (known && (found == best.end() || saysMore(offer, found->second))) {
      best[offer.id] = std::move(offer);
    }
  }
  std::vector<Offer> out;
  for (const bool configured : {true, false}) {
    for (auto& [id, offer] : best) {
      if (offer.configured == configured) {
        out.push_back(std::move(offer));
      }
    }
  }
  return out;
}

bool Catalogue::anyConnected() const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(machines_.begin(), machines_.end(),
                     [](const auto& each) { return each.second.connected; });
}

std::string Catalogue::failures() const {
  std::string out;
  for (const auto& host : with_.machines.list()) {
    const std::scoped_lock lock(mutex_);
    const auto found = machines_.find(host.id);
    if (found != machines_.end() && found->second.connected && !found->second.failure.empty()) {
      out += fmt::format("; the machine \"{}\" did not say which agents it has: {}", host.name,
                         found->second.failure);
    }
  }
  return out;
}

bool Catalogue::beingAsked() const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(machines_.begin(), machines_.end(), [](const auto& each) {
    const auto& machine = each.second;
    return machine.connected &&
           (machine.asks > 0 || (!machine.reported && machine.failure.empty()));
  });
}

Result<std::string> Catalogue::choose(const std::string& provider_id) const {
  const auto all = list({});
  if (provider_id.empty()) {
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& offer) { return offer.available; });
    if (found != all.end()) {
      return found->id;
    }
    if (!anyConnected() && !with_.machines.list().empty()) {
      return Error{errc::kHostUnavailable, notReported({}, false)};
    }
    if (beingAsked()) {
      return Error{
          errc::kHostUnavailable,
          "the machines are being asked which agents they have; try again in a few seconds, "
          "or name one with providerId"};
    }
    return Error{
        errc::kConflict,
        "no agent is available on any connected machine; install one that speaks the Agent "
        "Client Protocol on the machine of the project, or configure its command as "
        "\"agents\" in config.json, and try again (`GET /api/v1/system/provider-states` says "
        "what is missing)" +
            failures()};
  }
  std::optional<Offer> known;
  std::string host_id;
  for (const auto& [host, offer] : states({})) {
    if (offer.id == provider_id && (!known || saysMore(offer, *known))) {
      known = offer;
      host_id = host;
    }
  }
  if (known && known->available) {
    return provider_id;
  }
  // A machine that has not said anything yet may have it.
  if (beingAsked()) {
    return provider_id;
  }
  if (known) {
    const auto host = with_.machines.find(host_id);
    return Error{
        anyConnected() ? errc::kConflict : errc::kHostUnavailable,
        fmt::format("the agent \"{}\" is not available on the machine \"{}\": {}{}", provider_id,
                    host ? host->name : host_id, known->reason, remedyOf(*known))};
  }
  std::string names;
  for (const auto& offer : all) {
    names += (names.empty() ? "" : ", ") + offer.id;
  }
  return Error{errc::kNotFound,
               fmt::format("there is no agent \"{}\"; there {}; configure it as \"agents.{}\" in "
                           "config.json{}",
                           provider_id, names.empty() ? "are none" : "are: " + names, provider_id,
                           failures())};
}

Result<Json> Catalogue::command(const std::string& provider_id, const std::string& host_id) const {
  const auto host = with_.machines.find(host_id);
  const std::scoped_lock lock(mutex_);
  const auto agent = agents_.find(provider_id);
  if (agent == agents_.end()) {
    return Json();
  }
  if (host && !isOn(agent->second, *host)) {
    return Error{errc::kConflict,
                 fmt::format("the agent \"{}\" is not for the machine \"{}\": agents.{}.hosts in "
                             "config.json does not name it",
                             provider_id, host->name, provider_id)};
  }
  return agent->second.commandJson();
}

void Catalogue::sawSession(const std::string& provider_id, const std::string& host_id,
                           const Json& config_options, bool nothing_is_chosen) {
  if (config_options.items().empty()) {
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    auto& known = options_[{provider_id, host_id}];
    if (known == config_options || (!known.isNull() && !nothing_is_chosen)) {
      return;
    }
    known = config_options;
  }
  with_.changed();
}

Json Catalogue::models(const std::string& provider_id, const std::string& host_id) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, options] : options_) {
    if (key.first == provider_id && (host_id.empty() || key.second == host_id)) {
      return options;
    }
  }
  return {};
}

void Catalogue::sawCommands(const std::string& provider_id, const std::string& host_id,
                            const std::string& project_id, const Json& commands) {
  if (!commands.isArray()) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  std::erase_if(commands_, [&](const SeenCommands& seen) {
    return seen.provider_id == provider_id && seen.host_id == host_id &&
           seen.project_id == project_id;
  });
  if (commands_.size() >= kSeenCommands) {
    commands_.erase(commands_.begin());
  }
  commands_.push_back({provider_id, host_id, project_id, commands});
}

Json Catalogue::commands(const std::string& provider_id, const std::string& host_id,
                         const std::string& project_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::find_if(commands_.rbegin(), commands_.rend(), [&](const SeenCommands& seen) {
        return seen.provider_id == provider_id && seen.project_id == project_id &&
               (host_id.empty() || seen.host_id == host_id);
      });
  return found == commands_.rend() ? Json() : found->commands;
}

void Catalogue::hostOpened(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    machines_[host_id].connected = true;
  }
  ask(host_id);
}

void Catalogue::hostClosed(const std::string& /*host_id*/) {}

void Catalogue::hostGone(const std::string& host_id) {
  {
    const std::scoped_lock lock(mutex_);
    machines_[host_id].connected = false;
    if (!with_.machines.find(host_id)) {
      machines_.erase(host_id);
    }
  }
  with_.changed();
}

void Catalogue::hostMessage(const std::string& /*host_id*/, std::string_view /*type*/,
                            std::string_view /*text*/) {}

}  // namespace svc::providers
