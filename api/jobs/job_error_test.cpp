#include "api/jobs/job_error.hpp"

#include <gtest/gtest.h>

#include "api/gate/errors.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

constexpr Property properties[] = {{.name = "from", .kind = Kind::date_or_timestamp}};
constexpr Schema schema{"X", properties};
constexpr Endpoint endpoint{.method = Method::post,
                            .path = "/x",
                            .permission = Permission::operate,
                            .handler = nullptr,
                            .body = &schema};

json::value error_of(const Failure& failure) {
  return json::parse(job_error(error_answer(failure).body, &endpoint));
}

TEST(JobError, ARefusalKeepsItsCodeAndMessage) {
  EXPECT_EQ(
      error_of(not_found("customer")),
      json::value({{"code", "NOT_FOUND"}, {"message", "There is no such customer."}, {"details", nullptr}}));
}

TEST(JobError, LinesAndDeclaredNamesStayInTheDetails) {
  const auto error = error_of(invalid({{"line 3", "name is required"}, {"from", "is too early"}}));
  EXPECT_EQ(error.at("details"), json::value({{"line 3", "name is required"}, {"from", "is too early"}}));
}

TEST(JobError, TextsOfTheCallerAreLeftOut) {
  const auto error = error_of(invalid({{"ada@example.com", "unknown field"},
                                       {"line Ada", "is bad"},
                                       {"line 1", "the header has an unknown column \"ada@example.com\""}}));
  EXPECT_EQ(error.at("details"), json::value({{"line 1", "is not valid"}}));
}

}  // namespace
}  // namespace waybill::api
