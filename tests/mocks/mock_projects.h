#pragma once

#include <gmock/gmock.h>

#include "svc/projects/projects.h"

namespace svc::projects {

class MockProjects : public IProjects {
 public:
  MockProjects();
  ~MockProjects() override;

  MOCK_METHOD(std::vector<Project>, list, (), (const, override));
  MOCK_METHOD(std::optional<Project>, find, (std::string_view project_id), (const, override));
  MOCK_METHOD(Handle, onRemoved, (std::function<void(const std::string& project_id)> listener),
              (override));
  MOCK_METHOD(Handle, useEnvironments, (EnvironmentPlaces places), (override));
};

}  // namespace svc::projects
