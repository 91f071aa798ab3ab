#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/workflows/digest.hpp"
#include "storage/events/outbox.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// An event that a workflow with a digest collects.
struct CollectedItem {
  Guid business_id;
  Guid workflow_id;
  int version = 0;             // of the workflow
  domain::DigestTerms terms;   // of this version
  std::string value = "null";  // JSON of the value by which it is collected
  EventKey event;
  Guid entity_id;
  std::string item;  // JSON; fits into an empty digest

  bool operator==(const CollectedItem&) const = default;
};

/// The digest for the events of a workflow, a version and a value.
struct OpenDigest {
  Guid business_id;
  Guid guid;  // of its run; follows from workflow and first event
  Guid workflow_id;
  int version = 0;
  Guid value_key;
  std::string value;  // only of a new one
  domain::DigestExtent extent;
};

/// The digest and the position of an item.
struct PlacedItem {
  const CollectedItem* item;
  Guid digest;
  int position;  // from 1
};

struct PlacedItems {
  std::vector<OpenDigest> digests;  // those that have changed or begun
  std::vector<PlacedItem> items;    // in the order of the collected ones
};

/// Puts items into `open` digests and new ones. An event goes to the last digest of its workflow, version and
/// value, unless the digest was due before the event or would become too large: it is then full, and the
/// event begins the next. Pure.
PlacedItems place_items(std::vector<OpenDigest> open, std::span<const CollectedItem> items);

/// Stores items in the order of matching, in the open transaction. Digests that another session has locked
/// take none; others begin. Returns when the first of the changed digests is due. Throws DatabaseUnavailable
/// or StatementError.
std::optional<Time> collect(Session& session, std::span<const CollectedItem> items);

}  // namespace waybill::storage
