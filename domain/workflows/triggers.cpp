#include "domain/workflows/triggers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace waybill::domain {
namespace {

using enum EntityType;

enum class When : std::uint8_t {
  created,
  deleted,
  updated,         // any plain field changed
  status_changed,  // to the status `detail`, or to any if it is empty
  field_changed,   // one of the fields in `detail`, separated by spaces
  field_set,       // like field_changed, and the first of the fields has a value
  dispatched,
  label_moved,  // the carrier's label moved to one of the statuses in `detail`, separated by spaces
  traced,
  erased,
};

struct TriggerRow {
  EntityType type;
  When when;
  std::string_view detail;
  std::string_view code;
  std::string_view name;
  std::string_view description;
};

constexpr auto rows = std::to_array<TriggerRow>({
    {order, When::created, "", "order_created", "Order created", "A new order is created."},
    {order, When::updated, "", "order_updated", "Order updated",
     "Any field of an order other than its status changes, such as its items."},
    {order, When::status_changed, "", "order_status_changed", "Order status changed",
     "An order's status changes."},
    {order, When::status_changed, "cancelled", "order_cancelled", "Order cancelled",
     "An order is cancelled."},
    {order, When::status_changed, "shipped", "order_shipped", "Order shipped", "An order is on its way."},
    {order, When::status_changed, "delivered", "order_delivered", "Order delivered",
     "An order has reached its recipient."},
    {order, When::field_set, "collectionDate timeWindow.start timeWindow.end", "order_collection_scheduled",
     "Order collection scheduled", "An order's collection date or its time window is set or changed."},
    {order, When::deleted, "", "order_deleted", "Order deleted", "An order is deleted."},

    {shipment, When::created, "", "shipment_created", "Shipment created", "A new shipment is created."},
    {shipment, When::updated, "", "shipment_updated", "Shipment updated",
     "Any field of a shipment other than its status changes."},
    {shipment, When::status_changed, "", "shipment_status_changed", "Shipment status changed",
     "A shipment's status changes."},
    {shipment, When::status_changed, "collected", "shipment_collected", "Shipment collected",
     "The carrier has picked a shipment up."},
    {shipment, When::status_changed, "in_transit", "shipment_in_transit", "Shipment in transit",
     "A shipment is on its way between depots."},
    {shipment, When::status_changed, "out_for_delivery", "shipment_out_for_delivery",
     "Shipment out for delivery", "A shipment is on its last leg to the recipient."},
    {shipment, When::status_changed, "delivered", "shipment_delivered", "Shipment delivered",
     "A shipment is delivered."},
    {shipment, When::status_changed, "exception", "shipment_exception", "Shipment exception",
     "A problem interrupts the transport of a shipment."},
    {shipment, When::status_changed, "returned", "shipment_returned", "Shipment returned",
     "A shipment is back at its sender."},
    {shipment, When::status_changed, "cancelled", "shipment_cancelled", "Shipment cancelled",
     "A shipment is cancelled."},
    {shipment, When::dispatched, "", "shipment_dispatched", "Shipment dispatched",
     "A shipment is put into a dispatch."},
    {shipment, When::label_moved, "bought", "shipment_label_bought", "Shipment label bought",
     "A carrier's label of a shipment is bought."},
    {shipment, When::label_moved, "refused unknown", "shipment_label_failed", "Shipment label failed",
     "The purchase of a shipment's label is refused, or its outcome is not known."},
    {shipment, When::label_moved, "voided", "shipment_label_voided", "Shipment label voided",
     "A shipment's label is given back."},
    {shipment, When::traced, "", "shipment_trace_added", "Shipment trace added",
     "A scan of a shipment is reported, even if it also changes the status. The entity has it as `trace`."},
    {shipment, When::deleted, "", "shipment_deleted", "Shipment deleted", "A shipment is deleted."},

    {customer, When::created, "", "customer_created", "Customer created", "A new customer is created."},
    {customer, When::updated, "", "customer_updated", "Customer updated",
     "Any field of a customer changes, such as its contacts and references."},
    {customer, When::deleted, "", "customer_deleted", "Customer deleted", "A customer is deleted."},
    {customer, When::erased, "", "customer_erased", "Customer erased",
     "The personal data of a customer are erased. The entity has only the guid."},

    {product, When::created, "", "product_created", "Product created", "A new product is created."},
    {product, When::updated, "", "product_updated", "Product updated",
     "Any field of a product changes, such as its variants."},
    {product, When::field_changed, "price", "product_price_changed", "Product price changed",
     "A product's price changes."},
    {product, When::deleted, "", "product_deleted", "Product deleted", "A product is deleted."},
});

static_assert(rows.size() <= TriggerSet{}.size());
static_assert(std::ranges::is_sorted(rows, {}, &TriggerRow::type));

// The fields that the move of a shipment's label writes with `labelStatus`. It is told by its own triggers.
constexpr std::string_view label_status = "labelStatus";
constexpr std::string_view fields_of_label =
    "labelStatus carrierTrackingNumber carrierTrackingUrl shippingPrice currency carrier.guid serviceLevel "
    "packages estimatedDelivery";  // derived from serviceLevel, or announced with the label

// A row with its fields looked up.
struct Rule {
  When when;
  std::string_view statuses;  // separated by spaces; empty: any
  FieldSet fields;
  std::string_view first_field;
};

/// Calls `visit` with each of some words that are separated by spaces.
template <typename Visit>
void for_each_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    visit(word);
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
}

FieldSet fields_named(const RecordType& type, std::string_view paths) {
  FieldSet fields;
  for_each_word(paths, [&](std::string_view path) {
    const Field* field = type.find(path);
    if (field == nullptr) throw std::logic_error("trigger on an unknown field: " + std::string(path));
    fields.set(type.index_of(*field));
  });
  return fields;
}

Rule make_rule(const TriggerRow& row) {
  Rule rule{row.when, {}, {}, {}};
  const RecordType& type = record_type(row.type);
  switch (row.when) {
    case When::updated:
      for (const Field& field : type.fields) {
        if (field.has_role(ColumnRole::plain)) rule.fields.set(type.index_of(field));
      }
      break;
    case When::status_changed:
      rule.statuses = row.detail;
      break;
    case When::label_moved:
      rule.statuses = row.detail;
      rule.first_field = label_status;
      rule.fields = fields_named(type, label_status);
      break;
    case When::field_changed:
    case When::field_set:
      rule.first_field = row.detail.substr(0, row.detail.find(' '));
      rule.fields = fields_named(type, row.detail);
      break;
    case When::created:
    case When::deleted:
    case When::dispatched:
    case When::traced:
    case When::erased:
      break;
  }
  return rule;
}

constexpr auto codes = [] {
  std::array<std::string_view, rows.size()> list;
  std::ranges::transform(rows, list.begin(), &TriggerRow::code);
  return list;
}();

struct Catalogue {
  std::vector<Trigger> triggers;
  std::vector<Rule> rules;
  std::array<std::size_t, entity_type_count + 1> begins{};  // the first index of each entity type's triggers
  std::unordered_map<Guid, std::size_t> by_guid;
  std::unordered_map<std::string_view, std::size_t> by_code;

  Catalogue() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TriggerRow& row = rows[i];
      const Guid guid = Guid::from_name(namespace_url, "waybill:trigger:" + std::string(row.code));
      rules.push_back(make_rule(row));
      triggers.push_back({guid, row.code, row.name, row.description, row.type, rules.back().first_field});
      by_guid.emplace(guid, i);
      by_code.emplace(row.code, i);
      begins.at(static_cast<std::size_t>(row.type) + 1) = i + 1;
    }
  }
};

/// Ranks the triggers that one change can meet together; a lower rank is narrower.
int breadth(const TriggerRow& row) {
  if (row.when == When::updated) return 2;
  return row.when == When::status_changed && row.detail.empty() ? 1 : 0;
}

constexpr std::string_view list_prefix = "any:";
constexpr std::string_view second_prefix = "2:";
constexpr std::string_view third_prefix = "3:";
constexpr std::string_view fourth_prefix = "4:";
constexpr std::string_view fifth_prefix = "5:";
constexpr std::string_view sixth_prefix = "6:";
constexpr std::string_view timer_prefix = "timer:";
constexpr std::string_view workdays_suffix = ":workdays";
constexpr std::string_view schedule_prefix = "schedule:";
constexpr std::size_t deepest_schedule = 8;  // nesting of its JSON
constexpr std::size_t deepest_digest = 2;

const Catalogue& catalogue() {
  static const Catalogue instance;
  return instance;
}

bool has_text(const json::object& record, std::string_view name, std::string_view text) {
  const json::value* value = record.if_contains(name);
  return value != nullptr && value->is_string() && std::string_view(value->get_string()) == text;
}

/// True if the label has moved to one of the rule's statuses. A refused void gives back the label that was
/// bought before.
bool has_label_moved(const Rule& rule, const Change& change) {
  if ((change.changed & rule.fields).none()) return false;
  bool has_moved = false;
  for_each_word(rule.statuses, [&](std::string_view status) {
    const bool is_given_back = status == "bought" && has_text(change.previous, label_status, "voiding");
    has_moved = has_moved || (has_text(change.entity, label_status, status) && !is_given_back);
  });
  return has_moved;
}

/// The changed fields that concern `…_updated`: without those that the move of a label explains.
FieldSet updated_fields(const Change& change) {
  if (!moves_label(change)) return change.changed;
  static const FieldSet of_label = fields_named(record_type(shipment), fields_of_label);
  return change.changed & ~of_label;
}

bool has_value(const Change& change, std::string_view path) {
  const json::value* value = find_path(change.entity, path);
  return value != nullptr && !value->is_null();
}

/// Reads `order.createdAt:PT24H` or `order.createdAt:P2D:workdays`.
std::optional<TriggerChoice> parse_stored_timer(std::string_view stored) {
  const bool workdays = stored.ends_with(workdays_suffix);
  if (workdays) stored.remove_suffix(workdays_suffix.size());
  const auto dot = stored.find('.');
  const auto colon = stored.find(':');
  if (dot == std::string_view::npos || colon == std::string_view::npos || dot > colon) return std::nullopt;
  const auto type = parse_entity_type(stored.substr(0, dot));
  if (!type) return std::nullopt;
  const auto parsed = parse_timer(json::object{{"field", stored.substr(dot + 1, colon - dot - 1)},
                                               {"offset", stored.substr(colon + 1)},
                                               {"workdays", workdays}},
                                  *type);
  const Timer* const timer = std::get_if<Timer>(&parsed);
  return timer == nullptr ? std::nullopt : std::optional(choose(*timer, *type));
}

/// Reads `order:{"schedule": …}`.
std::optional<TriggerChoice> parse_stored_schedule(std::string_view stored) {
  const auto colon = stored.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto type = parse_entity_type(stored.substr(0, colon));
  auto members = parse_json(stored.substr(colon + 1), deepest_schedule);
  const auto* const value = std::get_if<json::value>(&members);
  if (!type || value == nullptr || !value->is_object() || !value->get_object().contains("schedule"))
    return std::nullopt;
  auto parsed = parse_schedule(value->get_object(), *type);
  auto* const schedule = std::get_if<Schedule>(&parsed);
  return schedule == nullptr ? std::nullopt : std::optional(choose(std::move(*schedule), *type));
}

/// Reads `any:order_*:{"every": …}`.
std::optional<TriggerChoice> parse_stored_digest(std::string_view stored) {
  const auto begin = stored.find(":{");
  if (begin == std::string_view::npos || stored.starts_with(sixth_prefix)) return std::nullopt;
  auto choice = parse_choice(stored.substr(0, begin));
  auto parsed = parse_json(stored.substr(begin + 1), deepest_digest);
  const auto* const members = std::get_if<json::value>(&parsed);
  if (!choice || choice->set.none() || members == nullptr) return std::nullopt;
  FieldErrors errors;
  choice->digest = parse_digest(*members, record_type(choice->first->entity_type), errors);
  return errors.empty() ? choice : std::nullopt;
}

using EventlessTriggers = std::array<Trigger, entity_type_count>;

/// Triggers that no event meets, by entity type.
EventlessTriggers eventless_triggers(std::string_view code, std::string_view name,
                                     std::string_view description) {
  EventlessTriggers made;
  for (std::size_t i = 0; i < made.size(); ++i)
    made.at(i) = {Guid(), code, name, description, static_cast<EntityType>(i)};
  return made;
}

bool fires(const Rule& rule, const Change& change) {
  switch (rule.when) {
    case When::created:
      return change.created;
    case When::deleted:
      return change.deleted;
    case When::updated:
      return (updated_fields(change) & rule.fields).any();
    case When::field_changed:
      return (change.changed & rule.fields).any();
    case When::status_changed:
      return change.previous_status &&
             (rule.statuses.empty() || has_text(change.entity, "status", rule.statuses));
    case When::label_moved:
      return has_label_moved(rule, change);
    case When::field_set:
      return (change.changed & rule.fields).any() && has_value(change, rule.first_field);
    case When::dispatched:
      return change.dispatched;
    case When::traced:
      return change.traced;
    case When::erased:
      return change.erased;
  }
  return false;
}

}  // namespace

bool moves_label(const Change& change) {
  static const FieldSet status = fields_named(record_type(shipment), label_status);
  return change.type == shipment && (change.changed & status).any();
}

std::span<const Trigger> triggers() { return catalogue().triggers; }

std::span<const std::string_view> trigger_codes() { return codes; }

std::span<const Trigger> triggers(EntityType type) {
  const auto& begins = catalogue().begins;
  const std::size_t begin = begins.at(static_cast<std::size_t>(type));
  const std::size_t end = begins.at(static_cast<std::size_t>(type) + 1);
  return triggers().subspan(begin, end - begin);
}

const Trigger* find_trigger(const Guid& guid) {
  const auto found = catalogue().by_guid.find(guid);
  return found == catalogue().by_guid.end() ? nullptr : &catalogue().triggers[found->second];
}

const Trigger* find_trigger(std::string_view code) {
  const auto found = catalogue().by_code.find(code);
  return found == catalogue().by_code.end() ? nullptr : &catalogue().triggers[found->second];
}

std::size_t trigger_index(const Trigger& trigger) {
  return static_cast<std::size_t>(&trigger - catalogue().triggers.data());
}

TriggerSet fired_triggers(const Change& change) {
  const Catalogue& all = catalogue();
  const auto type = static_cast<std::size_t>(change.type);
  TriggerSet fired;
  for (std::size_t i = all.begins.at(type); i < all.begins.at(type + 1); ++i) {
    if (fires(all.rules[i], change)) fired.set(i);
  }
  return fired;
}

TriggerSet possible_triggers(EntityType entity_type, bool has_before, bool has_after) {
  const Catalogue& all = catalogue();
  const auto type = static_cast<std::size_t>(entity_type);
  TriggerSet possible;
  for (std::size_t i = all.begins.at(type); i < all.begins.at(type + 1); ++i) {
    const When when = all.rules[i].when;
    const bool is_possible = !has_before && !has_after ? when == When::erased
                             : !has_before             ? when == When::created
                             : !has_after
                                 ? when == When::deleted
                                 : when != When::created && when != When::deleted && when != When::erased;
    possible.set(i, is_possible);
  }
  return possible;
}

std::vector<const Trigger*> narrowest_first(const TriggerSet& set) {
  std::vector<const Trigger*> found;
  for (int each = 0; each <= 2; ++each) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (set.test(i) && breadth(rows[i]) == each) found.push_back(&catalogue().triggers[i]);
    }
  }
  return found;
}

std::string TriggerChoice::stored() const {
  if (digest) {
    TriggerChoice rest = *this;
    rest.digest.reset();
    return std::string(sixth_prefix) + rest.stored() + ':' + to_json(digest->shown());
  }
  if (fifth_format) {
    TriggerChoice rest = *this;
    rest.fifth_format = false;
    return std::string(fifth_prefix) + rest.stored();
  }
  if (fourth_format) {
    TriggerChoice rest = *this;
    rest.fourth_format = false;
    return std::string(fourth_prefix) + rest.stored();
  }
  if (timer) {
    return std::string(timer_prefix) + std::string(record_type(first->entity_type).label) + '.' +
           std::string(timer->field->path) + ':' + format_offset(timer->offset) +
           std::string(timer->workdays ? workdays_suffix : "");
  }
  if (schedule) {
    return std::string(schedule_prefix) + std::string(record_type(first->entity_type).label) + ':' +
           to_json(schedule->shown());
  }
  if (!is_list) {
    const std::string_view prefix = third_format ? third_prefix : second_format ? second_prefix : "";
    return std::string(prefix) + std::string(first->code);
  }
  std::string text(third_format ? third_prefix : "");
  text += list_prefix;
  if (is_all) return text + std::string(record_type(first->entity_type).label) + "_*";
  // `first` stays at the head of the list; the others follow in the order of the catalogue.
  text += first->code;
  for (const Trigger& trigger : triggers()) {
    if (set.test(trigger_index(trigger)) && &trigger != first) text += ',' + std::string(trigger.code);
  }
  return text;
}

json::array TriggerChoice::shown() const {
  json::array list;
  if (timer || schedule) return list;
  if (is_all) {
    list.emplace_back("*");
    return list;
  }
  list.emplace_back(first->code);
  for (const Trigger& trigger : triggers()) {
    if (set.test(trigger_index(trigger)) && &trigger != first) list.emplace_back(trigger.code);
  }
  return list;
}

TriggerChoice choose(const Timer& timer, EntityType type) {
  static const auto named =
      eventless_triggers("timer", "Timer", "A time at or near the value of a field has come.");
  return {.set = {}, .first = &named.at(static_cast<std::size_t>(type)), .timer = timer};
}

TriggerChoice choose(Schedule schedule, EntityType type) {
  static const auto named = eventless_triggers("schedule", "Schedule", "A time of a schedule has come.");
  return {.set = {}, .first = &named.at(static_cast<std::size_t>(type)), .schedule = std::move(schedule)};
}

TriggerChoice choose(const Trigger& trigger) {
  TriggerChoice choice{.set = {}, .first = &trigger};
  choice.set.set(trigger_index(trigger));
  return choice;
}

std::optional<TriggerChoice> parse_choice(std::string_view stored) {
  if (stored.starts_with(sixth_prefix)) return parse_stored_digest(stored.substr(sixth_prefix.size()));
  if (stored.starts_with(fifth_prefix)) {
    stored.remove_prefix(fifth_prefix.size());
    if (stored.starts_with(sixth_prefix) || stored.starts_with(fifth_prefix)) return std::nullopt;
    auto choice = parse_choice(stored);
    if (choice) choice->fifth_format = true;
    return choice;
  }
  if (stored.starts_with(fourth_prefix)) {
    stored.remove_prefix(fourth_prefix.size());
    if (stored.starts_with(sixth_prefix) || stored.starts_with(fifth_prefix) ||
        stored.starts_with(fourth_prefix))
      return std::nullopt;
    auto choice = parse_choice(stored);
    if (choice) choice->fourth_format = true;
    return choice;
  }
  if (stored.starts_with(timer_prefix)) return parse_stored_timer(stored.substr(timer_prefix.size()));
  if (stored.starts_with(schedule_prefix))
    return parse_stored_schedule(stored.substr(schedule_prefix.size()));
  if (stored.starts_with(third_prefix)) {
    stored.remove_prefix(third_prefix.size());
    if (stored.starts_with(sixth_prefix) || stored.starts_with(fifth_prefix) ||
        stored.starts_with(fourth_prefix) || stored.starts_with(third_prefix) ||
        stored.starts_with(second_prefix))
      return std::nullopt;
    auto choice = parse_choice(stored);
    if (choice) choice->third_format = true;
    return choice;
  }
  if (!stored.starts_with(list_prefix)) {
    const bool is_second = stored.starts_with(second_prefix);
    if (is_second) stored.remove_prefix(second_prefix.size());
    const Trigger* const trigger = find_trigger(stored);
    if (trigger == nullptr) return std::nullopt;
    TriggerChoice choice = choose(*trigger);
    choice.second_format = is_second;
    return choice;
  }
  stored.remove_prefix(list_prefix.size());
  for (std::size_t type = 0; type < entity_type_count; ++type) {
    const auto entity_type = static_cast<EntityType>(type);
    if (stored == std::string(record_type(entity_type).label) + "_*")
      return std::get<TriggerChoice>(parse_choice(json::array{"*"}, entity_type));
  }
  json::array list;
  for (;;) {
    const auto comma = stored.find(',');
    list.emplace_back(stored.substr(0, comma));
    if (comma == std::string_view::npos) break;
    stored.remove_prefix(comma + 1);
  }
  const Trigger* const first = find_trigger(std::string_view(list.front().get_string()));
  if (first == nullptr) return std::nullopt;
  auto parsed = parse_choice(list, first->entity_type);
  auto* const choice = std::get_if<TriggerChoice>(&parsed);
  return choice == nullptr ? std::nullopt : std::optional(*choice);
}

std::variant<TriggerChoice, FieldErrors> parse_choice(const json::array& list, EntityType type) {
  TriggerChoice choice{.set = {}, .first = nullptr, .is_list = true};
  if (list.size() == 1 && list.front() == "*") {
    choice.is_all = true;
    choice.first = &triggers(type).front();
    for (const Trigger& trigger : triggers(type)) choice.set.set(trigger_index(trigger));
    return choice;
  }
  FieldErrors errors;
  if (list.empty()) errors.push_back({"triggers", "must not be empty"});
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* const code = list[i].if_string();
    const Trigger* const trigger = code == nullptr ? nullptr : find_trigger(std::string_view(*code));
    const auto refuse = [&](std::string message) {
      errors.push_back({"triggers[" + std::to_string(i) + "]", std::move(message)});
    };
    if (code != nullptr && *code == "*") {
      refuse("must be the only entry");
    } else if (trigger == nullptr) {
      refuse("is not the code of a trigger");
    } else if (trigger->entity_type != type) {
      refuse("is a trigger of " + std::string(record_type(trigger->entity_type).name) + ", not of " +
             std::string(record_type(type).name));
    } else if (choice.set.test(trigger_index(*trigger))) {
      refuse("is given twice");
    } else {
      choice.set.set(trigger_index(*trigger));
      if (choice.first == nullptr) choice.first = trigger;
    }
  }
  if (!errors.empty()) return errors;
  return choice;
}

}  // namespace waybill::domain
