#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/plugins/secret_mask.h"

namespace svc::plugins {

/// Thread-safe. Masking costs one pass per secret, and nothing while there is none.
class SecretMask final : public ISecretMask {
 public:
  [[nodiscard]] Handle add(const std::string& secret) override;
  [[nodiscard]] std::string apply(std::string text) const override;
  [[nodiscard]] std::string applyJson(std::string json) const override;

  /// The texts one secret is looked for as: itself, as it stands inside JSON, and its longer lines, because output
  /// arrives line by line.
  [[nodiscard]] static std::vector<std::string> spellings(const std::string& secret);

 private:
  using Needles = std::vector<std::string>;
  /// Handles may outlive the mask.
  struct State {
    std::mutex mutex;
    std::map<std::string, std::size_t> uses;
    /// The keys of `uses`, longest first: what contains another one goes as a whole.
    std::shared_ptr<const Needles> needles = std::make_shared<const Needles>();

    void change(const Needles& spellings, bool add);
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace svc::plugins
