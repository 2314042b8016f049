#pragma once

#include "outfit.h"

namespace svc::providers {

/// What the variables of an agent say.
[[nodiscard]] common::Json environmentOf(const SessionRequest& request);

class Outfitter final : public IOutfitter {
 public:
  void prepare(const SessionRequest& request, Completion<Outfit> done) override;
};

}  // namespace svc::providers
