#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "actions/action.hpp"
#include "actions/answer.hpp"
#include "actions/definition.hpp"
#include "actions/http_response.hpp"
#include "actions/stored_templates.hpp"
#include "actions/webhook_url.hpp"
#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "base/utf8.hpp"
#include "domain/workflows/retry.hpp"
#include "net/http/webhook_signature.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_headers = 50;
constexpr std::size_t max_header_bytes = 8UL * 1024;
constexpr std::size_t max_template_characters = 10'000;
constexpr std::size_t max_body_bytes = 1024UL * 1024;
constexpr std::size_t max_response_bytes = 4UL * 1024;
constexpr std::size_t shown_coding = 40;  // bytes
constexpr const char* invalid_answer = "INVALID_ANSWER";

// A token of RFC 9110 section 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// A field value of RFC 9110 section 5.5.
bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; });
}

// Headers that the HTTP client or the signature sets, or that would break the framing of the request.
bool is_reserved_header(std::string_view lower_case_name) {
  constexpr std::string_view names[] = {"host",
                                        "content-length",
                                        "transfer-encoding",
                                        "connection",
                                        "keep-alive",
                                        "proxy-connection",
                                        "upgrade",
                                        "te",
                                        "trailer",
                                        "expect"};
  return lower_case_name.starts_with("webhook-") ||
         std::ranges::find(names, lower_case_name) != std::end(names);
}

constexpr std::string_view methods[] = {"POST", "PUT", "PATCH", "DELETE", "GET"};
constexpr std::string_view json_type = "application/json";
constexpr std::string_view form_type = "application/x-www-form-urlencoded";
constexpr std::string_view text_type = "text/plain";

/// A member of a definition; `otherwise` if it is absent, as in definitions of earlier versions.
std::string_view text_or(const json::object& definition, std::string_view name, std::string_view otherwise) {
  const auto* const value = find_value(definition, name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : otherwise;
}

std::string_view method_of(const json::object& definition) { return text_or(definition, "method", "POST"); }

std::string_view content_type_of(const json::object& definition) {
  return text_or(definition, "contentType", json_type);
}

bool has_body(std::string_view method) { return method != "GET" && method != "DELETE"; }

// True for the characters of the codes of templates.
bool is_code_character(char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; }

// Any other text is the code of a stored template.
bool is_inline_body(std::string_view text, std::string_view content_type) {
  return text.starts_with('{') || is_url_template(text) ||
         (content_type == form_type && text.find('=') != std::string_view::npos) ||
         (content_type == text_type && !std::ranges::all_of(text, is_code_character));
}

templates::Escape escape_of(std::string_view content_type) {
  if (content_type == form_type) return templates::Escape::form;
  return content_type == text_type ? templates::Escape::none : templates::Escape::json;
}

/// Checks a webhook's configuration and collects its errors.
class Checker {
 public:
  Checker(const CheckContext& context, FieldErrors& errors) : context_(context), errors_(errors) {}

  json::object check(const json::object& definition) {
    for (const auto& member : definition) {
      constexpr std::string_view known[] = {"type",     "recipient", "method", "contentType",
                                            "template", "headers",   "secret", "answer"};
      if (std::ranges::find(known, std::string_view(member.key())) == std::end(known)) {
        refuse(member.key(), "unknown field");
      }
    }
    check_secret(find_value(definition, "secret"));
    const json::value method = one_of(definition, "method", methods, "POST");
    const std::string_view method_name = method.get_string();
    const bool with_body = has_body(method_name);
    constexpr std::string_view types[] = {json_type, form_type, text_type};
    json::value content_type = one_of(definition, "contentType", types, json_type);
    if (!with_body || (find_value(definition, "contentType") == nullptr && has_content_type(definition)))
      content_type = nullptr;
    check_content_type(definition);
    if (!with_body && !text_or(definition, "template", "").empty())
      refuse("template", "must not be given: " + std::string(method_name) + " has no body");
    const std::string_view type_name =
        content_type.is_string() ? std::string_view(content_type.get_string()) : json_type;
    if (type_name == form_type && text_or(definition, "template", "").empty())
      refuse("template", "is required for " + std::string(form_type));
    json::object stored{{"type", "webhook"},
                        {"recipient", recipient(find_value(definition, "recipient"))},
                        {"method", method},
                        {"contentType", content_type},
                        {"template", body(find_value(definition, "template"), type_name)},
                        {"headers", headers(find_value(definition, "headers"))}};
    if (const auto* const answer = find_value(definition, "answer")) {
      check_answer(*answer, "action.answer", errors_);
      stored["answer"] = *answer;
    }
    return stored;
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  json::value recipient(const json::value* value) {
    if (value == nullptr) {
      refuse("recipient", "is required");
    } else if (!value->is_string()) {
      refuse("recipient", "must be a string");
    } else if (auto problem = url_problem(value->get_string(), context_.destinations)) {
      refuse("recipient", std::move(*problem));
    } else {
      return *value;
    }
    return nullptr;
  }

  json::value one_of(const json::object& definition, std::string_view name,
                     std::span<const std::string_view> values, std::string_view otherwise) {
    const auto* const value = find_value(definition, name);
    if (value == nullptr) return json::value(otherwise);
    const auto* const text = value->if_string();
    if (text != nullptr && std::ranges::find(values, std::string_view(*text)) != values.end()) return *value;
    refuse(name, "must be one of " + joined_texts(values));
    return json::value(otherwise);
  }

  static bool has_content_type(const json::object& definition) {
    const auto* const given = find_value(definition, "headers");
    const auto* const object = given == nullptr ? nullptr : given->if_object();
    return object != nullptr && std::ranges::any_of(*object, [](const auto& header) {
             return equal_ignoring_case(header.key(), "content-type");
           });
  }

  void check_content_type(const json::object& definition) {
    if (find_value(definition, "contentType") != nullptr && has_content_type(definition))
      refuse("contentType", "must not be given together with the header Content-Type");
  }

  json::value body(const json::value* value, std::string_view content_type) {
    if (value == nullptr) return nullptr;
    if (!value->is_string()) {
      refuse("template", "must be a string");
      return nullptr;
    }
    const std::string_view text = value->get_string();
    if (text.empty()) return nullptr;
    if (count_characters(text) > max_template_characters) {
      refuse("template", "must not be longer than 10000 characters");
    } else if (is_inline_body(text, content_type)) {
      if (auto problem = templates::mustache_problem(text)) refuse("template", std::move(*problem));
    } else if (auto problem = stored_template_problem(context_, text, "webhook")) {
      refuse("template", std::move(*problem));
    }
    return *value;
  }

  json::value headers(const json::value* value) {
    if (value == nullptr) return json::object{};
    const auto* object = value->if_object();
    if (object == nullptr) {
      refuse("headers", "must be an object of strings");
      return nullptr;
    }
    if (object->size() > max_headers) refuse("headers", "must not have more than 50 entries");
    std::size_t bytes = 0;
    std::vector<std::string> names;
    for (const auto& [name, text] : *object) {
      check_header(name, text, names);
      bytes += name.size() + (text.is_string() ? text.get_string().size() : 0);
    }
    if (bytes > max_header_bytes) refuse("headers", "must not be larger than 8 KiB in total");
    return *value;
  }

  void check_header(std::string_view name, const json::value& text, std::vector<std::string>& names) {
    const std::string field = "headers." + std::string(name);
    const std::string lower_name = ascii_lower(name);
    if (!is_token(name)) {
      refuse(field, "is not a header name");
    } else if (is_reserved_header(lower_name)) {
      refuse(field, "must not be set");
    } else if (std::ranges::find(names, lower_name) != names.end()) {
      refuse(field, "is given twice");
    } else if (!text.is_string()) {
      refuse(field, "must be a string");
    } else if (!is_field_value(text.get_string())) {
      refuse(field, "must not contain control characters");
    }
    names.push_back(lower_name);
  }

  void check_secret(const json::value* value) {
    if (value == nullptr) return;
    if (!value->is_string() || !net::WebhookSecret::parse(value->get_string())) {
      refuse("secret", "must be \"whsec_\" and the base64 of 24 to 64 bytes");
    }
  }

  const CheckContext& context_;
  FieldErrors& errors_;
};

// The body's Mustache text, inline or from a stored template. Empty if the body is the event's payload.
std::string_view body_template(const WorkflowView& workflow) {
  const json::object& action = workflow.action;
  const auto* const value = find_value(action, "template");
  if (value == nullptr) return {};
  const std::string_view text = value->as_string();
  return is_inline_body(text, content_type_of(action))
             ? text
             : stored_part(workflow.templates, text, "body").value_or("");
}

std::string payload(const WorkflowView& workflow, const EventView& event) {
  std::string body;
  body.reserve(2048);
  body += R"({"type":)";
  append_json_string(body, event.trigger);
  if (!event.triggers.empty()) {
    body += R"(,"triggers":)";
    append_json(body, json::array(event.triggers.begin(), event.triggers.end()));
  }
  body.append(R"(,"timestamp":")").append(format_timestamp(event.at));
  body.append(R"(","data":{"entityType":")").append(domain::record_type(event.entity_type).name);
  if (event.entity_id.is_nil()) {
    body += R"(","count":)";
    append_json(body, event.entity.at("count"));
    body += R"(,"items":)";
    append_json(body, event.entity.at("items"));
    if (const json::value* const by = event.entity.if_contains("by")) {
      body += R"(,"by":)";
      append_json(body, *by);
    }
  } else {
    body += R"(","entity":)";
    append_json(body, event.entity);
    body += R"(,"previous":)";
    append_json(body, event.previous);
  }
  body.append(R"(,"workflow":{"guid":")").append(workflow.guid.to_string()).append(R"(","name":)");
  append_json_string(body, workflow.name);
  body += "}}}";
  return body;
}

std::string rendered(std::string_view text, const WorkflowView& workflow, const EventView& event,
                     WorkBudget& budget) {
  json::monotonic_resource memory;
  const json::object context = template_context(workflow, event, &memory);
  const auto escape = escape_of(content_type_of(workflow.action));
  return templates::render(text, context, escape, stored_partials(workflow.templates, escape), budget,
                           max_body_bytes);
}

json::object plan_headers(const json::object& action) {
  json::object headers;
  bool has_content_type = false;
  if (const auto* custom = find_value(action, "headers")) {
    headers = custom->as_object();
    has_content_type = std::ranges::any_of(
        headers, [](const auto& header) { return equal_ignoring_case(header.key(), "content-type"); });
  }
  if (!has_content_type && has_body(method_of(action)))
    headers.emplace("Content-Type", content_type_of(action));
  return headers;
}

net::HttpRequest request_of(const Attempt& attempt, Time now) {
  const json::object& headers = attempt.request.at("headers").as_object();
  const std::int64_t timestamp = to_unix_seconds(now);
  net::HttpRequest request;
  request.url = attempt.request.at("url").as_string();
  request.method = text_or(attempt.request, "method", "POST");
  request.body = attempt.body;
  request.keep_limit = max_response_bytes;
  request.owner = attempt.business_id.to_string();
  request.headers.reserve(headers.size() + 3);
  for (const auto& header : headers) {
    const auto* const value = header_value(request.url, header.key(), header.value(), attempt.credentials);
    if (value != nullptr) request.headers.emplace_back(header.key(), value->as_string());
  }
  request.headers.emplace_back("webhook-id", attempt.message_id);
  request.headers.emplace_back("webhook-timestamp", std::to_string(timestamp));
  request.headers.emplace_back(
      "webhook-signature",
      net::webhook_signature(attempt.secrets, attempt.message_id, timestamp, attempt.body));
  return request;
}

bool is_success(int status) { return status >= 200 && status < 300; }

Outcome outcome_of(const net::HttpResponse& response, Time now) {
  if (response.failure != net::HttpFailure::none) return Retry{std::string(failure_code(response.failure))};
  if (response.status == 410) return Pause{"GONE", "The destination answered 410 Gone."};
  const std::string requested = ascii_lower(response.header("webhook-delivery").value_or(""));
  if (requested == "abort-message") return Dead{"ABORTED"};
  std::optional<std::string> pause;
  if (requested == "disable") pause = "The destination asked for no further deliveries.";
  if (is_success(response.status)) return Done{std::move(pause)};
  Retry retry{.code = "HTTP_" + std::to_string(response.status), .pause = std::move(pause)};
  if (const auto after = response.header("retry-after"))
    retry.retry_after = domain::parse_retry_after(*after, now);
  return retry;
}

/// The answer that an attempt of a webhook expects.
struct Expected {
  std::vector<AnswerField> fields;  // empty: any
  int successes = 0;                // earlier attempts that got a successful answer
};

Expected expected_of(const Attempt& attempt) {
  const auto* const answer = find_value(attempt.request, "answer");
  if (answer == nullptr) return {};
  Expected expected{.fields = parse_answer(*answer)};
  const json::value tries = json::parse(attempt.tries);
  for (const json::value& each : tries.as_array()) {
    const json::value& status = each.at("statusCode");
    if (status.is_int64() && is_success(static_cast<int>(status.get_int64()))) ++expected.successes;
  }
  return expected;
}

void refuse_answer(AttemptResult& result, const char* code, std::string error) {
  result.outcome = Dead{code};
  result.error = std::move(error);
}

/// Adds the declared values of a successful answer to the result, or the reason that they cannot be used.
void take_answer(const Expected& expected, const net::HttpResponse& response, AttemptResult& result) {
  if (response.body.size() > max_answer_body)
    return refuse_answer(result, "ANSWER_TOO_LARGE", "The answer is larger than 64 KiB.");
  auto read = read_answer(expected.fields, response.body);
  const auto coding = response.header("content-encoding");
  if (std::holds_alternative<std::string>(read) && coding && !equal_ignoring_case(*coding, "identity"))
    read = "The answer is compressed (" + limited_text(*coding, shown_coding) +
           "), and compressed answers are not read.";
  if (auto* const problem = std::get_if<std::string>(&read)) {
    const std::optional<std::string> pause = std::get<Done>(result.outcome).pause;
    refuse_answer(result, invalid_answer, std::move(*problem));
    if (expected.successes + 1 < max_answer_attempts)
      result.outcome = Retry{.code = invalid_answer, .pause = pause};
    return;
  }
  result.answer = to_json(std::get<json::object>(read));
  if (result.answer->size() > max_stored_answers) {
    result.answer.reset();
    refuse_answer(result, "ANSWER_TOO_LARGE", "The declared values are larger than 16 KiB.");
  }
}

AttemptResult result_of(net::HttpResponse response, const Expected& expected, Time now) {
  AttemptResult result;
  result.outcome = outcome_of(response, now);
  result.started_at = response.started_at;
  result.duration = response.duration;
  result.destination_failed = is_destination_failure(response);
  result.cancelled = response.failure == net::HttpFailure::cancelled;
  if (response.failure != net::HttpFailure::none) {
    result.error = std::move(response.error);
    return result;
  }
  result.status_code = response.status;
  result.response = limited_text(response.body, max_response_bytes);
  if (std::holds_alternative<Done>(result.outcome)) {
    if (!expected.fields.empty()) take_answer(expected, response, result);
  } else {
    result.error = "The destination answered " + std::to_string(response.status);
    result.error->append(std::holds_alternative<Dead>(result.outcome)
                             ? " and asked for no further attempts (webhook-delivery: abort-message)."
                             : ".");
  }
  return result;
}

domain::FieldType field_type(AnswerType type) {
  switch (type) {
    case AnswerType::number:
      return domain::FieldType::decimal;
    case AnswerType::boolean:
      return domain::FieldType::boolean;
    case AnswerType::timestamp:
      return domain::FieldType::timestamp;
    case AnswerType::array:
      return domain::FieldType::array;
    case AnswerType::object:
      return domain::FieldType::object;
    case AnswerType::string:
    case AnswerType::any:
      break;
  }
  return domain::FieldType::string;
}

class Webhook final : public Action {
 public:
  std::string_view type() const override { return "webhook"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return Checker(context, errors).check(definition);
  }

  bool has_secret() const override { return true; }

  std::vector<std::string> templates(const json::object& definition) const override {
    const auto* const text = find_value(definition, "template");
    if (text == nullptr) return {};
    std::vector<std::string> codes;
    if (is_inline_body(text->as_string(), content_type_of(definition))) {
      add_partials(text->as_string(), codes);
    } else {
      codes.emplace_back(text->as_string());
    }
    return codes;
  }

  std::vector<StepValue> values(const json::object& definition) const override {
    const auto* const answer = find_value(definition, "answer");
    if (answer == nullptr) return {};
    std::vector<StepValue> values;
    for (const AnswerField& field : parse_answer(*answer)) {
      values.push_back({.path = "answer." + field.path,
                        .type = field_type(field.type),
                        .is_any = field.type == AnswerType::any});
    }
    return values;
  }

  bool sends_entity(const json::object& definition) const override {
    const auto* const text = find_value(definition, "template");
    return has_body(method_of(definition)) && (text == nullptr || text->as_string().empty());
  }

  bool needs_second_format(const json::object& definition) const override {
    return method_of(definition) != "POST" || content_type_of(definition) != json_type ||
           is_url_template(definition.at("recipient").as_string());
  }

  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    const std::string_view method = method_of(workflow.action);
    json::value url = workflow.action.at("recipient");
    WorkBudget budget(templates::max_work);
    if (is_url_template(url.as_string())) {
      json::monotonic_resource memory;
      url = rendered_url(url.as_string(), template_context(workflow, event, &memory), budget);
    }
    std::string body;
    if (has_body(method)) {
      const std::string_view text = body_template(workflow);
      body = text.empty() ? payload(workflow, event) : rendered(text, workflow, event, budget);
    }
    if (body.size() > max_body_bytes) throw std::length_error("the body is too large");
    Plan plan{.request = {{"url", std::move(url)}, {"headers", plan_headers(workflow.action)}},
              .body = std::move(body)};
    if (method != "POST") plan.request["method"] = method;
    if (const auto* const answer = find_value(workflow.action, "answer")) plan.request["answer"] = *answer;
    return plan;
  }

  std::string destination(const json::object& request, const Guid& business) const override {
    // Successive events of a workflow have the same URL, so the last result is cached.
    thread_local std::string url, key;
    if (const std::string_view requested = request.at("url").as_string(); url != requested || key.empty()) {
      const auto destination = net::parse_destination(requested);
      key = destination ? destination->key() : std::string();
      url = requested;
    }
    return key.empty() ? key : key + '/' + business.to_string();
  }

  std::string queue_destination(const json::object& definition, const Guid& business) const override {
    return destination({{"url", url_without_tags(definition.at("recipient").as_string())}}, business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    net::HttpRequest request = request_of(attempt, effects.clock.now());
    Expected expected = expected_of(attempt);
    if (!expected.fields.empty()) request.read_limit = request.keep_limit = max_answer_body + 1;
    effects.http.send(std::move(request), [finish = std::move(finish), expected = std::move(expected),
                                           &clock = effects.clock](net::HttpResponse response) {
      finish(result_of(std::move(response), expected, clock.now()));
    });
  }
};

}  // namespace

const Action& webhook_action() {
  static const Webhook action;
  return action;
}

}  // namespace waybill::actions
