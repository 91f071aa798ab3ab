#include "api/workflows/runs/run_steps.hpp"

#include <gtest/gtest.h>

#include "actions/action.hpp"

namespace waybill::api {
namespace {

TEST(RunSteps, HaveAPropertyForEachValueOfAnAction) {
  std::size_t checked = 0;
  for (const actions::Action* const action : actions::all_actions()) {
    for (const actions::StepValue& value : action->values({})) {
      const Property* const property = run_step_schema.find(value.path);
      ASSERT_NE(property, nullptr) << action->type() << " " << value.path;
      EXPECT_TRUE(property->optional) << value.path << ": steps of other actions lack it";
      EXPECT_EQ(property->kind == Kind::number, value.type == domain::FieldType::decimal) << value.path;
      ++checked;
    }
  }
  EXPECT_GT(checked, 10U);
}

}  // namespace
}  // namespace waybill::api
