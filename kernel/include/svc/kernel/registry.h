#pragma once

#include <map>
#include <string>
#include <utility>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc {

/// Interfaces by id: how modules find each other. Main thread only; modules touch it in start() and stop().
/// References are valid from the provider's start() until its stop().
class ServiceRegistry {
 public:
  /// Offers `service` as interface I. `provider` names the module in error texts. The registry does not own it.
  template <class I>
  [[nodiscard]] Status provide(I& service, std::string_view provider) {
    return add(I::kId, static_cast<void*>(&service), provider);
  }

  /// The provider of I, or an error that names the id and version.
  template <class I>
  [[nodiscard]] Result<I*> require() const {
    auto found = find(I::kId);
    if (!found) {
      return std::move(found).error();
    }
    return static_cast<I*>(found.value());
  }

  /// The provider of I, or nullptr.
  template <class I>
  [[nodiscard]] I* optional() const {
    auto found = find(I::kId);
    return found ? static_cast<I*>(found.value()) : nullptr;
  }

  /// When two modules offer `service`, only `provider`'s offer counts. Called by the kernel before any start().
  void select(std::string service, std::string provider);
  /// Withdraws every offer.
  void clear() { entries_.clear(); }

  /// Withdraws everything `provider` offered.
  void withdraw(std::string_view provider);

 private:
  struct Entry {
    std::uint32_t major = 0;
    void* service = nullptr;
    std::string provider;
  };

  [[nodiscard]] Status add(ServiceId service_id, void* service, std::string_view provider);
  [[nodiscard]] Result<void*> find(ServiceId service_id) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, std::string, std::less<>> selected_;
};

}  // namespace svc
