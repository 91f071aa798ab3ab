// Sends one request, mail or push message of a workflow, without a run.
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "actions/http_response.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/event_schema.hpp"
#include "api/endpoint/services.hpp"
#include "api/http/call_limit.hpp"
#include "api/records/fields.hpp"
#include "api/threads/stores.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_headers.hpp"
#include "api/workflows/trials/tested_record.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/current_record.hpp"
#include "matching/digest_list.hpp"
#include "matching/steps.hpp"
#include "matching/stored_texts.hpp"
#include "net/http/async_http.hpp"
#include "net/http/webhook_signature.hpp"
#include "net/mail/sealed_mail.hpp"
#include "net/web_push/web_push.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/mail_outbox.sql.hpp"
#include "storage/sql/push_subscriptions.sql.hpp"
#include "storage/sql/users.sql.hpp"
#include "storage/sql/vapid_keys.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql;

constexpr std::size_t tests_per_minute = 30;  // tests of a business, in this process
constexpr std::size_t max_response_bytes = 4UL * 1024;
constexpr std::int64_t max_browsers = 10;

constexpr Property test_send_properties[] = {
    {.name = "entityId",
     .kind = Kind::uuid,
     .description = "The record to send, as it is now. Default: a sample."},
    {.name = "step",
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = static_cast<double>(matching::max_steps),
     .description = "From 1. Default: 1."},
    {.name = "to",
     .kind = Kind::email,
     .max_length = 254,
     .description = "The recipient of a mail: a user of the business. Default: the caller."},
};
constexpr Schema test_send_schema{"SendTest", test_send_properties};

constexpr Property sent_request_properties[] = {
    {.name = "statusCode", .kind = Kind::integer, .description = "Null if there was no answer."},
    {.name = "durationMs", .kind = Kind::number, .nullable = false},
    {.name = "response", .kind = Kind::text, .description = "The first 4 KiB of the answer."},
    {.name = "error", .kind = Kind::text},
};
constexpr Schema sent_request_schema{"SentRequest", sent_request_properties};
constexpr Property sent_message_properties[] = {
    {.name = "to",
     .kind = Kind::string,
     .nullable = false,
     .description = "The address of a mail; the number of browsers of a push message."},
    {.name = "response", .kind = Kind::text},
    {.name = "error", .kind = Kind::text},
};
constexpr Schema sent_message_schema{"SentMessage", sent_message_properties};
constexpr const Schema* sent_variants[] = {&sent_request_schema, &sent_message_schema};
constexpr Schema sent_schema{.name = "SentTest", .variants = sent_variants};

/// A workflow and the event to send.
struct Test {
  Guid workflow;
  WorkflowDefinition definition;
  int step = 1;
  const actions::Action* type = nullptr;
  json::object action;  // action of the step, with its templates
  matching::StoredTexts texts;
  json::object entity;
  json::object previous;
  Guid entity_id;
  std::uint64_t event_id = 0;  // the record's last event
  actions::Plan plan;
};

void count_test(const Guid& business, Time now) {
  static CallLimit tests({.most_calls = tests_per_minute, .most_clients = 50'000});
  if (const auto wait = tests.count(business.to_string(), now))
    throw Failure(ErrorCode::rate_limited, "Too many tests were sent; try again later.")
        .with_retry_after(*wait);
}

asio::awaitable<void> read_workflow(const Call& call, Services& services, Test& test) {
  const auto rows =
      co_await services.db.read(sql::workflows::Get{.business = call.business(), .workflow = call.id()});
  if (rows.empty()) throw not_found("workflow");
  test.workflow = call.id();
  test.definition = stored_definition(rows);
  if (const json::value* const step = find_value(call.object(), "step")) test.step = step->to_number<int>();
  int count = 0;
  const auto take = [&](const json::object& step, const std::string&) {
    if (++count == test.step) test.action = step;
  };
  if (const json::array* const steps = actions::stored_steps(test.definition.action)) {
    actions::for_each_step(*steps, {}, take);
  } else {
    take(test.definition.action, {});
  }
  if (test.step > count)
    throw invalid("step", "must be at most " + std::to_string(count) + ", the number of steps");
  const std::string_view type = test.action.at("type").as_string();
  if (type != "webhook" && type != "send_email" && type != "send_push")
    throw invalid("step", "sends nothing: its type is " + std::string(type));
  test.type = actions::find_action(type);
  test.texts = co_await matching::stored_texts(services.db, call.business(), test.definition.template_codes);
}

/// The trigger that the test names: the first of the workflow.
const domain::Trigger& first_trigger(const WorkflowDefinition& definition) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  return choice ? *choice->first : domain::triggers(definition.entity_type).front();
}

asio::awaitable<void> read_record(const Call& call, Services& services, Test& test) {
  const auto record = guid_at(call.object(), "entityId");
  if (!record) {
    const domain::Trigger& named = first_trigger(test.definition);
    const json::object sample =
        event_sample(named.guid.is_nil() ? domain::triggers(named.entity_type).front() : named);
    const json::object& data = sample.at("data").as_object();
    test.entity = data.at("entity").as_object();
    test.previous = data.at("previous").as_object();
    test.entity_id = Guid::parse(std::string_view(test.entity.at("guid").as_string())).value();
    co_return;
  }
  auto entity = co_await matching::current_entity(services.db, call.business(), test.definition.entity_type,
                                                  *record, services.settings.public_url);
  if (!entity) throw not_found(domain::record_type(test.definition.entity_type).label);
  const auto choice = domain::parse_choice(test.definition.trigger_code);
  const bool is_timed = choice && (choice->timer || choice->schedule);
  const auto last = co_await last_change_of(services, call.business(), *record, is_timed);
  test.entity = std::move(*entity);
  test.previous = last.change.previous;
  test.entity_id = *record;
  test.event_id = last.event_id;
  co_await complete_entity(services, call.business(), *record, first_trigger(test.definition).code,
                           last.change, test.entity);
}

/// Makes the record of a test the only one of a digest, or of a schedule that has one run for all.
void make_list(Test& test, const std::optional<domain::TriggerChoice>& choice, Time now) {
  if (choice && choice->digest) {
    test.entity = matching::list_of_one(*choice->digest, std::move(test.entity), test.previous, test.event_id,
                                        choice->first->code, now);
  } else if (choice && choice->schedule && !choice->schedule->each) {
    json::array items{std::move(test.entity)};
    test.entity = {{"count", 1}, {"items", std::move(items)}};
  } else {
    return;
  }
  test.entity_id = Guid();
  test.event_id = 0;
}

asio::awaitable<void> plan(const Call& call, Services& services, Test& test) {
  const auto choice = domain::parse_choice(test.definition.trigger_code);
  make_list(test, choice, services.clock.now());
  const actions::Action& action = *test.type;
  const bool has_digest = choice && choice->digest;
  const std::string_view trigger = has_digest ? domain::digest_code : first_trigger(test.definition).code;
  std::vector<std::string_view> listed;
  if (choice && choice->is_list && !has_digest) listed.push_back(trigger);
  // The coroutine waits here, so the references in the work stay valid.
  test.plan = co_await services.background.run(call.business(), [&]() -> actions::Plan {
    try {
      return action.plan({.guid = test.workflow,
                          .name = test.definition.name,
                          .business_id = call.business(),
                          .business_name = test.texts.business_name,
                          .action = test.action,
                          .sender_name = test.texts.sender_name,
                          .reply_to = test.texts.reply_to,
                          .templates = &test.texts.templates,
                          .zone_offsets = test.texts.zone_offsets},
                         {.entity = test.entity,
                          .previous = test.previous,
                          .entity_type = test.definition.entity_type,
                          .entity_id = test.entity_id,
                          .event_id = test.event_id,
                          .at = services.clock.now(),
                          .trigger = trigger,
                          .triggers = listed});
    } catch (const std::length_error& error) {
      throw invalid("action", error.what());
    } catch (const std::invalid_argument& error) {
      throw invalid("action", error.what());
    }
  });
  // The default payload says that it is a test.
  if (action.sends_entity(test.action) && test.plan.body) test.plan.body->insert(1, R"("test":true,)");
}

asio::awaitable<std::vector<net::WebhookSecret>> secrets_of(const Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::workflows::Secrets{.business = call.business(), .workflow = call.id()});
  std::vector<net::WebhookSecret> secrets;
  for (const auto& row : rows) {
    const auto text = services.secrets.open(row.sealed, storage::workflow_secret_purpose(call.id()));
    if (const auto secret = net::WebhookSecret::parse(text)) secrets.push_back(*secret);
  }
  co_return secrets;
}

json::value error_of(const net::HttpResponse& response) {
  if (response.failure != net::HttpFailure::none) return json::value(response.error);
  if (response.status >= 200 && response.status < 300) return nullptr;
  return json::value("The destination answered " + std::to_string(response.status) + ".");
}

asio::awaitable<json::object> send_webhook(const Call& call, Services& services, Test& test) {
  const auto headers = co_await services.db.read(
      sql::workflows::GetHeaders{.business = call.business(), .workflow = call.id(), .step = test.step});
  if (headers.empty()) throw not_found("workflow");
  const auto all = open_headers(services, headers.front().sealed_credentials.value_or(""), call.id());
  const auto secrets = co_await secrets_of(call, services);
  const std::string id = Guid::random().to_string();
  const std::int64_t timestamp = to_unix_seconds(services.clock.now());
  net::HttpRequest request;
  if (const json::value* const method = find_value(test.plan.request, "method"))
    request.method = method->as_string();
  request.url = test.plan.request.at("url").as_string();
  request.owner = call.business().to_string();
  const auto& credentials = all.of_step(test.step, actions::credential_host(request.url));
  request.body = test.plan.body.value_or("");
  request.keep_limit = max_response_bytes;
  for (const auto& header : test.plan.request.at("headers").as_object()) {
    const auto* const value = actions::header_value(request.url, header.key(), header.value(), &credentials);
    if (value != nullptr) request.headers.emplace_back(header.key(), value->as_string());
  }
  request.headers.emplace_back("webhook-test", "true");
  request.headers.emplace_back("webhook-id", id);
  request.headers.emplace_back("webhook-timestamp", std::to_string(timestamp));
  request.headers.emplace_back("webhook-signature",
                               net::webhook_signature(secrets, id, timestamp, request.body));
  const auto response = co_await net::fetch(services.stores.http(), std::move(request));
  const bool answered = response.failure == net::HttpFailure::none;
  co_return json::object{
      {"statusCode", answered ? json::value(response.status) : json::value()},
      {"durationMs", std::chrono::duration<double, std::milli>(response.duration).count()},
      {"response",
       answered ? json::value(actions::limited_text(response.body, max_response_bytes)) : json::value()},
      {"error", error_of(response)}};
}

asio::awaitable<json::object> send_mail(const Call& call, Services& services, const Test& test) {
  const auto given = text_at(call.object(), "to");
  if (!given && !call.principal.is_user()) throw invalid("to", "is required: only a user has an address");
  std::optional<Guid> user;
  if (!given) user = call.principal.user_id;
  const auto rows = co_await services.db.read(
      sql::users::MailAddress{.business = call.business(), .user = user, .email = given});
  if (rows.empty())
    throw invalid("to", "must be the address of a user of the business with a verified address");
  const std::string to(rows.front().email);
  net::MailMessage message;
  message.to = {to};
  message.subject = "[Test] " + std::string(test.plan.request.at("subject").as_string());
  message.text = test.plan.body.value_or("");
  if (const auto* const html = test.plan.request.at("html").if_string()) message.html = *html;
  const json::object& request = test.plan.request;
  if (const json::value* const name = find_value(request, "senderName"))
    message.sender_name = name->as_string();
  if (const json::value* const reply_to = find_value(request, "replyTo"))
    message.reply_to = reply_to->as_string();
  message.headers.emplace_back("Auto-Submitted", "auto-generated");  // RFC 3834 section 5
  message.headers.emplace_back("X-Test", "true");
  message.owner = call.business().to_string();
  const Guid mail = Guid::random();
  Services& at_once = services.at_once();  // the answer says whether the mail was sent
  co_await at_once.db.write(
      sql::mail_outbox::Add{.mail = mail, .sealed_mail = net::sealed_mail(services.secrets, mail, message)},
      call.cause());
  co_await at_once.send_mails();
  const auto waiting = co_await at_once.db.read(sql::mail_outbox::IsWaiting{.mail = mail});
  const bool is_waiting = waiting.front().is_waiting;
  co_return json::object{
      {"to", to},
      {"response", is_waiting ? json::value() : json::value("The mail server has taken the mail.")},
      {"error",
       is_waiting ? json::value("The mail is not sent yet. It is sent again for an hour.") : json::value()}};
}

asio::awaitable<json::object> send_push(const Call& call, Services& services, const Test& test) {
  if (!call.principal.is_user()) throw invalid("to", "only a user has browsers; log in as one");
  const auto rows = co_await services.db.read(sql::push_subscriptions::Audience{
      .business = call.business(), .user = call.principal.user_id, .limit = max_browsers});
  const auto keys = co_await services.db.read(sql::vapid_keys::Sealed{.business = call.business()});
  json::object result{{"to", "0"}, {"response", nullptr}, {"error", "The caller has no subscribed browser."}};
  if (rows.empty() || keys.empty()) co_return result;
  net::VapidSigner signer(
      {std::string(keys.front().public_key),
       services.secrets.open(keys.front().private_key, storage::vapid_key_purpose(call.business()))},
      services.settings.push_contact);
  const std::string text =
      to_json(json::object{{"title", test.plan.request.at("title")},
                           {"body", test.plan.body ? json::value(*test.plan.body) : json::value()},
                           {"url", test.plan.request.at("url")},
                           {"tag", "test"},
                           {"data",
                            {{"type", first_trigger(test.definition).code},
                             {"entityType", domain::record_type(test.definition.entity_type).name},
                             {"entityId", test.entity_id.to_string()}}}});
  std::size_t accepted = 0;
  std::string error;
  for (const auto& row : rows) {
    const auto receiver = net::PushReceiver::parse(row.p256dh, row.auth);
    if (!receiver) continue;
    net::HttpRequest request;
    request.url = std::string(row.endpoint);
    request.owner = call.business().to_string();
    request.body = net::encrypt_push(text, *receiver);
    request.headers = {{"TTL", "60"},
                       {"Content-Encoding", "aes128gcm"},
                       {"Content-Type", "application/octet-stream"},
                       {"Authorization", signer.authorization(row.endpoint, services.clock.now())}};
    const auto response = co_await net::fetch(services.stores.http(), std::move(request));
    const json::value problem = error_of(response);
    if (problem.is_null()) ++accepted;
    if (problem.is_string()) error = problem.as_string();
  }
  result["to"] = std::to_string(rows.size());
  result["response"] =
      accepted == 1 ? "1 browser was reached." : std::to_string(accepted) + " browsers were reached.";
  result["error"] = error.empty() ? json::value() : json::value(error);
  co_return result;
}

asio::awaitable<Answer> send_test(Call& call, Services& services) {
  Test test;
  co_await read_workflow(call, services, test);
  co_await read_record(call, services, test);
  co_await plan(call, services, test);
  count_test(call.business(), services.clock.now());
  const std::string_view type = test.type->type();
  json::object sent;
  if (type == "webhook") {
    sent = co_await send_webhook(call, services, test);
  } else if (type == "send_email") {
    sent = co_await send_mail(call, services, test);
  } else {
    sent = co_await send_push(call, services, test);
  }
  co_return Answer::of(to_json(sent));
}

constexpr Endpoint send_test_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/workflows/configured/{guid}/send-test",
     .permission = Permission::administer,
     .handler = send_test,
     .operation_id = "sendWorkflowTest",
     .summary = "Sends one request, mail or push message of a workflow",
     .description = "It is not a run. Requests have the header webhook-test; mails have [Test] before the "
                    "subject and the header "
                    "X-Test. Push messages go to the caller, "
                    "mails to the caller or to the user in to. At most 30 a minute.",
     .tag = "Workflows",
     .body = &test_send_schema,
     .body_kind = BodyKind::object,
     .answer = &sent_schema},
};

}  // namespace

std::span<const Endpoint> send_test_endpoints() { return send_test_endpoint_table; }

}  // namespace waybill::api
