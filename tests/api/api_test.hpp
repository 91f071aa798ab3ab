#pragma once

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/shared.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {

/// Tests that share one waybill; each has its own business, named after the test.
class ApiTest : public testing::Test {
 protected:
  static std::string test_name() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
  }

  /// Another business, which must not see the data of the first.
  Tenant& other_business() {
    if (!other_business_)
      other_business_ = std::make_unique<Tenant>(world.waybill, test_name() + ", another business");
    return *other_business_;
  }

  /// The strings at `path` of each entry of the response's list.
  static std::vector<std::string> texts(const Response& list, std::string_view path) {
    std::vector<std::string> found;
    for (const auto& entry : list.data().as_array()) found.push_back(text_at(entry, path));
    return found;
  }

  static std::set<std::string> names_of(const json::value& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
    return names;
  }

  static void expect_refused(const Response& response, int status, std::string_view code) {
    EXPECT_EQ(response.status, status) << response.text;
    EXPECT_EQ(response.error_code(), code) << response.text;
  }

  /// Expects 400 with exactly these fields in `details`.
  static void expect_invalid(const Response& response, const std::vector<std::string>& fields) {
    expect_refused(response, 400, "VALIDATION_ERROR");
    const auto details = response.details();
    EXPECT_EQ(details.size(), fields.size()) << response.text;
    for (const auto& field : fields) EXPECT_TRUE(details.contains(field)) << field << " in " << response.text;
  }

  std::int64_t events_of(std::string_view entity) {
    return tenant.sql.number("select count(*) from events where business_id = $1 and entity_id = $2",
                             {tenant.id, std::string(entity)});
  }

  World& world = shared<World>();
  Tenant tenant{world.waybill, test_name()};
  Http& http = tenant.http;

 private:
  std::unique_ptr<Tenant> other_business_;
};

/// The required fields of an order; `fields` replaces or adds fields.
json::object order_body(const json::object& fields = {});

inline constexpr std::string_view unknown_guid = "00000000-0000-4000-8000-00000000dead";

}  // namespace waybill::tests
