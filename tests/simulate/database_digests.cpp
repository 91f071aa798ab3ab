// The statements about digests.
#include <algorithm>
#include <chrono>

#include "storage/statement/binary.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {

std::map<Guid, std::string> Database::lists() const {
  std::map<Guid, std::string> lists;
  for (const auto& version : lists_.versions()) {
    if (version.made == 0) lists.emplace(version.row.run, version.row.request);
  }
  return lists;
}

bool Database::has_list(const Guid& run) const {
  return std::ranges::any_of(
      lists_.versions(), [&](const auto& version) { return version.made == 0 && version.row.run == run; });
}

storage::Rows Database::look_for_digests(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const Time now = scheduler_.time();
  const auto is_own = [&](const Guid& business) {
    return std::ranges::find(shards, shard_of(business)) != shards.end();
  };
  std::optional<Time> next;
  bool has_digests = false;
  for (const auto& version : digests_.versions()) {
    const DigestRow& row = version.row;
    if (!version.is_visible_to(session.xid) || !is_own(row.business)) continue;
    has_digests = true;
    if (row.check_at < now + args.interval(2)) next = std::min(next.value_or(row.check_at), row.check_at);
  }
  result.row();
  if (next)
    result.number(std::chrono::ceil<std::chrono::milliseconds>(*next - now).count());
  else
    result.null();
  result.boolean(std::ranges::any_of(
      closings_, [&](const auto& closing) { return is_own(workflows_.at(closing.first).business); }));
  result.boolean(has_digests);
  return result.take();
}

storage::Rows Database::due_businesses(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const auto had_turn = args.guids(2);
  std::set<Guid> found;
  for (const auto& version : digests_.versions()) {
    const DigestRow& row = version.row;
    if (version.is_visible_to(session.xid) && row.check_at <= scheduler_.time() &&
        std::ranges::find(shards, shard_of(row.business)) != shards.end() &&
        std::ranges::find(had_turn, row.business) == had_turn.end())
      found.insert(row.business);
  }
  for (const Guid& business : found) result.row().number(shard_of(business)).guid(business);
  return result.take();
}

storage::Rows Database::open_digests(ServerSession& session, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), keys = args.guids(4);
  const auto versions = args.numbers(3);
  std::vector<Table<DigestRow>::Version*> open;
  for (auto& version : digests_.versions()) {
    const DigestRow& row = version.row;
    if (!version.is_visible_to(session.xid) || version.holder(session.xid) != 0 || row.is_full) continue;
    for (std::size_t i = 0; i < workflows.size(); ++i) {
      if (row.workflow == workflows[i] && row.version == versions[i] && row.value_key == keys[i])
        open.push_back(&version);
    }
  }
  std::ranges::sort(open, {},
                    [](const auto* version) { return std::pair(version->row.began_at, version->row.guid); });
  for (auto* const version : open) {
    const DigestRow& row = version->row;
    version->locked = own(session);
    result.row().guid(row.business).guid(row.guid).guid(row.workflow).number(row.version).guid(row.value_key);
    result.time(row.began_at).time(row.last_at).time(row.due_at).number(row.count).number(row.bytes);
  }
  return result.take();
}

storage::Rows Database::write_digests(ServerSession& session, const Arguments& args, Result& result) {
  const auto businesses = args.guids(1), digests = args.guids(2), workflows = args.guids(3),
             keys = args.guids(5);
  const auto versions = args.numbers(4), counts = args.numbers(10), bytes = args.numbers(11),
             full = args.numbers(12);
  const auto values = args.strings(6);
  const auto begins = args.times(7), lasts = args.times(8), dues = args.times(9);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    DigestRow row{.business = businesses[i],
                  .guid = digests[i],
                  .workflow = workflows[i],
                  .version = versions[i],
                  .value_key = keys[i],
                  .value = values[i],
                  .began_at = begins[i],
                  .last_at = lasts[i],
                  .due_at = dues[i],
                  .check_at = dues[i],
                  .count = counts[i],
                  .bytes = bytes[i],
                  .is_full = full[i] == 1};
    const auto known = std::ranges::find_if(digests_.versions(), [&](const auto& version) {
      return version.row.guid == row.guid && version.is_visible_to(session.xid);
    });
    if (known == digests_.versions().end()) {
      digests_.insert(own(session), std::move(row));
      continue;
    }
    if (const Xid holder = known->holder(session.xid)) throw Locked{holder};
    row.value = known->row.value;
    digests_.replace(own(session), *known, std::move(row));
  }
  return result.take();
}

storage::Rows Database::claim_digests(ServerSession& session, const Arguments& args, Result& result) {
  const auto businesses = args.guids(2);
  std::vector<Table<DigestRow>::Version*> due;
  for (auto& version : digests_.versions()) {
    const DigestRow& row = version.row;
    if (version.is_visible_to(session.xid) && version.holder(session.xid) == 0 &&
        row.check_at <= scheduler_.time() && std::ranges::find(businesses, row.business) != businesses.end())
      due.push_back(&version);
  }
  std::ranges::sort(due, {}, [](const auto* version) {
    return std::tuple(version->row.business, version->row.due_at, version->row.guid);
  });
  for (auto* const version : due) {
    const DigestRow& row = version->row;
    version->locked = own(session);
    result.row().guid(row.business).guid(row.guid).guid(row.workflow).number(row.version).time(row.began_at);
    result.number(row.bytes).number(++last_eventless_);
    result.boolean(false).number(static_cast<std::int64_t>(workflow_epoch_));
  }
  return result.take();
}

storage::Rows Database::postpone_digests(ServerSession& session, const Arguments& args, Result& result) {
  const auto digests = args.guids(2);
  const Time check_at = scheduler_.time() + args.interval(3);
  digests_.update(
      own(session),
      [&](const DigestRow& row) { return std::ranges::find(digests, row.guid) != digests.end(); },
      [&](DigestRow& row) { row.check_at = check_at; });
  return result.take();
}

storage::Rows Database::close_digests(ServerSession& session, const Arguments& args, Result& result) {
  for (const Guid& guid : args.guids(2)) {
    const auto digest = std::ranges::find_if(digests_.versions(), [&](const auto& version) {
      return version.row.guid == guid && version.is_visible_to(session.xid);
    });
    if (digest == digests_.versions().end()) continue;
    std::map<std::int64_t, Table<DigestItem>::Version*> items;
    for (auto& version : items_.versions()) {
      if (version.row.digest == guid && version.is_visible_to(session.xid))
        items.emplace(version.row.position, &version);
    }
    std::string list = "{\"count\":" + std::to_string(items.size()) + ",\"items\":[";
    for (const auto& [position, item] : items) {
      list.append(list.ends_with('[') ? "" : ",").append(item->row.item);
      items_.remove(own(session), *item);
    }
    list += "],\"by\":" + digest->row.value + '}';
    const bool is_known =
        std::ranges::any_of(lists_.versions(), [&](const auto& version) { return version.row.run == guid; });
    if (!is_known && !items.empty()) lists_.insert(own(session), {guid, std::move(list)});
    digests_.remove(own(session), *digest);
    result.row().guid(guid).number(static_cast<std::int64_t>(items.size()));
  }
  return result.take();
}

storage::Rows Database::close_changed(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  std::vector<Table<DigestRow>::Version*> earlier;
  for (auto& version : digests_.versions()) {
    const DigestRow& row = version.row;
    const auto closing = closings_.find(row.workflow);
    if (version.is_visible_to(session.xid) && version.holder(session.xid) == 0 && !row.is_full &&
        closing != closings_.end() && row.version < closing->second.first &&
        std::ranges::find(shards, shard_of(row.business)) != shards.end())
      earlier.push_back(&version);
  }
  const Time now = scheduler_.time();
  for (auto* const version : earlier) {
    DigestRow row = version->row;
    row.is_full = true;
    row.due_at = std::min(row.due_at, now);
    row.check_at = now;
    digests_.replace(own(session), *version, std::move(row));
  }
  if (earlier.empty()) std::erase_if(closings_, [&](const auto& each) { return each.second.second < now; });
  result.row().number(static_cast<std::int64_t>(earlier.size()));
  return result.take();
}

storage::Rows Database::step_texts(ServerSession& session, const Arguments& args, Result& result) {
  if (args.number(4) != 0) return result.take();
  for (const auto& version : lists_.versions()) {
    if (version.row.run == args.guid(2) && version.is_visible_to(session.xid))
      result.row().text(version.row.request).null();
  }
  return result.take();
}

/// Copies rows into `digest_items` and `digest_events`. False for another table.
bool Database::copy_digests(ServerSession& session, const std::string& target, std::string_view rows) {
  if (target.starts_with("digest_items ")) {
    // business_id, digest_id, position, entity_id, event_at, item
    for (const CopiedRow& row : read_copy(rows))
      items_.insert(own(session), {.digest = storage::binary_guid(row.at(1).value()),
                                   .position = storage::binary_number<std::int32_t>(row.at(2).value()),
                                   .item = std::string(row.at(5).value())});
    return true;
  }
  if (!target.starts_with("digest_events ")) return false;
  // business_id, event_id, event_at, workflow_id, entity_id, digest_id, at
  for (const CopiedRow& row : read_copy(rows))
    collected_.insert(own(session), {.event = storage::binary_number<std::int64_t>(row.at(1).value()),
                                     .workflow = storage::binary_guid(row.at(3).value()),
                                     .digest = storage::binary_guid(row.at(5).value())});
  return true;
}

}  // namespace waybill::simulate
