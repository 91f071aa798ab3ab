#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"
#include "net/http/webhook_signature.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Action& webhook() { return *find_action("webhook"); }

// Checks a definition where the stored templates are "hook" and "product_hook" for webhooks and "mail" for
// mails.
Checked check(const json::object& definition) {
  using Found = std::optional<std::pair<std::string, domain::EntityType>>;
  const net::DestinationPolicy destinations;
  const CheckContext context{domain::EntityType::order, destinations, [](std::string_view code) -> Found {
                               if (code == "hook") return std::pair("webhook", domain::EntityType::order);
                               if (code == "product_hook")
                                 return std::pair("webhook", domain::EntityType::product);
                               if (code == "mail") return std::pair("send_email", domain::EntityType::order);
                               return std::nullopt;
                             }};
  Checked result;
  result.stored = webhook().check(definition, context, result.errors);
  return result;
}

json::object definition(std::string_view key, json::value value) {
  json::object object = parse(R"({"type": "webhook", "recipient": "https://example.com/hook"})");
  object[key] = std::move(value);
  return object;
}

TEST(Registry, FindsActionsByType) {
  EXPECT_EQ(webhook().type(), "webhook");
  EXPECT_TRUE(webhook().has_secret());
  EXPECT_EQ(find_action("Webhook"), nullptr);
  EXPECT_EQ(find_action(""), nullptr);
}

TEST(WebhookCheck, FillsInDefaultsAndLeavesOutTheSecret) {
  const Checked plain = check(parse(R"({"type": "webhook", "recipient": "https://example.com/hook"})"));
  EXPECT_THAT(plain.errors, IsEmpty());
  EXPECT_EQ(plain.stored,
            parse(R"({"type": "webhook", "recipient": "https://example.com/hook", "method": "POST",
                      "contentType": "application/json", "template": null, "headers": {}})"));
  const Checked full = check(parse(R"j({"type": "webhook", "recipient": "https://example.com/hook",
      "template": "{\"n\":\"{{orderNumber}}\"}", "headers": {"X-Key": "k", "content-type": "text/plain"},
      "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})j"));
  EXPECT_THAT(full.errors, IsEmpty());
  EXPECT_FALSE(full.stored.contains("secret"));
  EXPECT_EQ(full.stored.at("headers"), parse(R"({"X-Key": "k", "content-type": "text/plain"})"));
  EXPECT_THAT(check(full.stored).errors, IsEmpty()) << "the stored form can be sent back";
}

TEST(WebhookCheck, RecipientIsAnAllowedUrl) {
  EXPECT_THAT(check(parse(R"({"type": "webhook"})")).fields(), ElementsAre("action.recipient"));
  for (const json::value& bad :
       {json::value(nullptr), json::value(5), json::value(""), json::value("mail@example.com"),
        json::value("ftp://example.com/"), json::value("http://127.0.0.1/"),
        json::value("http://user:pw@example.com/"), json::value("https://example.com:22/")}) {
    EXPECT_THAT(check(definition("recipient", bad)).fields(), ElementsAre("action.recipient")) << bad;
  }
}

TEST(WebhookCheck, TheUrlMayHaveEscapedMustacheInPathAndQuery) {
  for (const char* const good :
       {"https://example.com/{{guid}}", "https://example.com/a/{{customer.name}}/b?n={{orderNumber}}",
        "https://example.com?q={{orderNumber}}", "https://example.com/{{#items}}{{sku}}-{{/items}}"}) {
    EXPECT_THAT(check(definition("recipient", good)).errors, IsEmpty()) << good;
  }
  for (const char* const bad :
       {"{{url}}", "{{scheme}}://example.com/", "https://{{host}}/", "https://example.com{{path}}",
        "https://example.com:{{port}}/", "https://example.com/{{{guid}}}", "https://example.com/{{&guid}}",
        "https://example.com/{{> part}}", "https://example.com/{{open", "https://example.com/#{{guid}}",
        "https://example.com/a b/{{guid}}", "https://example.com\\{{guid}}", "http://127.0.0.1/{{guid}}",
        "https://u:p@example.com/{{guid}}", "https://example.com/{{=<% %>=}}<%&guid%>"}) {
    EXPECT_THAT(check(definition("recipient", bad)).fields(), ElementsAre("action.recipient")) << bad;
  }
}

TEST(WebhookCheck, MethodAndContentTypeAreOfTheirLists) {
  for (const char* const good : {"POST", "PUT", "PATCH", "DELETE", "GET"})
    EXPECT_THAT(check(definition("method", good)).errors, IsEmpty()) << good;
  for (const json::value& bad : {json::value("post"), json::value("HEAD"), json::value(1)})
    EXPECT_THAT(check(definition("method", bad)).fields(), ElementsAre("action.method")) << bad;
  EXPECT_THAT(check(definition("contentType", "text/plain")).errors, IsEmpty());
  for (const json::value& bad : {json::value("text/html"), json::value(false)})
    EXPECT_THAT(check(definition("contentType", bad)).fields(), ElementsAre("action.contentType")) << bad;
}

TEST(WebhookCheck, AFormNeedsATemplate) {
  json::object form = definition("contentType", "application/x-www-form-urlencoded");
  EXPECT_THAT(check(form).fields(), ElementsAre("action.template"));
  for (const char* const good : {"To={{customer.phone}}", "fixed=1", "hook"}) {
    form["template"] = good;
    EXPECT_THAT(check(form).errors, IsEmpty()) << good;
  }
}

TEST(WebhookCheck, APlainTextThatCannotBeACodeIsTheBody) {
  json::object plain = definition("contentType", "text/plain");
  for (const char* const good : {"An order was shipped.", "shipped!", "two words", "hook"}) {
    plain["template"] = good;
    EXPECT_THAT(check(plain).errors, IsEmpty()) << good;
  }
  plain["template"] = "unknown";
  EXPECT_THAT(check(plain).fields(), ElementsAre("action.template"));
  EXPECT_THAT(check(definition("template", "An order was shipped.")).fields(), ElementsAre("action.template"))
      << "JSON";
  plain["template"] = "An order was shipped.";
  EXPECT_THAT(webhook().templates(check(plain).stored), IsEmpty());
}

TEST(WebhookCheck, GetAndDeleteHaveNoBodyAndNoTemplate) {
  for (const char* const method : {"GET", "DELETE"}) {
    json::object plain = definition("method", method);
    const Checked checked = check(plain);
    EXPECT_THAT(checked.errors, IsEmpty());
    EXPECT_TRUE(checked.stored.at("contentType").is_null());
    EXPECT_THAT(check(checked.stored).errors, IsEmpty()) << "the stored form can be sent back";
    plain["template"] = "{{guid}}";
    EXPECT_THAT(check(plain).fields(), ElementsAre("action.template"));
    json::object typed = definition("method", method);
    typed["contentType"] = "text/html";
    EXPECT_THAT(check(typed).fields(), ElementsAre("action.contentType"));
    typed["contentType"] = "text/plain";
    EXPECT_THAT(check(typed).errors, IsEmpty());
  }
}

TEST(WebhookCheck, ContentTypeIsGivenOnce) {
  json::object twice = definition("headers", parse(R"({"content-type": "text/xml"})"));
  const Checked checked = check(twice);
  EXPECT_THAT(checked.errors, IsEmpty());
  EXPECT_TRUE(checked.stored.at("contentType").is_null());
  EXPECT_THAT(check(checked.stored).errors, IsEmpty());
  twice["contentType"] = "text/plain";
  EXPECT_THAT(check(twice).fields(), ElementsAre("action.contentType"));
}

TEST(WebhookCheck, AFormThatEarlierVersionsSendOtherwiseNeedsTheSecondFormat) {
  const auto needs = [](std::string_view key, json::value value) {
    return webhook().needs_second_format(check(definition(key, std::move(value))).stored);
  };
  EXPECT_FALSE(needs("method", "POST"));
  EXPECT_FALSE(needs("contentType", "application/json"));
  EXPECT_FALSE(webhook().needs_second_format(definition("template", nullptr))) << "an earlier definition";
  EXPECT_TRUE(needs("method", "PUT"));
  EXPECT_TRUE(needs("contentType", "text/plain"));
  EXPECT_TRUE(needs("recipient", "https://example.com/{{guid}}"));
}

TEST(WebhookCheck, TemplateIsACodeOrAnInlineBody) {
  for (const char* const good : {"hook", "{{orderNumber}}", "n={{orderNumber}}", "{\"fixed\": true}", ""}) {
    EXPECT_THAT(check(definition("template", good)).errors, IsEmpty()) << good;
  }
  for (const json::value& bad :
       {json::value(1), json::value("unknown"), json::value("mail"), json::value("product_hook"),
        json::value("{{#open}}"), json::value("{{ x"), json::value("plain text")}) {
    EXPECT_THAT(check(definition("template", bad)).fields(), ElementsAre("action.template")) << bad;
  }
  EXPECT_THAT(check(definition("template", json::value("{" + std::string(9'999, 'x')))).errors, IsEmpty());
  EXPECT_THAT(check(definition("template", json::value("{" + std::string(10'000, 'x')))).fields(),
              ElementsAre("action.template"));
}

TEST(WebhookCheck, HeadersAreTokensAndFieldValues) {
  const auto fields = [](std::string_view name, json::value value) {
    json::object headers;
    headers[name] = std::move(value);
    return check(definition("headers", headers)).fields();
  };
  EXPECT_THAT(fields("X-Ok_1.2~", "a value\twith \xc3\xa9"), IsEmpty());
  for (const char* const name :
       {"", "X Y", "X:Y", "X\r\nY", "Ü", "X(1)", "Host", "content-length", "Transfer-Encoding", "CONNECTION",
        "webhook-id", "Webhook-Signature", "Expect", "Upgrade"}) {
    EXPECT_THAT(fields(name, "x"), ElementsAre("action.headers." + std::string(name)));
  }
  for (const json::value& value :
       {json::value("a\r\nb"), json::value("a\nb"), json::value(std::string("a\0b", 3)), json::value("\x7f"),
        json::value(5), json::value(nullptr)}) {
    EXPECT_THAT(fields("X-A", value), ElementsAre("action.headers.X-A")) << value;
  }
  EXPECT_THAT(check(definition("headers", parse(R"({"X-A": "1", "x-a": "2"})"))).fields(),
              ElementsAre("action.headers.x-a"));
  EXPECT_THAT(check(definition("headers", json::array{})).fields(), ElementsAre("action.headers"));
}

TEST(WebhookCheck, HeadersAreAtMost50And8KiB) {
  json::object many;
  for (int i = 0; i < 50; ++i) many["X-" + std::to_string(i)] = "v";
  EXPECT_THAT(check(definition("headers", many)).errors, IsEmpty());
  many["X-50"] = "v";
  EXPECT_THAT(check(definition("headers", many)).fields(), ElementsAre("action.headers"));
  EXPECT_THAT(check(definition("headers", {{"X-A", std::string(8189, 'v')}})).errors, IsEmpty());
  EXPECT_THAT(check(definition("headers", {{"X-A", std::string(8190, 'v')}})).fields(),
              ElementsAre("action.headers"));
}

TEST(WebhookCheck, SecretHasTheFormOfStandardWebhooks) {
  for (const json::value& bad :
       {json::value(1), json::value(""), json::value("secret"), json::value("whsec_AAAA")}) {
    EXPECT_THAT(check(definition("secret", bad)).fields(), ElementsAre("action.secret")) << bad;
  }
}

TEST(WebhookCheck, UnknownFieldsAndAllErrorsAreReported) {
  const Checked result =
      check(parse(R"({"type": "webhook", "recipient": "x", "nmae": 1, "body": "x", "secret": 2,
                                         "template": 3, "headers": 4})"));
  EXPECT_THAT(result.fields(), UnorderedElementsAre("action.recipient", "action.nmae", "action.body",
                                                    "action.secret", "action.template", "action.headers"));
}

Guid guid(std::string_view last_two_digits) {
  return Guid::parse("018f0000-0000-7000-8000-0000000000" + std::string(last_two_digits)).value_or(Guid{});
}

struct Example {
  json::object entity = parse(R"j({"guid": "018f0000-0000-7000-8000-000000000001", "orderNumber": "A\"1",
      "status": "shipped", "totalValue": 19.99, "customer": {"name": "<Ada>"}, "items": [{"sku": "S1"}, {"sku": "S2"}]})j");
  json::object previous = parse(R"({"status": "ready"})");
  json::object action =
      parse(R"({"type": "webhook", "recipient": "https://example.com:8443/hook", "template": null,
                                  "headers": {"X-Key": "k"}})");
  json::object templates;

  Plan plan() const {
    const EventView event{entity,
                          previous,
                          domain::EntityType::order,
                          guid("01"),
                          42,
                          Time{std::chrono::microseconds(1'795'153'512'345'678)},
                          "order_status_changed"};
    const WorkflowView workflow{.guid = guid("ff"),
                                .name = "Tell \"us\"",
                                .business_id = guid("bb"),
                                .business_name = "Shop & Co",
                                .action = action,
                                .templates = &templates};
    return webhook().plan(workflow, event);
  }
};

TEST(WebhookPlan, BodyIsTheEventUnlessATemplateIsGiven) {
  const Plan plan = Example().plan();
  EXPECT_EQ(plan.request.at("url"), "https://example.com:8443/hook");
  EXPECT_EQ(plan.request.at("headers"), parse(R"({"X-Key": "k", "Content-Type": "application/json"})"));
  EXPECT_EQ(
      *plan.body,
      R"j({"type":"order_status_changed","timestamp":"2026-11-20T05:45:12.345Z","data":{"entityType":"Order",)j"
      R"j("entity":{"guid":"018f0000-0000-7000-8000-000000000001","orderNumber":"A\"1","status":"shipped",)j"
      R"j("totalValue":19.99,"customer":{"name":"<Ada>"},"items":[{"sku":"S1"},{"sku":"S2"}]},)j"
      R"j("previous":{"status":"ready"},)j"
      R"j("workflow":{"guid":"018f0000-0000-7000-8000-0000000000ff","name":"Tell \"us\""}}})j");
  EXPECT_EQ(webhook().destination(plan.request, guid("bb")),
            "example.com:8443/018f0000-0000-7000-8000-0000000000bb");
}

TEST(WebhookPlan, TemplateSeesEntityPreviousWorkflowBusinessAndEvent) {
  Example example;
  example.action["template"] =
      R"({"n":"{{orderNumber}}","t":{{totalValue}},"c":"{{customer.name}}","s":[{{#items}}"{{sku}}",{{/items}}0],)"
      R"("was":"{{previous.status}}","wf":"{{workflow.name}}","b":"{{business.name}}","e":"{{event.type}}",)"
      R"("at":"{{event.timestamp}}","et":"{{event.entityType}}","all":{{{previous}}}})";
  EXPECT_EQ(
      *example.plan().body,
      R"j({"n":"A\"1","t":19.99,"c":"<Ada>","s":["S1","S2",0],"was":"ready","wf":"Tell \"us\"","b":"Shop & Co",)j"
      R"j("e":"order_status_changed","at":"2026-11-20T05:45:12.345Z","et":"Order","all":{"status":"ready"}})j");
}

TEST(WebhookPlan, TheTextOfAStoredTemplateIsFoundByCode) {
  Example example;
  example.action["template"] = "hook";
  example.templates = parse(R"({"hook": {"body": "plain {{orderNumber}}{{> end}}"},
                                          "end": {"body": ". {{customer.name}}", "html": "<p>"}})");
  EXPECT_EQ(example.plan().body, "plain A\\\"1. <Ada>");
}

TEST(WebhookPlan, TheUrlHasItsValuesEscaped) {
  Example example;
  example.action["recipient"] =
      "https://example.com:8443/o/{{orderNumber}}?c={{customer.name}}&x={{missing}}";
  example.entity["orderNumber"] = "A/1 ?#%ü";
  EXPECT_EQ(example.plan().request.at("url"),
            "https://example.com:8443/o/A%2F1%20%3F%23%25%C3%BC?c=%3CAda%3E&x=");
  EXPECT_EQ(webhook().queue_destination(example.action, guid("bb")),
            "example.com:8443/018f0000-0000-7000-8000-0000000000bb");
}

TEST(WebhookPlan, ARenderedUrlHasAtMost8000Bytes) {
  Example example;
  example.action["recipient"] = "https://example.com/?q={{orderNumber}}";
  std::string value;
  for (int i = 0; i < 500; ++i) value += "日";  // nine bytes each in a URL
  example.entity["orderNumber"] = value;
  EXPECT_EQ(example.plan().request.at("url").as_string().size(), 4523U) << "longer than a template may be";
  example.entity["orderNumber"] = std::string(8000 - 23, 'x');
  EXPECT_EQ(example.plan().request.at("url").as_string().size(), 8000U);
  example.entity["orderNumber"] = std::string(8001 - 23, 'x');
  try {
    example.plan();
    FAIL();
  } catch (const InvalidValue& error) {
    EXPECT_STREQ(error.what(), "recipient: the rendered URL has 8001 bytes; at most 8000 are allowed.");
  }
}

TEST(WebhookPlan, ASegmentOfDotsIsRefused) {
  Example example;
  for (const char* const value : {".", ".."}) {
    example.entity["orderNumber"] = value;
    for (const char* const url :
         {"https://example.com/a/{{orderNumber}}/b", "https://example.com/{{orderNumber}}",
          "https://example.com/{{orderNumber}}?q=1"}) {
      example.action["recipient"] = url;
      EXPECT_THROW(example.plan(), InvalidValue) << url << ' ' << value;
    }
    example.action["recipient"] = "https://example.com/a?q={{orderNumber}}";
    EXPECT_NO_THROW(example.plan()) << "the query has no segments";
    example.action["recipient"] = "https://example.com/x{{orderNumber}}";
    EXPECT_NO_THROW(example.plan());
  }
  example.entity["orderNumber"] = ".";
  example.action["recipient"] = "https://example.com/%2E{{orderNumber}}/b";
  EXPECT_THROW(example.plan(), InvalidValue);
}

TEST(WebhookPlan, FormsEscapeTheirValues) {
  Example example;
  example.action["contentType"] = "application/x-www-form-urlencoded";
  example.action["template"] = "To={{orderNumber}}&Body=Hi {{customer.name}}";
  example.entity["orderNumber"] = "+1 & 2=3";
  const Plan plan = example.plan();
  EXPECT_EQ(plan.body, "To=%2B1+%26+2%3D3&Body=Hi %3CAda%3E");
  EXPECT_EQ(plan.request.at("headers").at("Content-Type"), "application/x-www-form-urlencoded");
}

TEST(WebhookPlan, PlainTextIsNotEscaped) {
  Example example;
  example.action["contentType"] = "text/plain";
  example.action["template"] = "{{orderNumber}} {{customer.name}}";
  EXPECT_EQ(example.plan().body, "A\"1 <Ada>");
}

TEST(WebhookPlan, GetHasNoBodyAndNoContentType) {
  Example example;
  example.action["method"] = "GET";
  const Plan plan = example.plan();
  EXPECT_EQ(plan.body, "");
  EXPECT_EQ(plan.request.at("method"), "GET");
  EXPECT_EQ(plan.request.at("headers"), parse(R"({"X-Key": "k"})"));
  EXPECT_FALSE(webhook().sends_entity(example.action));
}

TEST(WebhookPlan, AListOfTriggersIsInThePayload) {
  const Example example;
  const std::string_view met[] = {"order_shipped", "order_status_changed"};
  const EventView event{.entity = example.entity,
                        .previous = example.previous,
                        .entity_type = domain::EntityType::order,
                        .entity_id = guid("01"),
                        .event_id = 42,
                        .at = {},
                        .trigger = "order_shipped",
                        .triggers = met};
  const Plan plan = webhook().plan({guid("ff"), "W", guid("bb"), "Shop", example.action}, event);
  const json::object body = json::parse(*plan.body).as_object();
  EXPECT_EQ(body.at("type"), "order_shipped");
  EXPECT_EQ(body.at("triggers"), json::parse(R"(["order_shipped", "order_status_changed"])"));
}

TEST(WebhookPlan, OwnContentTypeReplacesTheDefault) {
  Example example;
  example.action["headers"] = {{"CONTENT-TYPE", "text/plain"}};
  EXPECT_EQ(example.plan().request.at("headers"), parse(R"({"CONTENT-TYPE": "text/plain"})"));
}

TEST(WebhookPlan, BodiesAreAtMost1MiB) {
  Example example;
  example.entity["notes"] = std::string(1024UL * 1024 - 1000, 'x');
  EXPECT_NO_THROW(example.plan());
  example.entity["notes"] = std::string(1024UL * 1024, 'x');
  EXPECT_THROW(example.plan(), std::length_error);
  example.action["template"] = "{{notes}}{{notes}}";
  EXPECT_THROW(example.plan(), std::length_error);
}

}  // namespace
}  // namespace waybill::actions
