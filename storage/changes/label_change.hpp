#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "storage/changes/status_change.hpp"

namespace waybill::storage {

class Session;

/// The run whose step asks for a label's purchase or void, and its record.
struct LabelStep {
  domain::EntityType entity_type{};  // shipment, or order: then its newest shipment that is not over
  Guid record;
  Guid workflow, run;
  Time until;         // the run waits at most until then
  std::string cause;  // as in StatusChange
};

/// The label to buy.
struct LabelWish {
  std::string service_level = {};  // empty: that of the shipment
  /// "cheapest" or "fastest"; empty: the carrier of the shipment sells, if it may.
  std::string choose = {};
  std::vector<std::string> service_codes = {};
  std::vector<Guid> carriers = {};  // that may sell; empty: all
  std::string max_price = {};       // an amount in the currency of the business; empty: any price
  std::string format = {};          // pdf, zpl or png; empty: that of the carrier
};

struct LabelPurchase {
  LabelStep step;
  LabelWish wish;
};
struct LabelVoid {
  LabelStep step;
};

/// Requests the purchase or the void, or joins the one that is under way, without waiting for locks. A step
/// is called again each time the label has moved: `waits` with the purchase, until that is final. The caller
/// notes the purchase for the run in the same transaction. All throw DatabaseUnavailable or StatementError.
ChangeResult buy_label(Session& session, const Guid& business, const LabelPurchase& change, Time now);
ChangeResult void_label(Session& session, const Guid& business, const LabelVoid& change, Time now);

/// Requests the purchase of the label of a shipment that the transaction has made. False if its carrier, or
/// for a shipment without one each carrier, can buy none.
bool request_label(Session& session, const Guid& business, const Guid& shipment, const std::string& cause);

}  // namespace waybill::storage
