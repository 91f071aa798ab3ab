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

TEST(Credentials, OfEarlierHostsAreKeptForTheRunsOfEarlierDefinitions) {
  const auto values_of_run = [](const Credentials& all, const char* host) {
    const Credentials& found = all.of_run(1, host);
    return found.host == host ? found.values : json::object();
  };
  const Credentials first{"https://one.example:443", {{"X-Key", "1"}}};
  Credentials second{
      "", {}, {{"https://one.example:443", {}}, {"https://two.example:443", {{"X-Key", "2"}}}}};
  second.keep_earlier(first);
  EXPECT_EQ(values_of_run(second, "https://one.example:443"), first.values);
  Credentials third{"https://two.example:443", {{"X-Key", "3"}}};
  third.keep_earlier(second);
  const Credentials read = Credentials::parse(third.text());
  EXPECT_EQ(read, third);
  EXPECT_EQ(values_of_run(read, "https://one.example:443"), first.values);
  EXPECT_EQ(values_of_run(read, "https://two.example:443"), (json::object{{"X-Key", "3"}}))
      << "the present values count";
  json::object definition = action("https://one.example/hook", {{"X-Key", credential_stars}});
  FieldErrors errors;
  EXPECT_TRUE(take_credentials(definition, read, errors).empty());
  EXPECT_EQ(errors.size(), 1U) << "stars of a new definition do not refer to them";

  Credentials last;
  for (int i = 0; i < 20; ++i) {
    Credentials next{"https://host" + std::to_string(i) + ":443", {{"X-Key", "k"}}};
    next.keep_earlier(last);
    last = std::move(next);
  }
  EXPECT_EQ(last.earlier.size(), 8U);
  EXPECT_EQ(last.earlier.front().host, "https://host18:443");
}

TEST(Credentials, OfAnEarlierHostOfSeveralStepsAreKeptUnlessTheyDiffer) {
  const std::string host = "https://one.example:443";
  const Credentials before{"",
                           {},
                           {{host, {{"X-Key", "1"}, {"X-Shop", "7"}}},
                            {host, {{"X-Key", "2"}, {"X-Shop", "7"}, {"X-Part", "9"}}},
                            {host, {{"X-Key", "1"}}}}};
  Credentials after;
  after.keep_earlier(before);
  ASSERT_EQ(after.earlier.size(), 1U);
  EXPECT_EQ(after.earlier[0].values, (json::object{{"X-Shop", "7"}, {"X-Part", "9"}}))
      << "no step has the key of another one";

  after = {};
  after.keep_earlier({"", {}, {{host, {{"X-Key", "1"}}}, {host, {{"X-Key", "2"}}}}});
  EXPECT_TRUE(after.empty());
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
