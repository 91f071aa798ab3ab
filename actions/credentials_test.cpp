#include "actions/credentials.hpp"

#include <gtest/gtest.h>

namespace waybill::actions {
namespace {

json::object action(const char* url, json::object headers) {
  return {{"type", "webhook"}, {"recipient", url}, {"headers", std::move(headers)}};
}

TEST(Credentials, AllHeadersExceptThoseOfTheMessageBecomeStars) {
  json::object definition = action("https://example.com/hook", {{"Authorization", "Bearer a"},
                                                                {"X-API-Key", "b"},
                                                                {"x-auth-token", "c"},
                                                                {"X-Auth-Key", "d"},
                                                                {"Ocp-Apim-Subscription-Key", "f"},
                                                                {"content-type", "text/plain"},
                                                                {"User-Agent", "g"},
                                                                {"Accept", "e"}});
  FieldErrors errors;
  const Credentials taken = take_credentials(definition, {}, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(definition.at("headers"), json::value({{"Authorization", "********"},
                                                   {"X-API-Key", "********"},
                                                   {"x-auth-token", "********"},
                                                   {"X-Auth-Key", "********"},
                                                   {"Ocp-Apim-Subscription-Key", "********"},
                                                   {"content-type", "text/plain"},
                                                   {"User-Agent", "g"},
                                                   {"Accept", "e"}}));
  const Credentials read = Credentials::parse(taken.text());
  EXPECT_EQ(read.host, "https://example.com:443");
  EXPECT_EQ(read.values, taken.values);
  EXPECT_EQ(read.values.at("x-auth-token"), "c");
  EXPECT_THROW(Credentials::parse("{}"), std::invalid_argument);
}

TEST(Credentials, StarsReferToKeptValuesOfTheSameOriginOnly) {
  const Credentials kept{"https://example.com:443", {{"Authorization", "Bearer a"}}};
  const json::object stars{{"Authorization", credential_stars}};
  FieldErrors errors;
  json::object same = action("https://example.com/other", stars);
  EXPECT_EQ(take_credentials(same, kept, errors).values, kept.values);
  EXPECT_TRUE(errors.empty());
  for (const char* url :
       {"https://example.org/hook", "http://example.com/hook", "https://example.com:8443/hook"}) {
    json::object other = action(url, stars);
    errors.clear();
    EXPECT_TRUE(take_credentials(other, kept, errors).empty());
    ASSERT_EQ(errors.size(), 1U) << url;
    EXPECT_EQ(errors.front().field, "action.headers.Authorization");
  }
}

TEST(Credentials, AStoredDefinitionHasKeptAndPlainOnes) {
  const Credentials kept{"https://example.com:443", {{"Authorization", "Bearer a"}}};
  json::object stored =
      action("https://example.com/hook",
             {{"Authorization", credential_stars}, {"X-Shop", "42"}, {"X-Lost", credential_stars}});
  EXPECT_EQ(stored_credentials(stored, kept).values,
            (json::object{{"Authorization", "Bearer a"}, {"X-Shop", "42"}}));
  EXPECT_EQ(stored.at("headers").at("X-Shop"), json::value(credential_stars));
}

TEST(Credentials, AreSentToTheirOriginOnly) {
  const Credentials kept{"https://example.com:443", {{"Authorization", "Bearer a"}}};
  const json::object headers{{"Authorization", credential_stars},
                             {"Cookie", credential_stars},
                             {"Accept", "********"},
                             {"X-Plain", "b"}};
  const auto sent = [&](const char* url, const char* name, const Credentials* credentials) {
    const json::value* value = header_value(url, name, headers.at(name), credentials);
    return value == nullptr ? "left out" : std::string(value->as_string());
  };
  EXPECT_EQ(sent("https://example.com/hook", "Authorization", &kept), "Bearer a");
  EXPECT_EQ(sent("https://example.com/hook", "Cookie", &kept), "left out");
  EXPECT_EQ(sent("https://example.org/hook", "Authorization", &kept), "left out");
  EXPECT_EQ(sent("https://example.com/hook", "Authorization", nullptr), "left out");
  EXPECT_EQ(sent("https://example.com/hook", "Accept", nullptr), "********");
  EXPECT_EQ(sent("https://example.com/hook", "X-Plain", nullptr), "b")
      << "stored before values were encrypted";
}

TEST(Credentials, CredentialsOfStepsAreKeptByPositionOrElseByHost) {
  const auto hook = [](const char* url, const char* value) {
    return json::object{{"type", "webhook"}, {"recipient", url}, {"headers", {{"X-Key", value}}}};
  };
  json::object action{
      {"type", "steps"},
      {"steps", json::array{hook("https://a.example/1", "one"), hook("https://a.example/2", "two"),
                            json::object{{"type", "wait"}}}}};
  FieldErrors errors;
  const Credentials taken = take_credentials(action, {}, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(action.at("steps").at(1).at("headers").at("X-Key"), json::value(credential_stars));
  const Credentials read = Credentials::parse(taken.text());
  EXPECT_FALSE(read.empty());
  const std::string host = credential_host("https://a.example/");
  EXPECT_EQ(read.of_step(2, host).values.at("X-Key"), "two");
  EXPECT_EQ(read.of_step(3, host).values.at("X-Key"), "one") << "the step has moved";
  EXPECT_TRUE(read.of_step(1, credential_host("https://b.example/")).values.empty());

  json::object changed{{"type", "steps"}, {"steps", json::array{hook("https://b.example/", "********")}}};
  take_credentials(changed, read, errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "steps[0].headers.X-Key");
}

}  // namespace
}  // namespace waybill::actions
