#include "storage/runs/digests.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "storage/session/copy_rows.hpp"
#include "storage/sql/digests.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

using Key = std::tuple<Guid, Guid, int, Guid>;

Key key_of(const CollectedItem& item) {
  return {item.business_id, item.workflow_id, item.version, domain::digest_value_key(item.value)};
}

Key key_of(const OpenDigest& digest) {
  return {digest.business_id, digest.workflow_id, digest.version, digest.value_key};
}

/// A digest that begins with an item, which it does not contain yet.
OpenDigest begin_digest(const CollectedItem& first) {
  return {.business_id = first.business_id,
          .guid = Guid::timed_hash(to_unix_ms(first.event.at), first.workflow_id, first.event.id),
          .workflow_id = first.workflow_id,
          .version = first.version,
          .value_key = domain::digest_value_key(first.value),
          .value = first.value,
          .extent = domain::DigestExtent::begun(first.event.at, first.value.size())};
}

std::vector<OpenDigest> lock_open(Session& session, std::span<const CollectedItem> items) {
  std::set<Key> keys;
  for (const CollectedItem& item : items) keys.insert(key_of(item));
  std::vector<Guid> businesses, workflows, values;
  std::vector<std::int64_t> versions;
  for (const auto& [business, workflow, version, value] : keys) {
    businesses.push_back(business);
    workflows.push_back(workflow);
    versions.push_back(version);
    values.push_back(value);
  }
  std::vector<OpenDigest> open;
  for (const auto& row : session.run(sql::digests::Open{.businesses = binary_array(businesses),
                                                        .workflows = binary_array(workflows),
                                                        .versions = versions,
                                                        .value_keys = binary_array(values)})) {
    open.push_back({.business_id = row.business_id,
                    .guid = row.guid,
                    .workflow_id = row.workflow_id,
                    .version = row.version,
                    .value_key = row.value_key,
                    .value = {},
                    .extent = {.began_at = row.began_at,
                               .last_at = row.last_at,
                               .due_at = row.due_at,
                               .count = row.count,
                               .bytes = static_cast<std::size_t>(row.bytes)}});
  }
  return open;
}

void write(Session& session, const std::vector<OpenDigest>& digests) {
  std::vector<Guid> businesses, guids, workflows, keys;
  std::vector<std::int64_t> versions, counts, bytes;
  std::vector<std::string> values;
  std::vector<Time> begins, lasts, dues;
  std::vector<std::int16_t> full;
  for (const OpenDigest& digest : digests) {
    businesses.push_back(digest.business_id);
    guids.push_back(digest.guid);
    workflows.push_back(digest.workflow_id);
    versions.push_back(digest.version);
    keys.push_back(digest.value_key);
    values.push_back(digest.value);
    begins.push_back(digest.extent.began_at);
    lasts.push_back(digest.extent.last_at);
    dues.push_back(digest.extent.due_at);
    counts.push_back(digest.extent.count);
    bytes.push_back(static_cast<std::int64_t>(digest.extent.bytes));
    full.push_back(digest.extent.is_full ? 1 : 0);
  }
  session.run(sql::digests::Write{.businesses = binary_array(businesses),
                                  .digests = binary_array(guids),
                                  .workflows = binary_array(workflows),
                                  .versions = versions,
                                  .value_keys = binary_array(keys),
                                  .values = values,
                                  .begins = binary_array(begins),
                                  .lasts = binary_array(lasts),
                                  .dues = binary_array(dues),
                                  .counts = counts,
                                  .bytes = bytes,
                                  .full = binary_array(full)});
}

void write(Session& session, const std::vector<PlacedItem>& items) {
  CopyRows rows(6);
  for (const auto& [item, digest, position] : items) {
    rows.begin_row()
        .guid(item->business_id)
        .guid(digest)
        .integer(position)
        .guid(item->entity_id)
        .timestamp(item->event.at)
        .text(item->item);
  }
  session.copy("digest_items (business_id, digest_id, position, entity_id, event_at, item)", rows.take());
  CopyRows events(7);
  for (const auto& [item, digest, position] : items) {
    events.begin_row()
        .guid(item->business_id)
        .bigint(static_cast<std::int64_t>(item->event.id))
        .timestamp(item->event.at)
        .guid(item->workflow_id)
        .guid(item->entity_id)
        .guid(digest)
        .timestamp(Time(std::chrono::milliseconds(digest.unix_ms())));
  }
  session.copy("digest_events (business_id, event_id, event_at, workflow_id, entity_id, digest_id, at)",
               events.take());
}

}  // namespace

PlacedItems place_items(std::vector<OpenDigest> open, std::span<const CollectedItem> items) {
  std::map<Key, std::size_t> last;  // by key, the place of the digest among `open`
  for (std::size_t i = 0; i < open.size(); ++i) last[key_of(open[i])] = i;
  std::vector<bool> changed(open.size());
  PlacedItems placed;
  for (const CollectedItem& item : items) {
    const auto [found, is_new] = last.try_emplace(key_of(item), open.size());
    if (!is_new && !open[found->second].extent.takes(item.event.at, item.item.size())) {
      open[found->second].extent.fill(item.event.at);
      changed[found->second] = true;
      found->second = open.size();
    }
    if (found->second == open.size()) {
      open.push_back(begin_digest(item));
      changed.push_back(true);
    }
    OpenDigest& digest = open[found->second];
    digest.extent.add(item.terms, item.event.at, item.item.size());
    changed[found->second] = true;
    placed.items.push_back({&item, digest.guid, digest.extent.count});
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (changed[i]) placed.digests.push_back(std::move(open[i]));
  }
  return placed;
}

std::optional<Time> collect(Session& session, std::span<const CollectedItem> items) {
  if (items.empty()) return std::nullopt;
  const PlacedItems placed = place_items(lock_open(session, items), items);
  write(session, placed.digests);
  write(session, placed.items);
  Time first = Time::max();
  for (const OpenDigest& digest : placed.digests) first = std::min(first, digest.extent.due_at);
  return first;
}

}  // namespace waybill::storage
