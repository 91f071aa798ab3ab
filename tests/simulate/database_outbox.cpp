// The statements about events and workflows.
#include <algorithm>
#include <limits>

#include "storage/statement/binary.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/type_oids.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

/// The columns of a record's table: those of its fields.
std::vector<std::string> columns_of(const domain::RecordType& type) {
  std::vector<std::string> names;
  for (const domain::Field& field : type.fields) {
    const std::string_view column = field.column_name();
    if (!column.empty() && std::ranges::find(names, column) == names.end()) names.emplace_back(column);
  }
  return names;
}

}  // namespace

std::string record_value(const Guid& guid, const Record& record) {
  static const std::vector<std::string> names = columns_of(domain::record_type(domain::EntityType::order));
  std::string value;
  storage::append_binary(value, static_cast<std::int32_t>(names.size()));
  const auto add = [&](std::uint32_t type, std::optional<std::string_view> bytes) {
    storage::append_binary(value, static_cast<std::int32_t>(type));
    storage::append_binary(value, bytes ? static_cast<std::int32_t>(bytes->size()) : std::int32_t{-1});
    value += bytes.value_or("");
  };
  std::string collection;
  if (record.collection)
    storage::append_binary(collection,
                           static_cast<std::int64_t>((*record.collection - storage::binary_epoch).count()));
  for (const std::string& name : names) {
    if (name == "guid") {
      add(storage::type_oid::uuid,
          std::string_view(reinterpret_cast<const char*>(guid.bytes.data()), guid.bytes.size()));
    } else if (name == "external_reference") {
      add(storage::type_oid::text, record.reference);
    } else if (name == "status") {
      add(storage::type_oid::text, record.status);
    } else if (name == "notes" && record.notes) {
      add(storage::type_oid::text, *record.notes);
    } else if (name == "collection_date" && record.collection) {
      add(storage::type_oid::timestamptz, collection);
    } else {
      add(storage::type_oid::text, std::nullopt);
    }
  }
  return value;
}

void add_event(Result& result, const Event& event) {
  std::string id, type;
  storage::append_binary(id, static_cast<std::int64_t>(event.id));
  storage::append_binary(type, static_cast<std::int16_t>(domain::EntityType::order));
  result.bytes(id).guid(event.business).bytes(type).guid(event.record).time(event.at);
  result.text(event.cause).null();
  if (event.before)
    result.bytes(record_value(event.record, *event.before));
  else
    result.null();
  result.bytes(record_value(event.record, event.after));
}

storage::Rows Database::scan(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const auto businesses = args.guids(2);
  const auto lows = args.numbers(3);
  const auto limits = args.numbers(4);
  const auto separated = args.guids(5);
  const auto ids = args.numbers(6);
  const auto times = args.times(7);
  std::set<std::pair<std::int64_t, Time>> in_flight;
  for (std::size_t i = 0; i < ids.size(); ++i) in_flight.emplace(ids[i], times[i]);
  const Time began = scheduler_.time();
  const Xid xmax = latest_completed_ + 1;
  const Xid xmin = running_.empty() ? xmax : std::min(*running_.begin(), xmax);
  std::string snapshot = std::to_string(xmin) + ':' + std::to_string(xmax) + ':';
  for (const Xid xid : running_) {
    if (xid < xmax) snapshot += (snapshot.ends_with(':') ? "" : ",") + std::to_string(xid);
  }
  std::vector<const Event*> visible;
  for (const auto& version : pending_.versions()) {
    if (version.is_visible_to(session.xid)) visible.push_back(&version.row);
  }
  std::ranges::sort(visible, {}, [](const Event* event) { return event->id; });
  std::vector<Event> found;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::int64_t count = 0;
    for (const Event* const event : visible) {
      const bool is_own =
          event->business == businesses[i] ||
          (businesses[i].is_nil() && std::ranges::find(separated, event->business) == separated.end());
      if (count == limits[i] || shard_of(event->business) != shards[i] || !is_own ||
          static_cast<std::int64_t>(event->id) <= lows[i] ||
          in_flight.contains({static_cast<std::int64_t>(event->id), event->at}))
        continue;
      found.push_back(*event);
      ++count;
    }
  }
  const std::uint64_t epoch = workflow_epoch_;
  // The snapshot is taken before the sequence is read.
  scheduler_.sleep(scheduler_.random().between(0us, 300us));
  if (!session.alive) throw storage::DatabaseUnavailable("the session has ended");
  result.row()
      .number(-1)
      .number(static_cast<std::int64_t>(last_event_))
      .null()
      .number(static_cast<std::int64_t>(epoch))
      .text(snapshot);
  if (args.boolean(8))
    result.number(static_cast<std::int64_t>(own(session)));
  else
    result.null();
  result.null().time(began);
  for (int i = 0; i < 9; ++i) result.null();
  const bool with_rows = static_cast<std::int64_t>(found.size()) <= args.number(9);
  for (const Event& event : found) {
    result.row().number(shard_of(event.business)).number(static_cast<std::int64_t>(event.id));
    result.text(std::to_string(event.writer)).null().null().null().guid(event.business).time(event.at);
    if (with_rows) {
      add_event(result, event);
    } else {
      for (int i = 0; i < 9; ++i) result.null();
    }
  }
  return result.take();
}

storage::Rows Database::fetch(ServerSession&, const Arguments& args, Result& result) {
  for (const std::int64_t id : args.numbers(1)) {
    const auto found = events_.find(static_cast<std::uint64_t>(id));
    if (found != events_.end()) add_event(result.row(), found->second);
  }
  return result.take();
}

storage::Rows Database::origin(ServerSession&, const Arguments& args, Result& result) {
  const auto found = events_.find(static_cast<std::uint64_t>(args.number(1)));
  if (found != events_.end()) add_event(result.row(), found->second);
  return result.take();
}

storage::Rows Database::current(ServerSession& session, const Arguments& args, Result& result) {
  const auto records = args.guids(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto record = record_of(session, records[i]);
    if (!record) continue;
    std::string position;
    storage::append_binary(position, static_cast<std::int64_t>(i + 1));
    result.row().bytes(position).bytes(record_value(records[i], *record));
  }
  return result.take();
}

storage::Rows Database::settle(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const auto ids = args.numbers(2);
  const auto times = args.times(3);
  const Guid worker = args.guid(4);
  const auto epochs = args.numbers(5);
  std::vector<Table<Event>::Version*> settled;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Shard& shard = shards_.at(static_cast<std::size_t>(shards[i]));
    if (shard.owner != worker || shard.epoch != static_cast<std::uint64_t>(epochs[i])) continue;
    for (auto& version : pending_.versions()) {
      if (static_cast<std::int64_t>(version.row.id) != ids[i] || version.row.at != times[i] ||
          !version.is_visible_to(session.xid))
        continue;
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      if (std::ranges::find(settled, &version) == settled.end()) settled.push_back(&version);
    }
  }
  for (auto* const version : settled) {
    pending_.remove(own(session), *version);
    result.row().number(static_cast<std::int64_t>(version->row.id)).time(version->row.at);
  }
  return result.take();
}

storage::Rows Database::columns(ServerSession&, const Arguments& args, Result& result) {
  for (const domain::RecordType& type : domain::record_types()) {
    if (args.text(1) != type.table) continue;
    for (const std::string& name : columns_of(type)) result.row().text(name);
  }
  return result.take();
}

storage::Rows Database::changed_businesses(ServerSession&, const Arguments& args, Result& result) {
  std::map<Guid, std::uint64_t> businesses;
  for (const auto& [guid, row] : workflows_) {
    if (static_cast<std::int64_t>(row.epoch) > args.number(1))
      businesses[row.business] = std::max(businesses[row.business], row.epoch);
  }
  for (const auto& [business, epoch] : businesses)
    result.row().guid(business).number(static_cast<std::int64_t>(epoch));
  return result.take();
}

storage::Rows Database::changed_workflows(ServerSession&, const Arguments& args, Result& result) {
  std::vector<const WorkflowRow*> changed;
  const auto businesses = args.is_null(2) ? std::vector<Guid>() : args.guids(2);
  for (const auto& [guid, row] : workflows_) {
    if (static_cast<std::int64_t>(row.epoch) > args.number(1) &&
        (args.is_null(2) || std::ranges::find(businesses, row.business) != businesses.end()))
      changed.push_back(&row);
  }
  std::ranges::sort(changed, {}, [](const WorkflowRow* row) { return row->epoch; });
  for (const WorkflowRow* const row : changed) {
    result.row()
        .guid(row->business)
        .guid(row->guid)
        .text(row->name)
        .number(0)
        .text(row->trigger)
        .text(row->action);
    result.text(row->conditions)
        .boolean(true)
        .boolean(row->ordered)
        .text(row->delay)
        .boolean(row->paused)
        .number(row->version);
    result.time(row->created_at)
        .boolean(row->deleted)
        .number(static_cast<std::int64_t>(row->epoch))
        .text("business");
    result.null()
        .null()
        .time(row->created_at)
        .null()
        .null()
        .null()
        .null()
        .boolean(row->email_enabled)
        .boolean(true);
    result.null().null().null();
    if (row->has_timer())
      result.number(1).time(row->created_at);
    else
      result.null().null();
    result.boolean(false).text(row->cancel_on).boolean(row->watches()).null().null();
  }
  return result.take();
}

}  // namespace waybill::simulate
