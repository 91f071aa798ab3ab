#include "matching/upcoming.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "domain/records/change.hpp"
#include "matching/relatives.hpp"
#include "matching/rule.hpp"
#include "matching/scheduled_records.hpp"
#include "matching/unreadable.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/upcoming.sql.hpp"

namespace waybill::matching {
namespace {

constexpr std::int64_t most_candidates = 1'000;  // of each kind; the window can change their order
constexpr std::int64_t most_schedules = 100;
constexpr std::size_t records_of_portion = 50;
constexpr std::size_t bytes_of_portion = std::size_t{4} << 20U;
constexpr std::size_t condition_work = 32 * domain::max_condition_work;  // about a second

/// An entry, and what its conditions need.
struct Entry {
  Upcoming shown;
  std::string trigger;
  std::string conditions;  // JSON
  std::optional<storage::EventKey> event = std::nullopt;
};

template <typename Rows>
std::vector<Entry> entries_of(const Rows& rows) {
  std::vector<Entry> entries;
  for (const auto& row : rows) {
    Entry& entry =
        entries.emplace_back(Entry{.shown = {.at = row.at,
                                             .kind = std::string(row.kind),
                                             .workflow = row.workflow_id,
                                             .name = std::string(row.name),
                                             .version = row.version,
                                             .entity_type = static_cast<domain::EntityType>(row.entity_type),
                                             .entity = std::optional<Guid>(row.entity_id),
                                             .run = std::optional<Guid>(row.run_id),
                                             .holds_now = {}},
                                   .trigger = std::string(row.trigger),
                                   .conditions = std::string(row.conditions)});
    if (row.event_id && *row.event_id > 0)
      entry.event = storage::EventKey{static_cast<std::uint64_t>(*row.event_id), row.event_at.value()};
  }
  return entries;
}

/// Evaluates the conditions of entries for their records as they are now.
class Judge {
 public:
  Judge(storage::Session& session, const Guid& business)
      : outbox_(session), columns_(session), business_(business) {}

  void judge(std::vector<Entry>& entries) {
    std::map<Guid, std::vector<Entry*>> by_record;
    for (Entry& entry : entries) {
      if (entry.shown.entity) by_record[*entry.shown.entity].push_back(&entry);
    }
    std::vector<Record> records;
    for (auto& [guid, of_record] : by_record)
      records.push_back({.guid = guid, .entries = std::move(of_record)});
    for (std::span<Record> left(records); !left.empty() && !share_.is_exceeded();)
      left = left.subspan(judge_some(left.first(std::min(left.size(), records_of_portion))));
  }

 private:
  using Events = std::unordered_map<storage::EventKey, storage::StoredEvent, storage::EventKeyHash>;
  using Rules = std::map<std::tuple<Guid, int>, std::optional<Rule>>;

  struct Record {
    Guid guid;
    std::vector<Entry*> entries;
    json::object entity = {};
    bool is_readable = false;
  };

  /// Judges the entries of the first records, at least of one, and returns their number.
  std::size_t judge_some(std::span<Record> records) {
    std::vector<storage::StoredEvent> stubs;
    for (const Record& record : records) stubs.push_back(stub_of(record));
    std::vector<storage::StoredEvent> current = outbox_.current(stubs, bytes_of_portion);
    records = records.first(current.size());
    read_entities(records, current);
    const Events events = events_of(records);
    for (std::size_t i = 0; i < records.size(); ++i) {
      for (Entry* const entry : records[i].entries)
        entry->shown.holds_now = holds(*entry, records[i], current[i].after.has_value(), events);
    }
    return records.size();
  }

  storage::StoredEvent stub_of(const Record& record) const {
    return {.id = 0,
            .business_id = business_,
            .entity_type = record.entries.front()->shown.entity_type,
            .entity_id = record.guid,
            .at = {},
            .cause = {},
            .detail = {},
            .before = {},
            .after = {}};
  }

  void read_entities(std::span<Record> records, std::vector<storage::StoredEvent>& current) {
    storage::RelativesWanted wanted;
    for (std::size_t i = 0; i < records.size(); ++i) {
      storage::StoredEvent& stored = current[i];
      if (!stored.after) continue;
      stored.before = stored.after;
      records[i].is_readable =
          !unless_unreadable([&] { records[i].entity = columns_.change(stored, {}).entity; });
      if (records[i].is_readable)
        collect_relatives(business_, records[i].guid, stored.entity_type, records[i].entity, wanted);
    }
    const std::vector<storage::Relative> relatives = outbox_.relatives(wanted);
    const RelativeIndex index(relatives);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].is_readable)
        index.fill(business_, records[i].guid, current[i].entity_type, records[i].entity);
    }
  }

  /// The events of the runs of some records that are still stored, up to a number of bytes.
  Events events_of(std::span<const Record> records) {
    std::vector<storage::PendingEvent> wanted;
    for (const Record& record : records) {
      for (const Entry* const entry : record.entries) {
        if (entry->event)
          wanted.push_back(
              {.shard = 0, .id = entry->event->id, .business_id = business_, .at = entry->event->at});
      }
    }
    const auto order = [](const storage::PendingEvent& event) { return event.key(); };
    std::ranges::sort(wanted, {}, order);
    wanted.erase(std::ranges::unique(wanted, {}, order).begin(), wanted.end());
    Events events;
    if (wanted.empty()) return events;
    bool has_all = true;
    for (storage::StoredEvent& event : outbox_.fetch(wanted, bytes_of_portion, has_all)) {
      const storage::EventKey key{event.id, event.at};
      events.emplace(key, std::move(event));
    }
    return events;
  }

  /// As the worker decides when the time has come: the previous values are those of the run's event. A run
  /// for the deletion of its record compares the record as it was.
  std::optional<bool> holds(const Entry& entry, const Record& record, bool exists, const Events& events) {
    const std::optional<Rule>& rule = rule_of(entry);
    if (!rule || share_.is_exceeded()) return std::nullopt;
    const auto found = entry.event ? events.find(*entry.event) : events.end();
    const bool is_deletion = found != events.end() && found->second.before && !found->second.after;
    if (!exists && !is_deletion) return false;
    if (exists && !record.is_readable) return std::nullopt;
    domain::Change then;
    if (found != events.end()) {
      if (unless_unreadable([&] { then = columns_.change(found->second, {}); })) return std::nullopt;
    }
    if (is_deletion) {
      fill_relatives(outbox_, business_, record.guid, then);
    } else if (rule->conditions.reads_relatives()) {
      fill_previous(outbox_, business_, then);
    }
    const json::object& entity = is_deletion ? then.entity : record.entity;
    const auto verdict = domain::judge(rule->conditions, {entity, then.previous, then.created}, share_);
    if (verdict == domain::Verdict::too_much_work) return std::nullopt;
    return verdict == domain::Verdict::hold;
  }

  /// Nullopt if this version cannot read the definition.
  const std::optional<Rule>& rule_of(const Entry& entry) {
    const auto [rule, is_new] = rules_.try_emplace({entry.shown.workflow, entry.shown.version});
    if (is_new) {
      try {
        rule->second = make_rule(entry.trigger, json::parse(entry.conditions));
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): such a workflow is held
      }
    }
    return rule->second;
  }

  storage::Outbox outbox_;
  storage::RecordColumns columns_;
  Guid business_;
  Rules rules_;
  WorkBudget share_{condition_work};
};

std::vector<Upcoming> judged(storage::Session& session, const Guid& business, std::vector<Entry> entries) {
  if (entries.size() > most_upcoming) entries.erase(entries.begin() + most_upcoming, entries.end());
  if (!entries.empty()) Judge(session, business).judge(entries);
  std::vector<Upcoming> upcoming;
  for (Entry& entry : entries) upcoming.push_back(std::move(entry.shown));
  return upcoming;
}

/// The next ticks of the schedules that name a record now.
std::vector<Entry> ticks_for(storage::Session& session, const Guid& business, const Guid& record,
                             std::int16_t type, std::optional<Time> until) {
  std::vector<Entry> ticks = entries_of(session.run(sql::upcoming::Ticks{.business = business,
                                                                         .entity_type = type,
                                                                         .until = until,
                                                                         .no_record = storage::no_record,
                                                                         .limit = most_schedules}));
  if (ticks.empty()) return ticks;
  storage::RecordColumns columns(session);
  std::erase_if(ticks, [&](const Entry& tick) {
    std::optional<Rule> rule;
    try {
      rule = make_rule(tick.trigger, json::parse(tick.conditions));
    } catch (const std::exception&) {  // this version cannot read it
      return true;
    }
    if (!rule->triggers.schedule) return true;
    ScheduledRecords records(session, columns, *rule, business, {}, record);
    return records.at_end() || records.next().empty();
  });
  return ticks;
}

}  // namespace

std::optional<std::vector<Upcoming>> upcoming_of_record(storage::Session& session, const Guid& business,
                                                        const Guid& record, std::optional<Time> until) {
  const auto types = session.run(sql::upcoming::Record{.business = business, .record = record});
  const auto type = types.find();
  if (!type) return std::nullopt;
  std::vector<Entry> entries = entries_of(session.run(sql::upcoming::OfRecord{.business = business,
                                                                              .record = record,
                                                                              .until = until,
                                                                              .no_record = storage::no_record,
                                                                              .limit = most_candidates}));
  std::ranges::move(ticks_for(session, business, record, type->entity_type, until),
                    std::back_inserter(entries));
  std::ranges::sort(entries, {}, [](const Entry& entry) {
    const Upcoming& shown = entry.shown;
    return std::tuple(shown.at, shown.workflow, shown.entity, shown.run);
  });
  return judged(session, business, std::move(entries));
}

std::optional<std::vector<Upcoming>> upcoming_of_workflow(storage::Session& session, const Guid& business,
                                                          const Guid& workflow, std::optional<Time> until) {
  if (!session.run(sql::upcoming::HasWorkflow{.business = business, .workflow = workflow}).front().is_known)
    return std::nullopt;
  return judged(session, business,
                entries_of(session.run(sql::upcoming::OfWorkflow{.business = business,
                                                                 .workflow = workflow,
                                                                 .until = until,
                                                                 .no_record = storage::no_record,
                                                                 .limit = most_candidates})));
}

}  // namespace waybill::matching
