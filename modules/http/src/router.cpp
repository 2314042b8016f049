#include "router.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/kernel/thread_role.h"

namespace svc::http {

struct RouteTable::Node {
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;  // sorted
  std::unique_ptr<Node> parameter;
  std::vector<EndpointPtr> endpoints;
  std::vector<EndpointPtr> rest;  // of a trailing "/*"
};

namespace {

using Node = RouteTable::Node;

/// Takes the segment after the leading '/' off `rest`.
std::string_view takeSegment(std::string_view& rest) {
  rest.remove_prefix(1);
  const auto segment = rest.substr(0, rest.find('/'));
  rest.remove_prefix(segment.size());
  return segment;
}

auto literalPosition(auto& literals, std::string_view segment) {
  return std::lower_bound(
      literals.begin(), literals.end(), segment,
      [](const auto& entry, std::string_view key) { return entry.first < key; });
}

const Node* literalChild(const Node& node, std::string_view segment) {
  const auto found = literalPosition(node.literals, segment);
  return found != node.literals.end() && found->first == segment ? found->second.get() : nullptr;
}

Node& childFor(Node& node, std::string_view segment) {
  if (segment.starts_with(':')) {
    if (!node.parameter) {
      node.parameter = std::make_unique<Node>();
    }
    return *node.parameter;
  }
  const auto position = literalPosition(node.literals, segment);
  if (position != node.literals.end() && position->first == segment) {
    return *position->second;
  }
  return *node.literals.emplace(position, std::string(segment), std::make_unique<Node>())->second;
}

Error badPattern(const Endpoint& endpoint, std::string_view why) {
  return Error{errc::kInvalidArgument,
               fmt::format("route pattern \"{}\" {}", endpoint.pattern, why)};
}

/// Finds the endpoint of a path, trying literal segments before parameters before "*", and going back when a
/// branch has no such method.
class Search {
 public:
  Search(std::string_view method, RouteMatch& match) : method_(method), match_(match) {}

  const EndpointPtr* descend(const Node& node, std::string_view rest) {
    if (rest.empty()) {
      return pick(node.endpoints);
    }
    auto after = rest;
    const auto segment = takeSegment(after);
    if (const auto* child = literalChild(node, segment)) {
      if (const auto* found = descend(*child, after)) {
        return found;
      }
    }
    if (node.parameter && !segment.empty()) {
      captures.push_back(segment);
      if (const auto* found = descend(*node.parameter, after)) {
        return found;
      }
      captures.pop_back();
    }
    if (const auto* found = pick(node.rest)) {
      captures.push_back(rest.substr(1));
      return found;
    }
    return nullptr;
  }

  std::vector<std::string_view> captures;

 private:
  const EndpointPtr* pick(const std::vector<EndpointPtr>& endpoints) {
    const EndpointPtr* fallback = nullptr;
    for (const auto& endpoint : endpoints) {
      if (endpoint->method == method_) {
        return &endpoint;
      }
      const bool get_for_head = method_ == "HEAD" && endpoint->method == "GET";
      if (get_for_head || (endpoint->method == "*" && method_ != kWebSocketMethod && !fallback)) {
        fallback = &endpoint;
      }
    }
    if (!fallback) {
      for (const auto& endpoint : endpoints) {
        allow(endpoint->method);
      }
    }
    return fallback;
  }

  void allow(std::string_view method) {
    if (method == kWebSocketMethod || match_.allow.find(method) != std::string::npos) {
      return;
    }
    match_.allow.append(match_.allow.empty() ? "" : ", ").append(method);
    if (method == "GET") {
      match_.allow.append(", HEAD");
    }
  }

  std::string_view method_;
  RouteMatch& match_;
};

}  // namespace

RouteTable::RouteTable() : root_(std::make_unique<Node>()) {}
RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable&&) noexcept = default;
RouteTable& RouteTable::operator=(RouteTable&&) noexcept = default;

Status RouteTable::add(const EndpointPtr& endpoint) {
  std::string_view rest = endpoint->pattern;
  if (!rest.starts_with('/')) {
    return badPattern(*endpoint, "does not start with '/'");
  }
  std::vector<std::string> names;
  auto* node = root_.get();
  auto* slot = &node->endpoints;
  while (!rest.empty()) {
    const auto segment = takeSegment(rest);
    if (segment == "*") {
      if (!rest.empty()) {
        return badPattern(*endpoint, "has '*' before its end");
      }
      names.emplace_back("*");
      slot = &node->rest;
      break;
    }
    if (segment == ":") {
      return badPattern(*endpoint, "has a parameter without a name");
    }
    if (segment.starts_with(':')) {
      names.emplace_back(segment.substr(1));
    }
    node = &childFor(*node, segment);
    slot = &node->endpoints;
  }
  if (std::any_of(slot->begin(), slot->end(),
                  [&](const EndpointPtr& other) { return other->method == endpoint->method; })) {
    return Error{errc::kConflict,
                 fmt::format("route {} {} exists already", endpoint->method, endpoint->pattern)};
  }
  slot->push_back(endpoint);
  // An endpoint that is part of an earlier table is read by the io thread: it has its names already.
  if (endpoint->parameter_names.empty() && !names.empty()) {
    endpoint->parameter_names = std::move(names);
  }
  return {};
}

RouteMatch RouteTable::find(std::string_view method, std::string_view path) const {
  RouteMatch match;
  if (!path.starts_with('/')) {
    return match;
  }
  Search search(method, match);
  const auto* found = search.descend(*root_, path);
  if (!found) {
    return match;
  }
  match.endpoint = *found;
  const auto& names = match.endpoint->parameter_names;
  match.parameters.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto value = percentDecode(search.captures[i]);
    if (!value || value->find('\0') != std::string::npos) {
      match.malformed = true;
      return match;
    }
    match.parameters.emplace_back(names[i], std::move(*value));
  }
  return match;
}

Result<Handle> Router::add(EndpointPtr endpoint) {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->endpoints.push_back(endpoint);
    if (auto published = publish(*state_); !published) {
      state_->endpoints.pop_back();
      return std::move(published).error();
    }
  }
  return Handle([state = state_, endpoint = std::move(endpoint)] {
    remove(*state, endpoint);
    if (threadRole() == ThreadRole::kIo) {
      endpoint->gate.close(CallGate::Wait::kNo);
      return;
    }
    endpoint->gate.close(CallGate::Wait::kYes);
    // Nothing calls them any more; the io thread's old table must not keep alive what they hold.
    endpoint->handler = nullptr;
    endpoint->acceptor = nullptr;
  });
}

bool Router::serves(std::string_view method, std::string_view path) const {
  std::shared_ptr<const RouteTable> table;
  {
    const std::scoped_lock lock(state_->mutex);
    table = state_->table;
  }
  return table->find(method, path).endpoint != nullptr;
}

std::vector<EndpointPtr> Router::endpoints() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->endpoints;
}

const RouteTable& Router::table() {
  if (state_->version.load(std::memory_order_acquire) != table_version_) {
    std::shared_ptr<const RouteTable>
        previous;  // its routes are destroyed after the lock is released
    const std::scoped_lock lock(state_->mutex);
    previous = std::exchange(table_, state_->table);
    table_version_ = state_->version.load(std::memory_order_relaxed);
  }
  return *table_;
}

Status Router::publish(State& state) {
  RouteTable table;
  for (const auto& endpoint : state.endpoints) {
    if (auto added = table.add(endpoint); !added) {
      return added;
    }
  }
  state.table = std::make_shared<const RouteTable>(std::move(table));
  state.version.fetch_add(1, std::memory_order_release);
  return {};
}

void Router::remove(State& state, const EndpointPtr& endpoint) {
  std::shared_ptr<const RouteTable> previous;
  const std::scoped_lock lock(state.mutex);
  std::erase(state.endpoints, endpoint);
  previous = state.table;
  static_cast<void>(publish(state));
}

}  // namespace svc::http
