#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "actions/checked_test.hpp"
#include "actions/stored_templates.hpp"

namespace waybill::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Action& send_email() { return *find_action("send_email"); }

std::vector<std::string> bad_fields(const json::object& definition) {
  using Found = std::optional<std::pair<std::string, domain::EntityType>>;
  const net::DestinationPolicy destinations;
  const CheckContext context{domain::EntityType::order, destinations, [](std::string_view code) -> Found {
                               if (code == "mail") return std::pair("send_email", domain::EntityType::order);
                               if (code == "hook") return std::pair("webhook", domain::EntityType::order);
                               if (code == "welcome")
                                 return std::pair("send_email", domain::EntityType::customer);
                               return std::nullopt;
                             }};
  FieldErrors errors;
  send_email().check(definition, context, errors);
  std::vector<std::string> fields;
  for (const FieldError& error : errors) fields.push_back(error.field);
  return fields;
}

TEST(SendEmailCheck, AcceptsATemplateOrInlineTexts) {
  for (const char* const good :
       {R"({"type": "send_email", "recipient": "a@example.com", "template": "mail"})",
        R"({"type": "send_email", "recipient": "a@example.com", "template": "mail", "subject": "Other"})",
        R"({"type": "send_email", "recipient": "{{customer.email}}", "subject": "S", "body": "B"})",
        R"({"type": "send_email", "recipient": ["a@example.com"], "subject": "S", "html": "<p>"})"}) {
    EXPECT_THAT(bad_fields(parse(good)), IsEmpty()) << good;
  }
  EXPECT_THAT(bad_fields(parse(R"({"type": "send_email"})")),
              UnorderedElementsAre("action.recipient", "action.subject", "action.body"));
  EXPECT_THAT(bad_fields(parse(R"({"type": "send_email", "recipient": "a@example.com", "template": ""})")),
              UnorderedElementsAre("action.subject", "action.body"));
}

TEST(SendEmailCheck, AllBadFieldsAreReportedAtOnce) {
  EXPECT_THAT(bad_fields(parse(R"({"type": "send_email", "recipient": "nobody", "template": 1, "subject": 2,
                                   "body": "{{#open}}", "html": "{{x", "cc": "nobody", "bcc": 5,
                                   "replyTo": "a@example.com, b@example.com", "to": "c@example.com"})")),
              UnorderedElementsAre("action.recipient", "action.template", "action.subject", "action.body",
                                   "action.html", "action.cc", "action.bcc", "action.replyTo", "action.to"));
  for (const char* const code : {"unknown", "hook", "welcome"}) {
    json::object definition = parse(R"({"type": "send_email", "recipient": "a@example.com"})");
    definition["template"] = code;
    EXPECT_THAT(bad_fields(definition), ElementsAre("action.template")) << code;
  }
}

TEST(SendEmailCheck, AllAddressesTogetherAreAtMost100) {
  const auto addresses = [](const std::string& name, int count) {
    json::array all;
    for (int i = 0; i < count; ++i) all.emplace_back(name + std::to_string(i) + "@example.com");
    return all;
  };
  json::object definition = parse(R"({"type": "send_email", "subject": "S", "body": "B"})");
  definition["recipient"] = addresses("a", 50);
  definition["cc"] = addresses("b", 30);
  definition["bcc"] = addresses("c", 20);
  EXPECT_THAT(bad_fields(definition), IsEmpty());
  definition["cc"].as_array().emplace_back("A0@example.com, {{customer.email}}");
  EXPECT_THAT(bad_fields(definition), IsEmpty()) << "a text with Mustache is counted when it is rendered";
  definition["cc"].as_array().emplace_back("A1@example.com, Cy <c2@example.com>");
  EXPECT_THAT(bad_fields(definition), IsEmpty()) << "an address is counted once";
  definition["bcc"] = addresses("c", 21);
  EXPECT_THAT(bad_fields(definition), ElementsAre("action.recipient"));
}

TEST(SendEmailCheck, TextsAreAtMost10000Characters) {
  json::object definition = parse(R"({"type": "send_email", "recipient": "a@example.com", "subject": "S"})");
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "ü";
  definition["body"] = text;
  EXPECT_THAT(bad_fields(definition), IsEmpty());
  definition["body"] = text + "x";
  EXPECT_THAT(bad_fields(definition), ElementsAre("action.body"));
}

TEST(SendEmailCheck, TheStoredFormCanBeSentBack) {
  const net::DestinationPolicy destinations;
  const CheckContext context{domain::EntityType::order, destinations, {}};
  FieldErrors errors;
  const json::object stored = send_email().check(
      parse(R"({"type": "send_email", "recipient": "a@example.com", "template": "any"})"), context, errors);
  EXPECT_EQ(stored, parse(R"({"type": "send_email", "recipient": "a@example.com", "cc": null, "bcc": null,
                              "replyTo": null, "template": "any", "subject": null, "body": null, "html": null})"));
  EXPECT_EQ(send_email().check(stored, context, errors), stored);
  EXPECT_THAT(errors, IsEmpty());
}

TEST(SendEmail, NamesTheTemplatesItUses) {
  EXPECT_THAT(send_email().templates(parse(R"({"recipient": ["{{> list}}"], "template": "mail",
                                               "subject": null, "body": "{{> foot}}{{> list}}", "html": "<p>"})")),
              UnorderedElementsAre("mail", "foot", "list"));
}

struct Example {
  json::object entity =
      parse(R"j({"orderNumber": "A<1>", "customer": {"name": "Ada & Co", "email": "ada@example.com"},
                                   "notes": "one\r\nBcc: eve@example.com"})j");
  json::object previous;
  json::object action = parse(R"j({"type": "send_email", "recipient": "{{customer.email}}", "template": null,
                                   "subject": "Order {{orderNumber}} {{notes}}", "body": "For {{customer.name}}",
                                   "html": "<b>{{customer.name}}</b>"})j");

  std::string sender_name;
  std::string reply_to;
  json::object templates;

  Plan plan() const {
    return send_email().plan({.guid = {},
                              .name = "W",
                              .business_id = {},
                              .business_name = "Shop & Co",
                              .action = action,
                              .sender_name = sender_name,
                              .reply_to = reply_to,
                              .templates = &templates},
                             {.entity = entity,
                              .previous = previous,
                              .entity_type = domain::EntityType::order,
                              .entity_id = {},
                              .event_id = 1,
                              .at = {},
                              .trigger = "order_created"});
  }
};

TEST(SendEmailPlan, EscapesHtmlOnlyAndKeepsTheSubjectOnOneLine) {
  const Plan plan = Example().plan();
  EXPECT_EQ(plan.request,
            parse(R"({"to": ["ada@example.com"], "subject": "Order A<1> one  Bcc: eve@example.com",
                                    "html": "<b>Ada &amp; Co</b>"})"));
  EXPECT_EQ(plan.body, "For Ada & Co");
}

TEST(SendEmailPlan, HasTheBusinessesSenderNameAndAddressForReplies) {
  Example example;
  example.sender_name = "Ada & Co";
  example.reply_to = "help@example.com";
  const auto request = example.plan().request;
  EXPECT_EQ(request.at("senderName"), "Ada & Co");
  EXPECT_EQ(request.at("replyTo"), "help@example.com");
}

TEST(SendEmailPlan, EachAddressGetsOneCopy) {
  Example example;
  example.reply_to = "help@example.com";
  example.action["cc"] = json::array{"{{customer.email}}", "bob@example.com"};
  example.action["bcc"] = "bob@example.com, archive@example.com";
  example.action["replyTo"] = "{{customer.email}}";
  auto request = example.plan().request;
  EXPECT_EQ(request.at("to"), json::parse(R"(["ada@example.com"])"));
  EXPECT_EQ(request.at("cc"), json::parse(R"(["bob@example.com"])"));
  EXPECT_EQ(request.at("bcc"), json::parse(R"(["archive@example.com"])"));
  EXPECT_EQ(request.at("replyTo"), "ada@example.com");
  EXPECT_TRUE(send_email().needs_second_format(example.action));
  example.action["replyTo"] = "{{missing}}";
  EXPECT_EQ(example.plan().request.at("replyTo"), "help@example.com") << "the business's own";
}

TEST(SendEmailPlan, MissingPartsAreNull) {
  Example example;
  example.action["body"] = nullptr;
  EXPECT_TRUE(example.plan().request.at("body").is_null());
  EXPECT_EQ(example.plan().body, std::nullopt);
  example.action["body"] = "x";
  example.action["html"] = nullptr;
  EXPECT_TRUE(example.plan().request.at("html").is_null());
}

TEST(SendEmailPlan, InlineTextsReplaceThoseOfTheStoredTemplate) {
  Example example;
  example.action = parse(R"j({"type": "send_email", "recipient": "{{customer.email}}", "template": "mail",
      "subject": "Own", "body": null, "html": null})j");
  example.templates = parse(R"j({
        "mail": {"subject": "Stored", "body": "B {{> foot}}", "html": "<p>{{> foot}}</p>", "title": null, "url": null},
        "foot": {"subject": null, "body": "{{business.name}}", "html": "<i>{{business.name}}</i>", "title": null, "url": null}})j");
  const Plan plan = example.plan();
  EXPECT_EQ(plan.request, parse(R"({"to": ["ada@example.com"], "subject": "Own",
                                    "html": "<p><i>Shop &amp; Co</i></p>"})"));
  EXPECT_EQ(plan.body, "B Shop & Co");
}

TEST(SendEmailPlan, ATemplatesUrlIsTheListUnsubscribeLink) {
  Example example;
  example.action =
      parse(R"j({"type": "send_email", "recipient": "a@example.com", "template": "mail", "subject": null,
      "body": null, "html": null})j");
  example.templates = parse(R"({"mail": {"subject": "S", "body": "B"}})");
  const auto link = [&](std::string_view url) {
    example.templates["mail"].as_object()["url"] = url;
    const json::object request = example.plan().request;
    const json::value* const found = request.if_contains("listUnsubscribe");
    return found == nullptr ? std::string() : std::string(found->as_string());
  };
  EXPECT_EQ(link("https://example.com/u?c={{customer.email}}"), "https://example.com/u?c=ada@example.com");
  EXPECT_EQ(link("mailto:stop@example.com"), "mailto:stop@example.com");
  for (const char* const bad : {"", "ftp://example.com", "https://example.com/{{notes}}",
                                "https://example.com/>x", "https://example.com/ü"}) {
    EXPECT_EQ(link(bad), "") << bad;
  }
}

TEST(SendEmailPlan, AllTextsOfAMailShareTheLimitOfWork) {
  // Each rendering of the nested list takes about 41 000 of the 100 000 units.
  const std::string nested = "{{#l}}{{#l}}{{/l}}{{/l}}";
  Example example;
  example.entity["l"] = json::array(200, json::value(true));
  json::array recipients{nested + "a@example.com", nested + "b@example.com"};
  example.action["recipient"] = recipients;
  EXPECT_EQ(example.plan().request.at("to").as_array().size(), 2U);
  recipients.push_back(json::value(nested + "c@example.com"));
  example.action["recipient"] = recipients;
  EXPECT_THROW(example.plan(), std::length_error);
  recipients.pop_back();
  example.action["recipient"] = recipients;
  example.action["html"] = nested;
  EXPECT_THROW(example.plan(), std::length_error);
}

TEST(SendEmailPlan, AHundredOrdinaryRecipientsAreRendered) {
  Example example;
  json::array recipients;
  for (int i = 0; i < 100; ++i)
    recipients.push_back(json::value("{{#customer}}" + std::to_string(i) + "{{email}}{{/customer}}"));
  example.action["recipient"] = recipients;
  EXPECT_EQ(example.plan().request.at("to").as_array().size(), 100U);
}

TEST(SendEmailPlan, TooMuchTextThrows) {
  Example example;
  example.entity["notes"] = std::string(1024UL * 1024, 'x');
  example.action["body"] = "{{notes}}{{notes}}";
  EXPECT_THROW(example.plan(), std::length_error);
}

TEST(SendEmailPlan, AMissingTemplateIsAnError) {
  Example example;
  example.action["template"] = "gone";
  example.action["subject"] = nullptr;
  EXPECT_THROW(example.plan(), std::invalid_argument);
}

TEST(StoredTemplates, BuiltInOnesReplaceMissingOnes) {
  json::object stored =
      parse(R"({"order_shipped": null, "order_created": {"subject": "Own"}, "no_such": null})");
  add_built_in_templates(stored);
  EXPECT_TRUE(stored.at("order_shipped").at("html").is_string());
  EXPECT_EQ(stored.at("order_created"), parse(R"({"subject": "Own"})"));
  EXPECT_TRUE(stored.at("no_such").is_null());
}

/// Returns the given outcome at once.
class FixedMailer : public net::Mailer {
 public:
  explicit FixedMailer(net::MailOutcome outcome) : outcome_(std::move(outcome)) {}
  std::vector<net::MailMessage> messages;

 private:
  void transmit(net::MailMessage message, Done done) override {
    messages.push_back(std::move(message));
    done(outcome_);
  }
  net::MailOutcome outcome_;
};

struct Performed {
  AttemptResult result;
  std::vector<net::MailMessage> messages;
};

// The `tries` of a run with these responses.
std::string tries(const std::vector<std::optional<std::string>>& responses) {
  json::array list;
  for (const auto& response : responses) {
    list.push_back({{"response", response ? json::value(*response) : json::value(nullptr)}});
  }
  return json::serialize(list);
}

Performed perform(net::MailOutcome outcome, const json::object& request, bool stopping = false,
                  std::string_view earlier = "[]") {
  FixedMailer mailer(std::move(outcome));
  net::HttpClient http({});
  if (stopping) mailer.stop_at_once();
  Effects effects{http, system_clock(), mailer, "Shop <shop@example.com>"};
  Attempt attempt{request, "text", Guid::parse("018f0000-0000-7000-8000-000000000001").value(),
                  "msg_1", {},     1};
  Performed made;
  attempt.tries = earlier;
  send_email().perform(attempt, effects, [&](AttemptResult result) { made.result = std::move(result); });
  made.messages = std::move(mailer.messages);
  return made;
}

const json::object one_mail =
    parse(R"({"to": ["ada@example.com", "Bob <bob@example.com>"], "subject": "S", "html": "<p>",
              "listUnsubscribe": "https://example.com/u"})");

TEST(SendEmailPerform, SendsTheMailWithTheRunsMessageId) {
  const Performed made = perform({net::MailResult::sent, "250 queued"}, one_mail);
  ASSERT_EQ(made.messages.size(), 1U);
  const net::MailMessage& message = made.messages[0];
  EXPECT_EQ(message.from, "Shop <shop@example.com>");
  EXPECT_THAT(message.to, ElementsAre("ada@example.com", "Bob <bob@example.com>"));
  EXPECT_EQ(message.text, "text");
  EXPECT_EQ(message.html, "<p>");
  EXPECT_EQ(message.message_id, "<018f0000-0000-7000-8000-000000000001@example.com>");
  EXPECT_THAT(message.headers, ElementsAre(std::pair("Auto-Submitted", "auto-generated"),
                                           std::pair("List-Unsubscribe", "<https://example.com/u>")));
  EXPECT_TRUE(std::holds_alternative<Done>(made.result.outcome));
  EXPECT_EQ(made.result.status_code, 250);
  EXPECT_EQ(made.result.response, "250 queued");
  EXPECT_EQ(made.result.error, std::nullopt);
}

TEST(SendEmailPerform, CopiesAreRecipientsOfTheSameMail) {
  json::object request = one_mail;
  request["cc"] = json::array{"cc@example.com"};
  request["bcc"] = json::array{"bcc@example.com"};
  const Performed made = perform({net::MailResult::sent, "250 queued"}, request);
  ASSERT_EQ(made.messages.size(), 1U);
  EXPECT_THAT(made.messages[0].recipients(),
              ElementsAre("ada@example.com", "Bob <bob@example.com>", "cc@example.com", "bcc@example.com"));
  const std::string text = net::format_mail(made.messages[0], Time());
  EXPECT_THAT(text, testing::HasSubstr("Cc: cc@example.com\r\n"));
  EXPECT_EQ(text.find("bcc@example.com"), std::string::npos);
}

TEST(SendEmailPerform, EachBusinessHasItsOwnQueue) {
  const Guid one = Guid::from_name(namespace_url, "one");
  const Guid other = Guid::from_name(namespace_url, "other");
  EXPECT_NE(send_email().destination(one_mail, one), send_email().destination(one_mail, other));
  Performed made = perform({net::MailResult::sent, "250 ok"}, one_mail);
  EXPECT_EQ(made.messages.at(0).owner, Guid{}.to_string());
}

TEST(SendEmailPerform, TemporaryFailuresAreRetriedAndPermanentOnesEndTheRun) {
  AttemptResult result = perform({net::MailResult::temporary, "451 4.3.0 later"}, one_mail).result;
  EXPECT_EQ(std::get<Retry>(result.outcome).code, "SMTP_451");
  EXPECT_FALSE(result.destination_failed);
  EXPECT_EQ(result.response, "451 4.3.0 later");

  result = perform({net::MailResult::temporary, "421 closing"}, one_mail).result;
  EXPECT_TRUE(result.destination_failed);

  result = perform({net::MailResult::temporary, "Could not connect"}, one_mail).result;
  EXPECT_EQ(std::get<Retry>(result.outcome).code, "MAIL_SERVER");
  EXPECT_TRUE(result.destination_failed);
  EXPECT_EQ(result.status_code, std::nullopt);
  EXPECT_EQ(result.response, std::nullopt);
  EXPECT_EQ(result.error, "Could not connect");

  result = perform({net::MailResult::permanent, "550 5.1.1 no such user"}, one_mail).result;
  EXPECT_EQ(std::get<Dead>(result.outcome).code, "SMTP_550");
  EXPECT_FALSE(result.destination_failed);
  EXPECT_EQ(result.response, "550 5.1.1 no such user");
  EXPECT_EQ(result.error, "The mail server answered: 550 5.1.1 no such user");

  result = perform({net::MailResult::permanent, "A sentence."}, one_mail).result;
  EXPECT_EQ(std::get<Dead>(result.outcome).code, "MAIL_REFUSED");
}

TEST(SendEmailPerform, OnlyTemporarilyRefusedRecipientsAreAttemptedAgain) {
  const net::MailOutcome partly{net::MailResult::sent, "250 ok", {{"ada@example.com", false, "450 busy"}}};
  Performed made = perform(partly, one_mail);
  EXPECT_THAT(made.messages.at(0).remaining, IsEmpty());
  EXPECT_EQ(std::get<Retry>(made.result.outcome).code, "SMTP_450");
  EXPECT_FALSE(made.result.destination_failed);
  EXPECT_EQ(made.result.status_code, 450);
  EXPECT_EQ(made.result.error, "The mail server answered for ada@example.com: 450 busy");
  EXPECT_EQ(
      json::parse(made.result.response.value()),
      (json::value{{"delivered", 1},
                   {"refused", 0},
                   {"failed", 1},
                   {"recipients",
                    {{{"address", "ada@example.com"}, {"result", "failed"}, {"reply", "450 busy"}},
                     {{"address", "Bob <bob@example.com>"}, {"result", "delivered"}, {"reply", nullptr}}}}}));

  // A failed attempt in between changes nothing.
  const std::string earlier = tries({made.result.response, std::nullopt, "451 4.3.0 later"});
  made = perform({net::MailResult::sent, "250 ok"}, one_mail, false, earlier);
  EXPECT_THAT(made.messages.at(0).to, ElementsAre("ada@example.com", "Bob <bob@example.com>"));
  EXPECT_THAT(made.messages.at(0).remaining, ElementsAre("ada@example.com"));
  EXPECT_TRUE(std::holds_alternative<Done>(made.result.outcome));
}

TEST(SendEmailPerform, APermanentRefusalEndsTheRunAfterAllOthersHaveTheMail) {
  const net::MailRefusal gone{"Bob <bob@example.com>", true, "550 no such user"};
  Performed made = perform({net::MailResult::sent, "250 ok", {gone}}, one_mail);
  EXPECT_EQ(std::get<Dead>(made.result.outcome).code, "SMTP_550");
  EXPECT_EQ(made.result.status_code, 550);

  made = perform({net::MailResult::sent, "250 ok", {gone, {"ada@example.com", false, "450 busy"}}}, one_mail);
  EXPECT_EQ(std::get<Retry>(made.result.outcome).code, "SMTP_450");
  made = perform({net::MailResult::sent, "250 ok"}, one_mail, false, tries({made.result.response}));
  EXPECT_EQ(std::get<Dead>(made.result.outcome).code, "SMTP_550");
  EXPECT_THAT(made.result.error.value(), testing::HasSubstr("550 no such user"));
}

TEST(SendEmailPerform, AnAttemptEndedByTheWorkersStopDoesNotCount) {
  EXPECT_TRUE(
      perform({net::MailResult::temporary, "The mailer was stopped."}, one_mail, true).result.cancelled);
  EXPECT_FALSE(perform({net::MailResult::sent, "250 ok"}, one_mail, true).result.cancelled);
  EXPECT_FALSE(perform({net::MailResult::permanent, "550 no"}, one_mail, true).result.cancelled);
  EXPECT_FALSE(perform({net::MailResult::temporary, "451 later"}, one_mail).result.cancelled);
  const AttemptResult crowded = perform({net::MailResult::not_attempted, ""}, one_mail).result;
  EXPECT_TRUE(crowded.cancelled);
  EXPECT_TRUE(crowded.next_attempt_at.has_value());
}

TEST(SendEmailPerform, AMailWithoutRecipientsIsDeadWithoutATransfer) {
  const Performed made =
      perform({net::MailResult::sent, ""}, parse(R"({"to": [], "subject": "S", "html": null})"));
  EXPECT_TRUE(made.messages.empty());
  EXPECT_EQ(std::get<Dead>(made.result.outcome).code, "NO_RECIPIENT");
  EXPECT_TRUE(made.result.error.has_value());
}

}  // namespace
}  // namespace waybill::actions
