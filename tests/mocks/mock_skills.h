#pragma once

#include <gmock/gmock.h>

#include "svc/skills/skills.h"

namespace svc::skills {

class MockSkills : public ISkills {
 public:
  MockSkills();
  ~MockSkills() override;

  MOCK_METHOD(CataloguePtr, current, (), (const, override));
  MOCK_METHOD(void, read, (Place place, Completion<CataloguePtr> done), (override));
  MOCK_METHOD(void, place,
              (const std::string& project_id, const std::string& environment_id,
               Completion<Place> done),
              (override));
  MOCK_METHOD(void, content, (const Skill& skill, std::string path, Completion<std::string> done),
              (override));
  MOCK_METHOD(Handle, onChanged, (std::function<void()> listener), (override));
  MOCK_METHOD(Handle, useProjects, (IProjectFolders & folders), (override));
};

}  // namespace svc::skills
