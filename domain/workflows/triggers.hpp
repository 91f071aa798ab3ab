#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/change.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/digest.hpp"
#include "domain/workflows/schedule.hpp"
#include "domain/workflows/timer.hpp"

namespace waybill::domain {

struct Trigger {
  Guid guid;  // UUIDv5 in the URL namespace of "waybill:trigger:CODE"
  std::string_view code;
  std::string_view name;
  std::string_view description;
  EntityType entity_type;
  // The first of the fields whose changes fire it; empty if it does not depend on certain fields.
  std::string_view field = {};
};

using TriggerSet = std::bitset<64>;  // by index into triggers()

/// All triggers, grouped by entity type.
std::span<const Trigger> triggers();
std::span<const Trigger> triggers(EntityType type);
/// The codes of the catalogue. Can be called before main.
std::span<const std::string_view> trigger_codes();
/// Null if unknown.
const Trigger* find_trigger(const Guid& guid);
const Trigger* find_trigger(std::string_view code);
std::size_t trigger_index(const Trigger& trigger);

/// The triggers that fire for a change.
TriggerSet fired_triggers(const Change& change);

/// True if the status of a shipment's carrier label has changed.
bool moves_label(const Change& change);

/// The triggers that an event may meet whose records cannot be read, but of which is known whether there is
/// one before and after it.
TriggerSet possible_triggers(EntityType entity_type, bool has_before, bool has_after);

/// The triggers of a set, the narrowest first: `order_shipped`, `order_status_changed`, `order_updated`.
std::vector<const Trigger*> narrowest_first(const TriggerSet& set);

/// The triggers of a workflow, chosen by one guid (`triggerId`) or as a list of codes (`triggers`). Instead
/// of triggers it can have a timer or a schedule.
struct TriggerChoice {
  TriggerSet set;                  // empty for a timer or a schedule
  const Trigger* first = nullptr;  // head of the list; for `["*"]` the first of the entity type; see choose
  bool is_list = false;
  bool is_all = false;  // `["*"]`
  /// The workflow's action needs a reader of the second format.
  bool second_format = false;
  /// The workflow has more than triggers, conditions, one action, delay and order.
  bool third_format = false;
  /// The delay of the workflow counts working days.
  bool fourth_format = false;
  /// Runs of the workflow may wait for events of their record, or be cancelled by them.
  bool fifth_format = false;
  std::optional<Timer> timer = std::nullopt;
  std::optional<Schedule> schedule = std::nullopt;
  /// Collects the events that meet the triggers.
  std::optional<Digest> digest = std::nullopt;

  bool operator==(const TriggerChoice&) const = default;
  /// The triggers that the choice and an event share, the narrowest first.
  std::vector<const Trigger*> met(const TriggerSet& fired) const { return narrowest_first(set & fired); }
  /// The form in which the choice is stored. The first format is the code of a trigger. The second format is
  /// `2:CODE`; for a list `any:CODE,CODE` or `any:order_*`. The third format is one of these forms after
  /// `3:`. The form of a timer is `timer:order.createdAt:PT24H`, or `timer:order.createdAt:P2D:workdays`,
  /// that of a schedule `schedule:order:` and its members as JSON. The fourth format is one of all these
  /// after `4:`, the fifth is one of all these after `5:`. The sixth format is `6:`, one of the forms with
  /// triggers, `:` and the members of a digest as JSON. A version of waybill without support for a form
  /// finds no trigger with such a code. It holds the workflow as unreadable instead of performing it in
  /// another way.
  std::string stored() const;
  /// The list as the API shows it; one code for a choice by guid, none for a timer or a schedule.
  json::array shown() const;
};

TriggerChoice choose(const Trigger& trigger);
/// `first` then names the runs: it has the code `timer` or `schedule` and no guid, and is not in the
/// catalogue.
TriggerChoice choose(const Timer& timer, EntityType type);
TriggerChoice choose(Schedule schedule, EntityType type);
/// The `trigger_code` of the runs of digests.
inline constexpr std::string_view digest_code = "digest";
/// Reads the stored form. Returns nullopt if this version does not support it.
std::optional<TriggerChoice> parse_choice(std::string_view stored);
/// Reads the codes in a request, for an entity type. Errors name `triggers` or `triggers[2]`.
std::variant<TriggerChoice, FieldErrors> parse_choice(const json::array& codes, EntityType type);

}  // namespace waybill::domain
