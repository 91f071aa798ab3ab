#include <algorithm>
#include <stdexcept>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/stored_templates.hpp"
#include "actions/web_push/web_push_fan_out.hpp"
#include "base/crypto.hpp"
#include "base/utf8.hpp"
#include "net/web_push/web_push.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_title_characters = 200;
constexpr std::size_t max_body_characters = 10'000;
constexpr std::size_t max_url_characters = 2'000;
constexpr std::int64_t max_ttl = 2'419'200;   // four weeks
constexpr std::int64_t default_ttl = 86'400;  // one day; an older notification is not worth showing
constexpr std::size_t max_topic_size = 32;    // RFC 8030 section 5.4
constexpr std::string_view urgencies[] = {"very-low", "low", "normal", "high"};  // RFC 8030 section 5.3
constexpr std::string_view all_users = "all";
constexpr std::string_view part_names[] = {"title", "body", "url"};

/// True for a URL or path that a notification may open; excludes javascript: and data: URLs.
bool is_link(std::string_view url) {
  return url.starts_with("https://") || url.starts_with("http://") || url.starts_with('/');
}

/// The user that a checked recipient names; nullopt for all users of the business.
std::optional<Guid> user_of(std::string_view recipient) {
  if (recipient == all_users) return std::nullopt;
  const Guid user = Guid::parse(recipient).value();
  return user;
}

/// Checks a push message's configuration and collects its errors.
class Checker {
 public:
  Checker(const json::object& definition, const CheckContext& context, FieldErrors& errors)
      : definition_(definition), context_(context), errors_(errors) {}

  json::object check() {
    for (const auto& member : definition_) {
      constexpr std::string_view known[] = {"type", "recipient", "template", "title",
                                            "body", "url",       "ttl",      "urgency"};
      if (std::ranges::find(known, std::string_view(member.key())) == std::end(known)) {
        refuse(member.key(), "unknown field");
      }
    }
    return {{"type", "send_push"},
            {"recipient", recipient()},
            {"template", stored_template()},
            {"title", title()},
            {"body", text("body", max_body_characters)},
            {"url", url()},
            {"ttl", ttl()},
            {"urgency", urgency()}};
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  json::value recipient() {
    const json::value* value = find_value(definition_, "recipient");
    if (value == nullptr) return json::value(all_users);
    const std::string_view name = value->is_string() ? std::string_view(value->get_string()) : "";
    if (name.empty() || name == all_users) {
      if (!value->is_string()) refuse("recipient", "must be a string");
      return json::value(all_users);
    }
    const auto user = Guid::parse(name);
    if (!user) refuse("recipient", "must be \"all\" or the guid of a user");
    return json::value(user.value_or(Guid{}).to_string());
  }

  json::value stored_template() {
    const json::value* value = find_value(definition_, "template");
    if (value == nullptr || *value == "") return nullptr;
    if (!value->is_string()) {
      refuse("template", "must be a string");
    } else if (auto problem = stored_template_problem(context_, value->get_string(), "send_push")) {
      refuse("template", std::move(*problem));
    }
    return *value;
  }

  json::value text(std::string_view field, std::size_t max_characters) {
    const json::value* value = find_value(definition_, field);
    if (value == nullptr || *value == "") return nullptr;
    if (!value->is_string()) {
      refuse(field, "must be a string");
    } else if (count_characters(value->get_string()) > max_characters) {
      refuse(field, "must not be longer than " + std::to_string(max_characters) + " characters");
    } else if (auto problem = templates::mustache_problem(value->get_string())) {
      refuse(field, std::move(*problem));
    }
    return *value;
  }

  // Every notification needs a title (Notifications API, showNotification).
  json::value title() {
    json::value title = text("title", max_title_characters);
    if (title.is_null() && find_value(definition_, "template") == nullptr) {
      refuse("title", "is required without a template");
    }
    return title;
  }

  json::value url() {
    json::value url = text("url", max_url_characters);
    if (!url.is_string()) return url;
    const std::string_view given_url = url.get_string();
    if (!given_url.starts_with("{{") && !is_link(given_url)) {
      refuse("url", "must be an http or https URL, or a path");
    }
    return url;
  }

  json::value ttl() {
    const json::value* value = find_value(definition_, "ttl");
    if (value == nullptr) return default_ttl;
    if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > max_ttl) {
      refuse("ttl", "must be an integer from 0 to " + std::to_string(max_ttl));
    }
    return *value;
  }

  json::value urgency() {
    const json::value* value = find_value(definition_, "urgency");
    if (value == nullptr) return "normal";
    if (!value->is_string() ||
        std::ranges::find(urgencies, std::string_view(value->get_string())) == std::end(urgencies)) {
      refuse("urgency", "must be one of very-low, low, normal, high");
    }
    return *value;
  }

  const json::object& definition_;
  const CheckContext& context_;
  FieldErrors& errors_;
};

// The same for all attempts and replays of an event × workflow, so that a later message replaces an earlier
// one while it waits at the push service (Topic) and where it is shown (tag).
std::string topic_of(std::string_view message_id) {
  return base64url(sha256(message_id)).substr(0, max_topic_size);
}

/// The event, as described in a push message.
struct Source {
  std::string_view trigger;
  domain::EntityType entity_type;
  Guid entity_id;
};

// The JSON text that the page's service worker receives.
std::string message_text(const json::object& request, std::string_view body, std::string_view tag,
                         const Source& source) {
  return to_json(json::object{{"title", request.at("title")},
                              {"body", body.empty() ? json::value() : json::value(body)},
                              {"url", request.at("url")},
                              {"tag", tag},
                              {"data",
                               {{"type", source.trigger},
                                {"entityType", domain::record_type(source.entity_type).name},
                                {"entityId", source.entity_id.to_string()}}}});
}

// Returns null if there is no such part. Nothing is escaped, because the part is shown as plain text.
json::value rendered_part(const WorkflowView& workflow, std::string_view part, const json::object& context,
                          WorkBudget& budget) {
  const json::object& action = workflow.action;
  std::optional<std::string_view> text;
  if (const json::value* const own = find_value(action, part)) {
    text = own->as_string();
  } else if (const auto code = template_code(action); !code.empty()) {
    text = stored_part(workflow.templates, code, part);
  }
  if (!text) return nullptr;
  const auto escape = templates::part_escape("send_push", part);
  return json::value(templates::render(*text, context, escape, stored_partials(workflow.templates, escape),
                                       budget, net::max_push_message));
}

class SendPush final : public Action {
 public:
  std::string_view type() const override { return "send_push"; }
  Notification notification() const override { return Notification::push; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return Checker(definition, context, errors).check();
  }

  std::vector<std::string> templates(const json::object& definition) const override {
    std::vector<std::string> codes;
    if (const auto code = template_code(definition); !code.empty()) codes.emplace_back(code);
    for (const auto part : part_names) {
      if (const auto* const text = find_value(definition, part)) add_partials(text->as_string(), codes);
    }
    return codes;
  }

  std::optional<Guid> user(const json::object& definition) const override {
    return user_of(definition.at("recipient").as_string());
  }

  /// Parts without a text in the definition come from the stored template. The subscriptions are not known
  /// before the attempt, so `subscriptions` holds the recipient; the API shows their number instead, and
  /// leaves out ttl, urgency and destination.
  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    json::monotonic_resource memory;
    const json::object context = template_context(workflow, event, &memory);
    WorkBudget budget(templates::max_work);
    const auto rendered = [&](std::string_view part) {
      return rendered_part(workflow, part, context, budget);
    };
    const json::value title = rendered("title");
    const json::value body = rendered("body");
    const json::value url = rendered("url");
    if (title.is_null()) throw std::invalid_argument("a push message has no title");
    if (url.is_string() && !url.get_string().empty() && !is_link(url.get_string())) {
      throw std::invalid_argument("a push message's url is neither an http or https URL nor a path");
    }
    Plan plan{.request = {{"title", title},
                          {"url", url},
                          {"subscriptions", workflow.action.at("recipient")},
                          {"ttl", workflow.action.at("ttl")},
                          {"urgency", workflow.action.at("urgency")},
                          {"destination", "push:" + workflow.business_id.to_string()}},
              .body = {}};
    if (body.is_string()) plan.body = std::string(body.get_string());
    const std::string text = message_text(plan.request, plan.body.value_or(""), topic_of(""),
                                          {event.trigger, event.entity_type, event.entity_id});
    if (text.size() > net::max_push_message) {
      throw std::length_error("the push message has " + std::to_string(text.size()) + " bytes; " +
                              std::to_string(net::max_push_message) + " are allowed");
    }
    return plan;
  }

  /// By business; the sender limits each push service itself.
  std::string destination(const json::object& request, const Guid& /*business*/) const override {
    return std::string(request.at("destination").as_string());
  }

  std::string queue_destination(const json::object& /*definition*/, const Guid& business) const override {
    return "push:" + business.to_string();
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const json::object& request = attempt.request;
    const std::string topic = topic_of(attempt.message_id);
    PushMessage message{.business = attempt.business_id,
                        .user = user_of(request.at("subscriptions").as_string()),
                        .text = message_text(request, attempt.body, topic,
                                             {attempt.trigger, attempt.entity_type, attempt.entity_id}),
                        .headers = {{"TTL", std::to_string(request.at("ttl").to_number<std::int64_t>())},
                                    {"Urgency", std::string(request.at("urgency").as_string())},
                                    {"Topic", topic}},
                        .history = PushHistory::read(attempt.tries),
                        .workflow = attempt.workflow};
    fan_out_push(std::move(message), *effects.push, effects.http, effects.clock, std::move(finish));
  }
};

}  // namespace

const Action& send_push_action() {
  static const SendPush action;
  return action;
}

}  // namespace waybill::actions
