#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"

#include "access_proof.h"

namespace svc::http {

/// `POST /api/v1/access/links` makes a link for a browser, `GET /api/v1/access/enter` is where it leads: it leaves the cookie and
/// goes on to the window. io thread.
class AccessRoutes {
 public:
  /// `address`: of the window, as people see it.
  AccessRoutes(std::shared_ptr<AccessProof> proof, const IClock& clock,
               std::function<std::string()> address)
      : proof_(std::move(proof)), clock_(clock), address_(std::move(address)) {}

  [[nodiscard]] Status attach(IHttpServer& server);

 private:
  void makeLink(const ExchangePtr& exchange);
  void enter(const ExchangePtr& exchange);

  const std::shared_ptr<AccessProof> proof_;
  const IClock& clock_;
  const std::function<std::string()> address_;
  std::vector<Handle> routes_;
};

}  // namespace svc::http
