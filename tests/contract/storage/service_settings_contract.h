#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "svc/storage/service_settings.h"

namespace svc::storage {

/// What every IServiceSettings does. Rig offers `IServiceSettings& serviceSettings()`.
template <class Rig>
class ServiceSettingsContract : public ::testing::Test {
 protected:
  IServiceSettings& store() { return rig_.serviceSettings(); }

  Rig rig_;
};

TYPED_TEST_SUITE_P(ServiceSettingsContract);

TYPED_TEST_P(ServiceSettingsContract, HasNothingAtFirst) {
  EXPECT_EQ(this->store().get("a").value(), std::nullopt);
}

TYPED_TEST_P(ServiceSettingsContract, ReturnsWhatWasSetLast) {
  ASSERT_TRUE(this->store().set("a", "first").ok());
  ASSERT_TRUE(this->store().set("b", "other").ok());
  ASSERT_TRUE(this->store().set("a", "second").ok());
  EXPECT_EQ(this->store().get("a").value(), "second");
  EXPECT_EQ(this->store().get("b").value(), "other");
}

TYPED_TEST_P(ServiceSettingsContract, KeepsAnEmptyValue) {
  ASSERT_TRUE(this->store().set("a", "").ok());
  EXPECT_EQ(this->store().get("a").value(), "");
}

TYPED_TEST_P(ServiceSettingsContract, RefusesAnEmptyKey) {
  EXPECT_EQ(this->store().set("", "x").error().code, errc::kInvalidArgument);
}

REGISTER_TYPED_TEST_SUITE_P(ServiceSettingsContract, HasNothingAtFirst, ReturnsWhatWasSetLast,
                            KeepsAnEmptyValue, RefusesAnEmptyKey);

}  // namespace svc::storage
