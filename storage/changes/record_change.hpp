#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/changes/label_change.hpp"
#include "storage/changes/status_change.hpp"

namespace waybill::storage {

/// New values for fields of a record. The values have the form of their columns; the rest is checked when
/// they are written.
struct FieldChange {
  domain::EntityType entity_type{};
  Guid record;
  std::string changes;  // JSON object: values by column; metadata by key
  std::vector<std::string> added_tags = {};
  std::vector<std::string> removed_tags = {};
  std::string cause;  // as in StatusChange
};

/// A shipment for an order, as by `POST /api/v1/Orders/{orderId}/shipment`.
struct NewShipment {
  Guid order;
  Guid shipment;                                  // the new guid; the same in each repetition
  std::optional<std::vector<Guid>> items = {};    // items of the order; nullopt: all
  std::optional<Guid> carrier = {};               // nullopt: that of the order
  std::optional<std::string> service_level = {};  // nullopt: that of the order
  bool generate_label = false;                    // its label is bought if the carrier can
  std::string cause;                              // as in StatusChange
};

/// A change that a run makes in the transaction that records the run.
struct RecordChange {
  std::variant<StatusChange, FieldChange, NewShipment, LabelPurchase, LabelVoid> change;
  Time started_at = {};  // start of the run's attempt
};

/// The types of the actions whose runs make a change.
inline constexpr std::array<std::string_view, 5> changing_actions = {
    "update_status", "update_record", "create_shipment", "buy_label", "void_label"};
inline bool changes_record(std::string_view action) {
  return std::ranges::find(changing_actions, action) != changing_actions.end();
}

/// The run that may wait for the purchase of a label; null for another change.
const LabelStep* label_step(const RecordChange& change);

/// Makes the change or none of it, without waiting for locks of its records. Part of the session's
/// transaction. Throws DatabaseUnavailable or StatementError; the transaction is then unusable.
ChangeResult make_change(Session& session, const Guid& business, const RecordChange& change);

}  // namespace waybill::storage
