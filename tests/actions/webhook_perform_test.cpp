#include <future>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "actions/action.hpp"
#include "net/http/webhook_signature.hpp"
#include "tests/actions/no_mailer.hpp"
#include "tests/net/raw_server.hpp"

namespace waybill::actions {
namespace {

using tests::RawServer;
using Reply = RawServer::Reply;

class FixedClock : public Clock {
 public:
  Time now() const override { return Time{std::chrono::seconds(1'800'000'000)}; }
};

// Performs one webhook against a server with scripted responses.
struct Delivery {
  explicit Delivery(Reply reply)
      : server([this, reply = std::move(reply)](const RawServer::Request& request) {
          seen = request;
          return reply;
        }) {}

  AttemptResult perform(const std::string& url = "") {
    json::object request{{"url", url.empty() ? server.url("/hook") : url},
                         {"headers", {{"Content-Type", "application/json"}, {"X-Key", "k"}}}};
    if (!answer.is_null()) request["answer"] = answer;
    const Attempt attempt{request, R"({"type":"order_created"})", Guid{}, "msg_1", secrets, 1};
    Effects effects{client, clock, mailer, ""};
    std::promise<AttemptResult> result;
    find_action("webhook")->perform(attempt, effects,
                                    [&](AttemptResult made) { result.set_value(std::move(made)); });
    return result.get_future().get();
  }

  json::value answer;  // the declared values; null for none
  RawServer::Request seen;
  RawServer server;
  FixedClock clock;
  tests::NoMailer mailer;
  std::vector<net::WebhookSecret> secrets{net::WebhookSecret::random(), net::WebhookSecret::random()};
  net::HttpClient client{{.policy = {.allow_private = true}, .ca_file = {}}};
};

// "retry HTTP_500", "done", ...
std::string text_of(const Outcome& outcome) {
  struct {
    std::string operator()(const Done&) const { return "done"; }
    std::string operator()(const Retry& it) const {
      return "retry " + it.code + (it.pause ? " and pause" : "");
    }
    std::string operator()(const Dead& it) const { return "dead " + it.code; }
    std::string operator()(const Skip& it) const { return "skip " + it.code; }
    std::string operator()(const Pause& it) const { return "pause " + it.code; }
    std::string operator()(const storage::StatusChange& it) const { return "move to " + it.status; }
    std::string operator()(const storage::FieldChange& it) const { return "set " + it.changes; }
    std::string operator()(const storage::NewShipment&) const { return "new shipment"; }
    std::string operator()(const storage::LabelPurchase&) const { return "label purchase"; }
    std::string operator()(const storage::LabelVoid&) const { return "label void"; }
  } const text;
  return std::visit(text, outcome);
}

TEST(WebhookPerform, SignsWithEverySecretAndTheTimeOfTheAttempt) {
  Delivery delivery(RawServer::answer(204));
  const AttemptResult result = delivery.perform();
  EXPECT_EQ(text_of(result.outcome), "done");
  EXPECT_EQ(result.status_code, 204);
  EXPECT_EQ(result.error, std::nullopt);
  const auto& headers = delivery.seen.headers;
  EXPECT_EQ(delivery.seen.method, "POST");
  EXPECT_EQ(headers.at("webhook-id"), "msg_1");
  EXPECT_EQ(headers.at("webhook-timestamp"), "1800000000");
  EXPECT_EQ(headers.at("x-key"), "k");
  EXPECT_EQ(headers.at("content-type"), "application/json");
  for (const net::WebhookSecret& secret : delivery.secrets) {
    EXPECT_EQ(net::verify_webhook(secret, "msg_1", headers.at("webhook-timestamp"),
                                  headers.at("webhook-signature"), delivery.seen.body, delivery.clock.now()),
              net::SignatureCheck::valid);
  }
}

TEST(WebhookPerform, TheResponseStatusDecidesTheOutcome) {
  struct Case {
    int status;
    std::string_view header;
    std::string_view outcome;
    bool destination_failed;
  };
  for (const Case& c : {
           Case{200, "", "done", false},
           Case{299, "", "done", false},
           Case{302, "Location: /x\r\n", "retry HTTP_302", false},
           Case{400, "", "retry HTTP_400", false},
           Case{403, "", "retry HTTP_403", false},
           Case{404, "", "retry HTTP_404", false},
           Case{410, "", "pause GONE", false},
           Case{429, "", "retry HTTP_429", true},
           Case{500, "", "retry HTTP_500", true},
           Case{503, "", "retry HTTP_503", true},
           Case{200, "webhook-delivery: abort-message\r\n", "dead ABORTED", false},
           Case{500, "Webhook-Delivery: Abort-Message\r\n", "dead ABORTED", true},
           Case{400, "webhook-delivery: disable\r\n", "retry HTTP_400 and pause", false},
           Case{410, "webhook-delivery: disable\r\n", "pause GONE", false},
           Case{200, "webhook-delivery: other\r\n", "done", false},
       }) {
    Delivery delivery(RawServer::answer(c.status, "text", c.header));
    const AttemptResult result = delivery.perform();
    EXPECT_EQ(text_of(result.outcome), c.outcome) << c.status << c.header;
    EXPECT_EQ(result.destination_failed, c.destination_failed) << c.status << c.header;
    EXPECT_EQ(result.status_code, c.status);
    EXPECT_EQ(result.response, "text");
    EXPECT_EQ(result.error.has_value(), c.outcome != "done");
  }
}

TEST(WebhookPerform, ACompressedAnswerIsRefusedAsSuch) {
  for (const auto& [header, error] : std::vector<std::pair<std::string, std::string>>{
           {"Content-Encoding: gzip\r\n",
            "The answer is compressed (gzip), and compressed answers are not read."},
           {"", "The answer is not JSON: "},
           {"Content-Encoding: identity\r\n", "The answer is not JSON: "}}) {
    Delivery delivery(RawServer::answer(200, "\x1f\x8b\x08", header));
    delivery.answer = {{"count", "number"}};
    const AttemptResult result = delivery.perform();
    EXPECT_EQ(text_of(result.outcome), "retry INVALID_ANSWER");
    EXPECT_TRUE(result.error.value_or("").starts_with(error)) << result.error.value_or("");
  }
  Delivery readable(RawServer::answer(200, R"({"count": 3})", "Content-Encoding: gzip\r\n"));
  readable.answer = {{"count", "number"}};
  EXPECT_EQ(readable.perform().answer, R"({"count":3})") << "a wrong header alone harms nothing";
}

TEST(WebhookPerform, FailuresBeforeAResponseAreRetried) {
  Delivery reset({"", Reply::Then::reset});
  AttemptResult result = reset.perform();
  EXPECT_EQ(text_of(result.outcome), "retry PROTOCOL");
  EXPECT_TRUE(result.destination_failed);
  EXPECT_EQ(result.status_code, std::nullopt);
  EXPECT_EQ(result.response, std::nullopt);
  EXPECT_TRUE(result.error.has_value());

  result = reset.perform("http://" + std::string(64, 'a') + ".invalid./");
  EXPECT_EQ(text_of(result.outcome), "retry DNS");
  result = reset.perform("ftp://127.0.0.1/");
  EXPECT_EQ(text_of(result.outcome), "retry DESTINATION_REFUSED");
  EXPECT_FALSE(result.destination_failed);
}

TEST(WebhookPerform, RetryAfterIsReturned) {
  for (const auto& [value, seconds] : std::vector<std::pair<std::string, int>>{
           {"120", 120}, {"Fri, 15 Jan 2027 08:01:00 GMT", 60}, {"soon", 0}}) {
    Delivery delivery(RawServer::answer(503, "", "Retry-After: " + value + "\r\n"));
    const AttemptResult result = delivery.perform();
    const auto expected =
        seconds == 0 ? std::nullopt : std::optional<Duration>(std::chrono::seconds(seconds));
    EXPECT_EQ(std::get<Retry>(result.outcome).retry_after, expected) << value;
  }
}

TEST(WebhookPerform, AtMost4KiBOfTheResponseIsKeptAsText) {
  const auto stored_text = [](std::string_view body) {
    return *Delivery(RawServer::answer(500, body)).perform().response;
  };
  EXPECT_EQ(stored_text(std::string(4096, 'x')), std::string(4096, 'x'));
  EXPECT_EQ(stored_text(std::string(4097, 'x')), std::string(4096, 'x'));
  EXPECT_EQ(stored_text(std::string_view("a\0b\xff", 4)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_LE(stored_text(std::string(5000, '\xff')).size(), 4096U);
}

}  // namespace
}  // namespace waybill::actions
