#include <algorithm>
#include <thread>
#include <vector>

#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

using Names = std::set<std::string>;

class BusinessTest : public AccountTest {
 protected:
  static constexpr std::string_view my_business = "/api/business/my-business";
  static constexpr std::string_view defaults = "/api/business/default-configuration";
};

TEST_F(BusinessTest, AUserWithoutABusinessCreatesAndOwnsOne) {
  auto user = new_user();
  expect_refused(user.get(my_business), 403, "FORBIDDEN");
  const auto response = user.post("/api/business", {{"name", "Acme"},
                                                    {"email", "acme@example.com"},
                                                    {"phone", "+351 1"},
                                                    {"address", {{"street", "Rua 1"}, {"city", "Lisbon"}}}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(names_of(response.data()), (Names{"guid", "name"}));
  EXPECT_EQ(response.header("Location"), my_business);
  EXPECT_EQ(world.database.value("select registered_by_itself from businesses where guid = $1::uuid",
                                 {text_at(response.data(), "guid")}),
            "t");
  EXPECT_EQ(text_at(user.get("/api/user/me").data(), "role"), "owner");

  const auto business = user.get(my_business);
  ASSERT_EQ(business.status, 200) << business.text;
  EXPECT_EQ(names_of(business.data()),
            (Names{"guid", "name", "email", "phone", "address", "settings", "branding", "calendar"}));
  EXPECT_EQ(names_of(at(business.data(), "address")),
            (Names{"street", "city", "state", "postalCode", "country"}));
  EXPECT_EQ(at(business.data(), "settings"), json::value({{"timezone", "UTC"}, {"currency", "EUR"}}));
  EXPECT_EQ(at(business.data(), "guid"), at(response.data(), "guid"));
  expect_refused(user.post("/api/business", {{"name", "Second"}, {"email", "b@example.com"}}), 409,
                 "CONFLICT");
  EXPECT_EQ(user.get("/api/v1/Orders").status, 200);
}

TEST_F(BusinessTest, BrandingIsCheckedStoredAndCleared) {
  auto owner = new_owner();
  EXPECT_TRUE(at(owner.get(my_business).data(), "branding").is_null());
  const json::object branding{{"logoUrl", "https://shop.example/logo.png?v=1"},
                              {"color", "#1A73E8"},
                              {"senderName", "Zoë's \"Shop\", Lda."},
                              {"replyTo", "help@shop.example"}};
  ASSERT_EQ(owner.put("/api/business", {{"branding", branding}}).status, 200);
  auto stored = branding;
  stored["color"] = "#1a73e8";
  EXPECT_EQ(at(owner.get(my_business).data(), "branding"), json::value(stored));
  ASSERT_EQ(owner.put("/api/business", {{"branding", {{"color", nullptr}}}}).status, 200);
  EXPECT_EQ(text_at(owner.get(my_business).data(), "branding.replyTo"), "help@shop.example") << "others stay";

  for (const auto* const url :
       {"http://shop.example/a.png", "https://", "https://a b/c", "https://a.example/\"x",
        "https://user:pw@a.example/", "javascript:alert(1)", "https://a.example/'x"}) {
    expect_invalid(owner.put("/api/business", {{"branding", {{"logoUrl", url}}}}), {"branding.logoUrl"});
  }
  for (const auto* const color : {"red", "#12345", "#1234567", "#12345g", ""})
    expect_invalid(owner.put("/api/business", {{"branding", {{"color", color}}}}), {"branding.color"});
  for (const auto& name :
       {std::string("Shop\r\nBcc: eve@example.com"), std::string("a\tb"), std::string(201, 'n')})
    expect_invalid(owner.put("/api/business", {{"branding", {{"senderName", name}}}}),
                   {"branding.senderName"});
  expect_invalid(
      owner.put("/api/business", {{"branding", {{"replyTo", "a@example.com\r\nBcc: x@y.example"}}}}),
      {"branding.replyTo"});

  ASSERT_EQ(owner.put("/api/business", {{"branding", nullptr}}).status, 200);
  EXPECT_TRUE(at(owner.get(my_business).data(), "branding").is_null());
}

TEST_F(BusinessTest, TheCalendarIsCheckedStoredAndMerged) {
  auto owner = new_owner();
  const json::array weekdays{"mon", "tue", "wed", "thu", "fri"};
  const auto calendar = [&] { return at(owner.get(my_business).data(), "calendar"); };
  const auto change = [&](const json::object& changes) {
    return owner.put("/api/business", {{"calendar", changes}});
  };
  EXPECT_EQ(calendar(), json::value({{"workdays", weekdays}, {"holidays", json::array()}}));
  ASSERT_EQ(change({{"workdays", {"sat", "mon"}}, {"holidays", {"2026-12-25", "2026-01-01"}}}).status, 200);
  const json::array holidays{"2026-01-01", "2026-12-25"};
  EXPECT_EQ(calendar(), json::value({{"workdays", {"mon", "sat"}}, {"holidays", holidays}})) << "in order";
  ASSERT_EQ(change({{"workdays", {"sun"}}}).status, 200);
  ASSERT_EQ(owner.put("/api/business", {{"phone", "+351 2"}}).status, 200);
  EXPECT_EQ(calendar(), json::value({{"workdays", {"sun"}}, {"holidays", holidays}})) << "others stay";

  expect_invalid(change({{"workdays", json::array()}}), {"calendar.workdays"});
  expect_invalid(change({{"workdays", {"mon", "monday"}}}), {"calendar.workdays[1]"});
  expect_invalid(change({{"workdays", {"mon", "tue", "mon"}}}), {"calendar.workdays[2]"});
  expect_invalid(change({{"workdays", "mon"}}), {"calendar.workdays"});
  expect_invalid(change({{"workdays", {1}}}), {"calendar.workdays[0]"});
  expect_invalid(change({{"workdays", nullptr}}), {"calendar.workdays"});
  expect_invalid(change({{"holidays", {"2026-02-30"}}}), {"calendar.holidays[0]"});
  expect_invalid(change({{"holidays", {"2026-01-01", "2026-1-2"}}}), {"calendar.holidays[1]"});
  expect_invalid(change({{"holidays", {"2026-01-01", "2026-01-01"}}}), {"calendar.holidays[1]"});
  expect_invalid(change({{"holidays", "2026-01-01"}}), {"calendar.holidays"});
  expect_invalid(change({{"days", json::array()}}), {"calendar.days"});
  expect_invalid(owner.put("/api/business", {{"calendar", nullptr}}), {"calendar"});
  json::array dates;
  for (int i = 0; i < 367; ++i)
    dates.emplace_back(format_timestamp(Time() + std::chrono::days(20'000 + i)).substr(0, 10));
  expect_invalid(change({{"holidays", dates}}), {"calendar.holidays"});
  dates.pop_back();
  ASSERT_EQ(change({{"holidays", dates}}).status, 200) << "366 are allowed";

  const auto entries = owner.get("/api/business/audit?PageSize=1");
  ASSERT_EQ(entries.status, 200) << entries.text;
  EXPECT_NE(entries.text.find("calendar.holidays"), std::string::npos) << entries.text;
}

TEST_F(BusinessTest, IsMadeWithACalendar) {
  auto user = new_user();
  const json::object business{
      {"name", "Acme"},
      {"email", "acme@example.com"},
      {"calendar", {{"workdays", {"sat"}}, {"holidays", {"2026-12-26", "2026-01-03"}}}}};
  const auto made = user.post("/api/business", business);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(at(user.get(my_business).data(), "calendar"),
            json::value({{"workdays", {"sat"}}, {"holidays", {"2026-01-03", "2026-12-26"}}}));
}

TEST_F(BusinessTest, AUserCreatesOnlyOneBusiness) {
  const auto email = fresh_address();
  make_account(email);
  std::vector<int> statuses(4);
  std::vector<std::thread> threads;
  for (auto& status : statuses) {
    threads.emplace_back([&, user = session(email)]() mutable {
      status = user.post("/api/business", {{"name", "Race"}, {"email", "race@example.com"}}).status;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(statuses, 201), 1);
  EXPECT_EQ(std::ranges::count(statuses, 409), 3);
  EXPECT_EQ(world.database.number("select count(*) from businesses where name = 'Race'"), 1);
}

TEST_F(BusinessTest, AnIdempotentRequestCreatesItOnce) {
  auto user = new_user();
  const json::object body{{"name", "Once"}, {"email", "once@example.com"}};
  const auto first = user.post("/api/business", body, {{"Idempotency-Key", "one"}});
  ASSERT_EQ(first.status, 201) << first.text;
  const auto again = user.post("/api/business", body, {{"Idempotency-Key", "one"}});
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
}

TEST_F(BusinessTest, ATokenOfABusinessCreatesNoOtherBusiness) {
  auto token = world.waybill.business("makes no other");
  expect_refused(token.post("/api/business", {{"name", "X"}, {"email", "x@example.com"}}), 409, "CONFLICT");
  auto owner = new_owner();
  auto viewer = new_member(owner, "viewer");
  expect_refused(viewer.post("/api/business", {{"name", "X"}, {"email", "x@example.com"}}), 403, "FORBIDDEN");
}

TEST_F(BusinessTest, PostReportsAllBadFieldsAtOnce) {
  auto user = new_user();
  expect_invalid(user.post("/api/business", json::object{}), {"name", "email"});
  expect_invalid(
      user.post("/api/business", {{"name", " "},
                                  {"email", "acme"},
                                  {"phone", 1},
                                  {"address", {{"planet", "Earth"}}},
                                  {"settings", {{"timezone", "Mars/Olympus"}, {"currency", "XXX"}}}}),
      {"name", "email", "phone", "address.planet", "settings.timezone", "settings.currency"});
}

TEST_F(BusinessTest, PutMergesAndReturnsNoData) {
  auto owner = new_owner();
  const auto response =
      owner.put("/api/business", {{"phone", "1"},
                                  {"address", {{"street", "Rua 1"}, {"city", "Lisbon"}}},
                                  {"settings", {{"timezone", "Europe/Lisbon"}, {"currency", "USD"}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.text, R"({"success":true})");
  EXPECT_EQ(owner.put("/api/business", {{"address", {{"city", "Porto"}}}, {"phone", nullptr}}).status, 200);
  auto business = owner.get(my_business).data();
  EXPECT_EQ(text_at(business, "name"), "Acme");
  EXPECT_EQ(text_at(business, "address.street"), "Rua 1");
  EXPECT_EQ(text_at(business, "address.city"), "Porto");
  EXPECT_TRUE(at(business, "phone").is_null());
  EXPECT_EQ(text_at(business, "settings.timezone"), "Europe/Lisbon");
  EXPECT_EQ(text_at(business, "settings.currency"), "USD");
  EXPECT_EQ(owner.put("/api/business", business).status, 200) << "a GET response can be PUT back";
  EXPECT_EQ(owner.get(my_business).data(), business);
  EXPECT_EQ(owner.put("/api/business", {{"address", nullptr}}).status, 200);
  EXPECT_TRUE(at(owner.get(my_business).data(), "address").is_null());
}

TEST_F(BusinessTest, PutReportsAllBadFieldsAtOnce) {
  auto owner = new_owner();
  expect_invalid(owner.put("/api/business",
                           {{"name", ""},
                            {"email", "nobody"},
                            {"settings", {{"timezone", "CEST"}, {"currency", "eur"}, {"color", "red"}}}}),
                 {"name", "email", "settings.timezone", "settings.currency", "settings.color"});
  expect_invalid(owner.put("/api/business", {{"settings", nullptr}}), {"settings"});
  expect_invalid(owner.put("/api/business", {{"email", nullptr}}), {"email"});
  expect_invalid(owner.put("/api/business", {{"guid", "x"}}), {"guid"});
}

TEST_F(BusinessTest, PutDoesNotChangeAnotherBusiness) {
  auto owner = new_owner();
  auto other_business = new_owner();
  const auto other = text_at(other_business.get(my_business).data(), "guid");
  expect_refused(owner.put("/api/business", {{"guid", other}, {"name", "Mine"}}), 404, "NOT_FOUND");
  EXPECT_EQ(text_at(other_business.get(my_business).data(), "name"), "Acme");
  const auto own = text_at(owner.get(my_business).data(), "guid");
  EXPECT_EQ(owner.put("/api/business", {{"guid", own}, {"name", "Mine"}}).status, 200);
  EXPECT_EQ(text_at(owner.get(my_business).data(), "name"), "Mine");
}

TEST_F(BusinessTest, TheSoftCheckReturnsTrueOrFalse) {
  const auto email = fresh_address();
  auto user = new_user(email);
  const auto check = [&](std::string_view address) {
    return user.get("/api/business/soft-check?emailAddress=" + url_encode(address));
  };
  EXPECT_EQ(check("soft@example.com").text, "false");
  EXPECT_EQ(check(email).text, "false") << "a user without a business";
  EXPECT_EQ(user.post("/api/business", {{"name", "Soft"}, {"email", "soft@example.com"}}).status, 201);
  EXPECT_EQ(check("soft@example.com").text, "true");
  EXPECT_EQ(check("SOFT@example.com").text, "true");
  EXPECT_EQ(check(email).text, "true");
  expect_invalid(check("soft"), {"emailAddress"});
  expect_invalid(user.get("/api/business/soft-check"), {"emailAddress"});
  expect_refused(http.get("/api/business/soft-check?emailAddress=a@example.com"), 401, "UNAUTHORIZED");
}

TEST_F(BusinessTest, HasADefaultConfigurationFromTheStart) {
  auto owner = new_owner();
  const auto response = owner.get(defaults);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(names_of(response.data()),
            (Names{"defaultCarrier", "defaultServiceLevel", "defaultDimensions", "notifications"}));
  EXPECT_TRUE(at(response.data(), "defaultCarrier").is_null());
  EXPECT_EQ(text_at(response.data(), "defaultServiceLevel"), "standard");
  EXPECT_EQ(names_of(at(response.data(), "defaultDimensions")), (Names{"length", "width", "height", "unit"}));
  EXPECT_EQ(at(response.data(), "notifications"),
            json::value({{"emailEnabled", true}, {"pushEnabled", true}}));
  EXPECT_EQ(owner.put(defaults, response.data()).data(), response.data()) << "a GET response can be PUT back";
}

TEST_F(BusinessTest, PutMergesTheDefaultConfiguration) {
  auto owner = new_owner();
  const auto carrier = text_at(owner.get("/api/carriers").data(), "0.guid");
  auto response = owner.put(defaults, {{"defaultCarrier", carrier},
                                       {"defaultServiceLevel", "express"},
                                       {"defaultDimensions", {{"length", 12.5}, {"unit", "in"}}},
                                       {"notifications", {{"pushEnabled", false}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(text_at(response.data(), "defaultCarrier"), carrier);
  EXPECT_EQ(at(response.data(), "defaultDimensions.length"), 12.5);
  EXPECT_EQ(at(response.data(), "defaultDimensions.width"), 20);
  EXPECT_EQ(at(response.data(), "notifications"),
            json::value({{"emailEnabled", true}, {"pushEnabled", false}}));
  response = owner.put(defaults, {{"defaultCarrier", nullptr}});
  EXPECT_TRUE(at(response.data(), "defaultCarrier").is_null());
  EXPECT_EQ(text_at(response.data(), "defaultServiceLevel"), "express");
  EXPECT_EQ(owner.get(defaults).data(), response.data());
}

TEST_F(BusinessTest, NullClearsADefault) {
  auto owner = new_owner();
  const auto unset = owner.get(defaults).data();
  ASSERT_EQ(owner
                .put(defaults, {{"defaultServiceLevel", "express"},
                                {"defaultDimensions", {{"length", 12.5}, {"unit", "in"}}}})
                .status,
            200);
  const auto cleared =
      owner.put(defaults, {{"defaultServiceLevel", nullptr}, {"defaultDimensions", nullptr}});
  ASSERT_EQ(cleared.status, 200) << cleared.text;
  EXPECT_EQ(cleared.data(), unset);
  expect_invalid(
      owner.put(defaults, {{"defaultDimensions", {{"length", nullptr}}}, {"notifications", nullptr}}),
      {"defaultDimensions.length", "notifications"});
}

TEST_F(BusinessTest, TheDefaultConfigurationRefusesUnknownReferences) {
  auto owner = new_owner();
  expect_refused(owner.put(defaults, {{"defaultCarrier", unknown_guid}}), 404, "NOT_FOUND");
  expect_invalid(owner.put(defaults, {{"defaultServiceLevel", "teleport"}}), {"defaultServiceLevel"});
  expect_invalid(owner.put(defaults, {{"defaultCarrier", "x"},
                                      {"defaultServiceLevel", 1},
                                      {"defaultDimensions", {{"length", -1}, {"unit", "ell"}, {"depth", 1}}},
                                      {"notifications", {{"emailEnabled", "yes"}}}}),
                 {"defaultCarrier", "defaultServiceLevel", "defaultDimensions.length",
                  "defaultDimensions.unit", "defaultDimensions.depth", "notifications.emailEnabled"});
}

TEST_F(BusinessTest, ABusinessFromTheCommandLineCanBePutBack) {
  auto token = world.waybill.business("can be put back");
  const auto business = token.get("/api/business/my-business").data();
  ASSERT_TRUE(business.at("email").is_null());
  const auto response = token.put("/api/business", business);
  EXPECT_EQ(response.status, 200) << response.text;
}

}  // namespace
}  // namespace waybill::tests
