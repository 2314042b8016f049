#pragma once

#include <gmock/gmock.h>

#include "svc/machines/host_registry.h"

namespace svc::machines {

class MockHostRegistry : public IHostRegistry {
 public:
  MockHostRegistry();
  ~MockHostRegistry() override;

  MOCK_METHOD(std::vector<Host>, list, (), (const, override));
  MOCK_METHOD(std::optional<Host>, find, (std::string_view host_id), (const, override));
  MOCK_METHOD(Result<std::string>, authenticate, (std::string_view host_key), (override));
  MOCK_METHOD(void, connected, (const std::string& host_id, const SessionFacts& facts), (override));
  MOCK_METHOD(void, disconnected, (const std::string& host_id), (override));
  MOCK_METHOD(void, seen, (const std::string& host_id), (override));
  MOCK_METHOD(bool, rejectedProtocol,
              (const std::string& host_id, int protocol_version, std::string_view platform),
              (override));
  MOCK_METHOD(Handle, onRemoved, (std::function<void(const std::string& host_id)> listener),
              (override));
};

}  // namespace svc::machines
