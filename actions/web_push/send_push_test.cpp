#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"
#include "net/web_push/web_push.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Action& send_push() { return *find_action("send_push"); }

// Checks a definition where the stored templates are "push" and "product_push", and "mail" for mails.
Checked check(const json::object& definition) {
  using Found = std::optional<std::pair<std::string, domain::EntityType>>;
  const net::DestinationPolicy destinations;
  const CheckContext context{domain::EntityType::order, destinations, [](std::string_view code) -> Found {
                               if (code == "push") return std::pair("send_push", domain::EntityType::order);
                               if (code == "product_push")
                                 return std::pair("send_push", domain::EntityType::product);
                               if (code == "mail") return std::pair("send_email", domain::EntityType::order);
                               return std::nullopt;
                             }};
  Checked result;
  result.stored = send_push().check(definition, context, result.errors);
  return result;
}

Checked check_with(std::string_view key, json::value value) {
  json::object object = parse(R"({"type": "send_push", "title": "Order"})");
  object[key] = std::move(value);
  return check(object);
}

TEST(SendPushCheck, FillsInDefaults) {
  const Checked plain = check(parse(R"({"type": "send_push", "title": "Order {{orderNumber}}"})"));
  EXPECT_THAT(plain.errors, IsEmpty());
  EXPECT_EQ(plain.stored, parse(R"({"type": "send_push", "recipient": "all", "template": null,
      "title": "Order {{orderNumber}}", "body": null, "url": null, "ttl": 86400, "urgency": "normal"})"));
  EXPECT_THAT(check(plain.stored).errors, IsEmpty()) << "the stored form can be sent back";
}

TEST(SendPushCheck, RecipientIsAllOrAUser) {
  const std::string user = Guid::from_name(namespace_url, "u").to_string();
  EXPECT_EQ(check_with("recipient", json::value(user)).stored.at("recipient"), json::value(user));
  EXPECT_EQ(check_with("recipient", "").stored.at("recipient"), "all");
  for (const json::value& bad : {json::value("everybody"), json::value(1), json::value("ada@example.com"),
                                 json::value(json::array{"all"})}) {
    EXPECT_THAT(check_with("recipient", bad).fields(), ElementsAre("action.recipient")) << bad;
  }
}

TEST(SendPushCheck, TitleOrATemplateIsRequired) {
  EXPECT_THAT(check(parse(R"({"type": "send_push"})")).fields(), ElementsAre("action.title"));
  EXPECT_THAT(check(parse(R"({"type": "send_push", "title": ""})")).fields(), ElementsAre("action.title"));
  EXPECT_THAT(check(parse(R"({"type": "send_push", "template": "push"})")).errors, IsEmpty());
  for (const char* bad : {"unknown", "mail", "product_push"}) {
    EXPECT_THAT(check_with("template", bad).fields(), ElementsAre("action.template")) << bad;
  }
  EXPECT_THAT(check_with("template", 5).fields(), ElementsAre("action.template"));
}

TEST(SendPushCheck, TextsAreTemplatesWithinTheirLengths) {
  for (const char* field : {"title", "body", "url"}) {
    const std::string name = std::string("action.") + field;
    EXPECT_THAT(check_with(field, "{{#open}}").fields(), ElementsAre(name));
    EXPECT_THAT(check_with(field, 5).fields(), ElementsAre(name));
    EXPECT_THAT(check_with(field, "/{{orderNumber}}").errors, IsEmpty());
  }
  EXPECT_THAT(check_with("title", json::value(std::string(200, 'x'))).errors, IsEmpty());
  EXPECT_THAT(check_with("title", json::value(std::string(201, 'x'))).fields(), ElementsAre("action.title"));
  EXPECT_THAT(check_with("body", json::value(std::string(10'000, 'x'))).errors, IsEmpty());
  EXPECT_THAT(check_with("body", json::value(std::string(10'001, 'x'))).fields(), ElementsAre("action.body"));
  EXPECT_THAT(check_with("url", json::value("/" + std::string(1'999, 'x'))).errors, IsEmpty());
  EXPECT_THAT(check_with("url", json::value("/" + std::string(2'000, 'x'))).fields(),
              ElementsAre("action.url"));
}

TEST(SendPushCheck, UrlIsAnHttpUrlOrAPath) {
  for (const char* good :
       {"https://shop.example/orders/{{guid}}", "http://shop.example", "/orders", "{{url}}"}) {
    EXPECT_THAT(check_with("url", good).errors, IsEmpty()) << good;
  }
  for (const char* bad : {"javascript:alert(1)", "orders", "data:text/html,x"}) {
    EXPECT_THAT(check_with("url", bad).fields(), ElementsAre("action.url")) << bad;
  }
}

TEST(SendPushCheck, TtlAndUrgencyAreThoseOfTheStandard) {
  for (const json::value& good : {json::value(0), json::value(2'419'200), json::value(nullptr)}) {
    EXPECT_THAT(check_with("ttl", good).errors, IsEmpty()) << good;
  }
  for (const json::value& bad :
       {json::value(-1), json::value(2'419'201), json::value(1.5), json::value("60"), json::value(true)}) {
    EXPECT_THAT(check_with("ttl", bad).fields(), ElementsAre("action.ttl")) << bad;
  }
  for (const char* good : {"very-low", "low", "normal", "high"}) {
    EXPECT_THAT(check_with("urgency", good).errors, IsEmpty()) << good;
  }
  for (const json::value& bad :
       {json::value("urgent"), json::value("HIGH"), json::value(1), json::value("")}) {
    EXPECT_THAT(check_with("urgency", bad).fields(), ElementsAre("action.urgency")) << bad;
  }
}

TEST(SendPushCheck, ReportsAllBadFieldsAtOnce) {
  EXPECT_THAT(check(parse(R"({"type": "send_push", "recipient": 1, "ttl": -1, "urgency": 2, "url": "x",
                              "sound": "ping"})"))
                  .fields(),
              UnorderedElementsAre("action.recipient", "action.ttl", "action.urgency", "action.url",
                                   "action.sound", "action.title"));
}

struct Planned {
  explicit Planned(const json::object& action) : definition(check(action).stored) {}
  Plan plan() {
    return send_push().plan({.guid = Guid{},
                             .name = "news",
                             .business_id = Guid::from_name(namespace_url, "business"),
                             .business_name = "Shop",
                             .action = definition,
                             .templates = &templates},
                            {.entity = entity,
                             .previous = previous,
                             .entity_type = domain::EntityType::order,
                             .entity_id = Guid{},
                             .event_id = 7,
                             .at = Time{},
                             .trigger = "order_created"});
  }
  json::object definition;
  json::object entity = parse(R"({"orderNumber": "ORD-1", "notes": "<b> & \"x\""})");
  json::object previous;
  json::object templates;
};

TEST(SendPushPlan, RendersTextsWithoutEscapes) {
  Planned planned(parse(R"({"type": "send_push", "title": "{{orderNumber}} of {{business.name}}",
                            "body": "{{notes}} {{event.type}}", "url": "/orders/{{orderNumber}}"})"));
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.request.at("title"), "ORD-1 of Shop");
  EXPECT_EQ(plan.request.at("url"), "/orders/ORD-1");
  EXPECT_EQ(plan.request.at("subscriptions"), "all");
  EXPECT_EQ(plan.body, "<b> & \"x\" order_created");
  EXPECT_EQ(send_push().destination(plan.request, Guid::from_name(namespace_url, "business")),
            "push:" + Guid::from_name(namespace_url, "business").to_string());
}

TEST(SendPushPlan, AMessageBeyondTheSizeLimitIsRefused) {
  // The limit applies to the whole message, including the JSON around the texts.
  const auto fits = [](std::size_t size) {
    Planned planned(parse(R"({"type": "send_push", "title": "t", "body": "{{text}}"})"));
    planned.entity["text"] = std::string(size, 'x');
    try {
      planned.plan();
      return true;
    } catch (const std::length_error&) {
      return false;
    }
  };
  const std::string frame =
      R"({"title":"t","body":"","url":null,"tag":"12345678901234567890123456789012","data":{"type":"order_created",)"
      R"("entityType":"Order","entityId":"00000000-0000-0000-0000-000000000000"}})";
  const std::size_t most = net::max_push_message - frame.size();
  EXPECT_TRUE(fits(most));
  EXPECT_FALSE(fits(most + 1));
  EXPECT_FALSE(fits(100'000));
}

TEST(SendPushPlan, AMissingTitleIsAnError) {
  Planned planned(parse(R"({"type": "send_push", "template": "push"})"));
  EXPECT_THROW(planned.plan(), std::invalid_argument);
}

TEST(SendPushPlan, AcceptsOnlyLinksAndPathsAsUrl) {
  Planned planned(parse(R"({"type": "send_push", "title": "t", "url": "{{link}}"})"));
  for (const auto* const url : {"https://example.com/o", "http://example.com", "/orders/1"}) {
    planned.entity["link"] = url;
    EXPECT_EQ(planned.plan().request.at("url"), json::value(url));
  }
  for (const auto* const url : {"javascript:alert(1)", "data:text/html,x"}) {
    planned.entity["link"] = url;
    EXPECT_THROW(planned.plan(), std::invalid_argument) << url;
  }
}

TEST(SendPushPlan, TextsOfTheDefinitionReplaceThoseOfItsTemplate) {
  Planned planned(parse(R"({"type": "send_push", "template": "push", "url": "/own"})"));
  planned.templates = parse(R"({"push": {"title": "{{orderNumber}}", "body": "{{> more}}", "url": "/theirs"},
                "more": {"body": "More of {{notes}}"}})");
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.request.at("title"), "ORD-1");
  EXPECT_EQ(plan.body, "More of <b> & \"x\"");
  EXPECT_EQ(plan.request.at("url"), "/own");
}

TEST(SendPushUser, IsTheRecipientUnlessItIsAll) {
  const Guid user = Guid::from_name(namespace_url, "u");
  EXPECT_EQ(send_push().user(check_with("recipient", json::value(user.to_string())).stored), user);
  EXPECT_EQ(send_push().user(check_with("recipient", "all").stored), std::nullopt);
}

TEST(SendPushTemplates, IncludeItsTemplateAndThePartialsOfItsTexts) {
  EXPECT_THAT(send_push().templates(
                  check(parse(R"({"type": "send_push", "template": "push", "body": "{{> more}}"})")).stored),
              UnorderedElementsAre("push", "more"));
}

}  // namespace
}  // namespace waybill::actions
