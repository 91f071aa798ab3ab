#include "api/workflows/definition/workflow_schemas.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "actions/action.hpp"

namespace waybill::api {
namespace {

bool contains(std::span<const std::string_view> texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// True if one of the objects that the value can be has this type.
bool has_type(const Schema& schema, std::string_view type) {
  return std::ranges::any_of(schema.variants, [&](const Schema* variant) {
    const Property* const property = variant->find("type");
    return property != nullptr && contains(property->values, type);
  });
}

TEST(WorkflowSchemas, HaveEveryActionThatWorkflowsCanHave) {
  for (const actions::Action* action : actions::all_actions()) {
    const std::string_view type = action->type();
    if (type == "nothing") continue;  // for a benchmark
    EXPECT_TRUE(contains(action_types, type)) << type;
    EXPECT_TRUE(contains(step_types, type)) << type;
    EXPECT_TRUE(has_type(action_schema, type)) << type;
    EXPECT_EQ(has_type(action_input_schema, type), !action->managed_only()) << type;
    EXPECT_EQ(has_type(*steps_input_schema.variants.front(), type), !action->managed_only()) << type;
    EXPECT_EQ(has_type(*steps_schema.variants.front(), type), !action->managed_only()) << type;
  }
}

}  // namespace
}  // namespace waybill::api
