#include "domain/workflows/pacing.hpp"

#include <set>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;

const RecordType& order_type() { return record_type(EntityType::order); }
const Guid workflow = Guid::parse("11111111-1111-4111-8111-111111111111").value();
const Guid other_workflow = Guid::parse("22222222-2222-4222-8222-222222222222").value();

template <typename Parse>
std::set<std::string> refused(Parse parse) {
  FieldErrors errors;
  parse(errors);
  std::set<std::string> fields;
  for (const FieldError& error : errors) fields.insert(error.field);
  return fields;
}
std::set<std::string> refused_window(std::string_view text) {
  return refused([&](FieldErrors& errors) { parse_window(json::parse(text), errors); });
}
std::set<std::string> refused_limit(std::string_view text) {
  return refused([&](FieldErrors& errors) { parse_limit(json::parse(text), order_type(), errors); });
}
std::set<std::string> refused_rate(std::string_view text) {
  return refused([&](FieldErrors& errors) { parse_rate(json::parse(text), errors); });
}

using Fields = std::set<std::string>;

TEST(TimeWindow, ErrorsNameTheBadMember) {
  EXPECT_EQ(refused_window(R"({"days": ["mon", "sun"], "from": "09:00", "to": "18:00"})"), Fields{});
  EXPECT_EQ(
      refused_window(R"({"days": ["mon"], "from": "22:00", "to": "06:00", "timezone": "Asia/Kolkata"})"),
      Fields{});
  EXPECT_EQ(refused_window("7"), Fields{"window"});
  EXPECT_EQ(refused_window("{}"), (Fields{"window.days", "window.from", "window.to"}));
  EXPECT_EQ(refused_window(R"({"days": [], "from": "9:00", "to": "24:00"})"),
            (Fields{"window.days", "window.from", "window.to"}));
  EXPECT_EQ(refused_window(R"({"days": ["Mon", "tue", "tue", 3], "from": "09:00", "to": "18:00"})"),
            (Fields{"window.days[0]", "window.days[2]", "window.days[3]"}));
  EXPECT_EQ(refused_window(R"({"days": "mon", "from": "09:00", "to": "09:00", "until": 1})"),
            (Fields{"window.days", "window.to", "window.until"}));
  EXPECT_EQ(refused_window(R"({"days": ["mon"], "from": "09:00", "to": "18:00", "timezone": "CEST"})"),
            Fields{"window.timezone"});
  EXPECT_EQ(refused_window(R"({"days": ["mon"], "from": "09:00", "to": "18:00", "timezone": 1})"),
            Fields{"window.timezone"});
  EXPECT_EQ(refused_window(R"({"days": ["mon"], "from": "09:00", "to": "18:00", "workdays": "yes"})"),
            Fields{"window.workdays"});
}

TEST(TimeWindow, IsStoredWithItsDaysInOrder) {
  FieldErrors errors;
  const auto window = parse_window(
      json::parse(R"({"days": ["sun", "mon"], "from": "22:00", "to": "06:00", "timezone": null})"), errors);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->days, (std::vector<int>{1, 7}));
  EXPECT_EQ(json::value(window->stored()),
            json::parse(R"({"days": ["mon", "sun"], "from": "22:00", "to": "06:00", "timezone": null})"));
  EXPECT_EQ(parse_window(window->stored(), errors), window);
  const auto on_workdays = parse_window(
      json::parse(R"({"days": ["mon"], "from": "22:00", "to": "06:00", "workdays": true})"), errors);
  ASSERT_TRUE(on_workdays);
  EXPECT_EQ(on_workdays->stored().at("workdays"), true);
  EXPECT_EQ(parse_window(on_workdays->stored(), errors), on_workdays);
  EXPECT_EQ(parse_window(nullptr, errors), std::nullopt);
}

TEST(TimeWindow, ComputesItsLongestClosedTime) {
  const auto longest = [](std::vector<int> days, const char* from, const char* to) {
    return TimeWindow{.days = std::move(days), .from = from, .to = to, .zone = {}}.longest_closed();
  };
  EXPECT_EQ(longest({1, 2, 3, 4, 5}, "09:00", "18:00"), 63h) << "from Friday evening to Monday morning";
  EXPECT_EQ(longest({1}, "09:00", "09:01"), 7 * 24h - 1min);
  EXPECT_EQ(longest({1, 2, 3, 4, 5, 6, 7}, "22:00", "06:00"), 16h);
  EXPECT_EQ(longest({1, 2, 3, 4, 5, 6, 7}, "00:01", "00:00"), 1min);
}

TEST(RunLimit, ErrorsNameTheBadMember) {
  EXPECT_EQ(refused_limit(R"({"by": "customer.email", "count": 1, "per": "P1D"})"), Fields{});
  EXPECT_EQ(refused_limit(R"({"by": "metadata.erp.id", "count": 10000, "per": "P366D"})"), Fields{});
  EXPECT_EQ(refused_limit("[]"), Fields{"limit"});
  EXPECT_EQ(refused_limit("{}"), (Fields{"limit.by", "limit.count", "limit.per"}));
  for (const char* const path :
       {"colour", "items.sku", "tags", "customer", "previous.status", "metadata", ""}) {
    EXPECT_EQ(refused_limit(R"({"by": ")" + std::string(path) + R"(", "count": 1, "per": "P1D"})"),
              Fields{"limit.by"})
        << path;
  }
  for (const char* const count : {"0", "10001", "1.5", "\"1\"", "-1"})
    EXPECT_EQ(refused_limit(R"({"by": "status", "per": "P1D", "count": )" + std::string(count) + "}"),
              Fields{"limit.count"})
        << count;
  for (const char* const per : {"\"PT0.5S\"", "\"P1M\"", "\"P367D\"", "\"1d\"", "60"})
    EXPECT_EQ(refused_limit(R"({"by": "status", "count": 1, "per": )" + std::string(per) + "}"),
              Fields{"limit.per"})
        << per;
  EXPECT_EQ(refused_limit(R"({"by": "status", "count": 1, "per": "P1D", "max": 3})"), Fields{"limit.max"});
}

TEST(RunLimit, CountsByValueWorkflowAndPathWithoutKeepingTheValue) {
  const RunLimit by_email{.by = "customer.email", .count = 1, .per = 1h};
  const RunLimit by_name{.by = "customer.name", .count = 1, .per = 1h};
  const auto entity = [](const char* email) {
    return json::object{{"customer", {{"email", email}, {"name", email}}}};
  };
  const std::string value = by_email.value_of(entity("ada@example.com"), workflow);
  EXPECT_EQ(value.size(), 16U);
  EXPECT_EQ(value.find("ada"), std::string::npos);
  EXPECT_EQ(by_email.value_of(entity("ada@example.com"), workflow), value);
  EXPECT_NE(by_email.value_of(entity("bob@example.com"), workflow), value);
  EXPECT_NE(by_email.value_of(entity("ada@example.com"), other_workflow), value);
  EXPECT_NE(by_name.value_of(entity("ada@example.com"), workflow), value);
}

TEST(RunLimit, KeysOfMetadataMayHaveDots) {
  const RunLimit limit{.by = "metadata.erp.id", .count = 1, .per = 1h};
  const json::object entity{{"metadata", {{"erp.id", 7}}}};
  EXPECT_FALSE(limit.value_of(entity, workflow).empty());
}

TEST(RunLimit, ARecordWithoutTheValueIsNotCounted) {
  const RunLimit limit{.by = "customer.email", .count = 1, .per = 1h};
  for (const char* const text :
       {"{}", R"({"customer": null})", R"({"customer": {}})", R"({"customer": {"email": null}})"})
    EXPECT_EQ(limit.value_of(json::parse(text).as_object(), workflow), "") << text;
}

TEST(RequestRate, IsBetweenOneInAHundredSecondsAndAThousandInOne) {
  for (const char* const rate : {"0.01", "0.5", "1", "1000"})
    EXPECT_EQ(refused_rate(R"({"perSecond": )" + std::string(rate) + "}"), Fields{}) << rate;
  for (const char* const rate : {"0", "0.009", "-1", "1000.1", "\"5\"", "true"})
    EXPECT_EQ(refused_rate(R"({"perSecond": )" + std::string(rate) + "}"), Fields{"rate.perSecond"}) << rate;
  EXPECT_EQ(refused_rate("{}"), Fields{"rate.perSecond"});
  EXPECT_EQ(refused_rate("5"), Fields{"rate"});
  EXPECT_EQ(refused_rate(R"({"perSecond": 5, "perMinute": 1})"), Fields{"rate.perMinute"});
}

TEST(RequestRate, AllowsTheRequestsOfOneSecondAtOnceAndAtLeastOne) {
  EXPECT_EQ(RequestRate{.per_second = 5}.burst(), 5);
  EXPECT_EQ(RequestRate{.per_second = 2.5}.burst(), 2.5);
  EXPECT_EQ(RequestRate{.per_second = 0.5}.burst(), 1);
}

TEST(RequestRate, GivesAWorkflowADestinationOfItsOwnThatEndsWithTheBusiness) {
  const Guid business = other_workflow;
  const std::string own = workflow.to_string() + "/" + business.to_string();
  const std::string with =
      destination_with_rate("shop.example:443/" + business.to_string(), workflow, business);
  EXPECT_EQ(with, "shop.example:443/" + own);
  EXPECT_EQ(destination_with_rate(with, workflow, business), with);
  EXPECT_EQ(destination_with_rate("", workflow, business), own);
}

}  // namespace
}  // namespace waybill::domain
