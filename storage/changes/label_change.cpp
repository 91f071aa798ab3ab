#include "storage/changes/label_change.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/json.hpp"
#include "domain/purchases/purchase.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/sql/record_changes.sql.hpp"

namespace waybill::storage {
namespace {

using domain::PurchaseStatus;
using Kind = ChangeResult::Kind;
using Holds = TypedRows<sql::record_changes::HoldLabel>;
using Hold = sql::record_changes::HoldLabel::Row;

ChangeResult skipped(const char* code, std::string error) {
  return {.kind = Kind::skipped, .error = std::move(error), .code = code};
}

ChangeResult failed(const char* code, std::string error) {
  return {.kind = Kind::failed, .error = std::move(error), .code = code};
}

json::value text_or_null(std::string_view text) { return text.empty() ? json::value() : json::value(text); }

json::value number_or_null(const domain::Money& money) {
  return money.is_known() ? json::parse(money.amount) : json::value();
}

/// The purchase for whose end the run waits already.
std::optional<PurchaseKey> awaited_purchase(Session& session, const Guid& business, const LabelStep& step) {
  const auto rows = session.run_with_fresh_plan(
      storage::sql::queue::AwaitedPurchase{.business = business, .workflow = step.workflow, .run = step.run});
  const auto row = rows.find();
  if (!row) return std::nullopt;
  return PurchaseKey{business, row->shipment, row->purchase};
}

/// Locks the shipment: that of the awaited purchase, or that of the step. The rows outlive the result of
/// `problem`.
Holds hold(Session& session, const Guid& business, const LabelStep& step,
           const std::optional<PurchaseKey>& awaited, std::span<const Guid> carriers) {
  sql::record_changes::HoldLabel statement{.business = business, .carriers = carriers, .cause = step.cause};
  if (awaited) {
    statement.shipment = awaited->shipment_id;
  } else if (step.entity_type == domain::EntityType::shipment) {
    statement.shipment = step.record;
  } else {
    statement.order = step.record;
  }
  return session.run(statement);
}

/// The reason that a shipment is not held; nullopt if it is.
std::optional<ChangeResult> problem(const Holds& holds) {
  const auto found = holds.find();
  if (!found) return ChangeResult{.kind = Kind::not_found, .error = "there is no shipment with a label"};
  if (!found->is_held)
    return ChangeResult{.kind = Kind::locked, .error = "another transaction holds the shipment"};
  return std::nullopt;
}

/// The purchase itself, or its next attempt, if the run waits for it, otherwise the shipment's last one.
std::optional<StoredPurchase> purchase_for(Session& session, const Guid& business, const Guid& shipment,
                                           const std::optional<PurchaseKey>& awaited) {
  const auto first = [&](const auto& rows) {
    return rows.empty() ? std::nullopt : std::optional(purchase_of(business, rows.front()));
  };
  if (awaited) {
    auto itself =
        first(session.run(storage::sql::purchases::Get{.business = business, .purchase = awaited->guid}));
    if (!itself || !domain::was_passed_over(itself->facts)) return itself;
  }
  return first(session.run(storage::sql::purchases::Latest{.business = business, .shipment = shipment}));
}

/// The values of the purchase for the steps after it.
json::object values_of(Session& session, const StoredPurchase& purchase) {
  const domain::Purchase& facts = purchase.facts;
  const auto names = purchase.carrier_id
                         ? session.run(sql::record_changes::CarrierName{.business = purchase.key.business_id,
                                                                        .carrier = *purchase.carrier_id})
                         : TypedRows<sql::record_changes::CarrierName>();
  const std::string_view number =
      facts.tracking_numbers.empty() ? std::string_view() : facts.tracking_numbers.front();
  return {{"labelStatus", domain::label_status(facts.status)},
          {"price", number_or_null(facts.price)},
          {"currency", text_or_null(facts.price.currency)},
          {"carrier", names.empty() ? json::value() : json::value(names.front().name)},
          {"serviceLevel", text_or_null(purchase.service_level)},
          {"serviceCode", text_or_null(facts.service_code)},
          {"carrierTrackingNumber", text_or_null(number)}};
}

ChangeResult waits(const StoredPurchase& purchase, const LabelStep& step, Time now) {
  if (now >= step.until)
    return failed("LABEL_UNKNOWN", "The label was not " +
                                       std::string(purchase.facts.status == PurchaseStatus::voiding
                                                       ? "voided"
                                                       : "known to be bought or refused") +
                                       " before the event of the run expired.");
  return {.kind = Kind::waits, .awaited = purchase.key.guid, .until = step.until};
}

/// A sentence with the gateway's error.
std::string error_of(const domain::PurchaseMessage& error, std::string_view usual) {
  if (error.text.empty()) return std::string(usual);
  return error.code.empty() ? error.text : error.code + ": " + error.text;
}

ChangeResult refused(const domain::PurchaseMessage& error) {
  for (const char* const code : {"TOO_EXPENSIVE", "OTHER_CURRENCY"}) {
    if (error.code == code) return skipped(code, error.text);
  }
  return failed("LABEL_REFUSED", error_of(error, "The purchase was refused."));
}

ChangeResult bought_or_waits(Session& session, const StoredPurchase& purchase, const LabelStep& step,
                             Time now) {
  switch (purchase.facts.status) {
    case PurchaseStatus::bought:
      return {.kind = Kind::made, .moved = 1, .made = values_of(session, purchase)};
    case PurchaseStatus::refused:
      return refused(purchase.facts.error);
    case PurchaseStatus::voided:
      return failed("LABEL_REFUSED", "The label was voided.");
    case PurchaseStatus::requested:
    case PurchaseStatus::buying:
    case PurchaseStatus::unknown:
    case PurchaseStatus::voiding:
      break;
  }
  return waits(purchase, step, now);
}

/// The request as it is stored with the purchase.
std::string wanted_json(const LabelWish& wish) {
  json::object wanted;
  if (!wish.service_level.empty()) wanted["serviceLevel"] = wish.service_level;
  if (!wish.choose.empty()) wanted["choose"] = wish.choose;
  if (!wish.service_codes.empty()) wanted["serviceCodes"] = json::value_from(wish.service_codes);
  for (const Guid& carrier : wish.carriers) {
    if (!wanted.contains("carrierIds")) wanted["carrierIds"] = json::array();
    wanted["carrierIds"].as_array().emplace_back(carrier.to_string());
  }
  return to_json(wanted);
}

/// True if all carriers that can buy, or those of the wish, are compared: by name, or because the shipment
/// has none of them.
bool compares(const Hold& hold, const LabelWish& wish) {
  if (!wish.choose.empty() || !hold.has_carrier) return true;
  return !wish.carriers.empty() &&
         (!hold.carrier || std::ranges::find(wish.carriers, *hold.carrier) == wish.carriers.end());
}

NewPurchase new_purchase(const Guid& business, const Hold& hold, const LabelWish& wish,
                         const std::string& cause) {
  constexpr std::string_view usual_level = "standard";
  NewPurchase wanted{.business_id = business,
                     .shipment_id = hold.shipment,
                     .wanted = wanted_json(wish),
                     .cause = cause,
                     .service_level = wish.service_level};
  if (wish.choose.empty() && wish.service_level.empty())
    wanted.service_level = std::string(
        hold.service_level.value_or(hold.default_level.value_or(compares(hold, wish) ? usual_level : "")));
  if (!compares(hold, wish)) {
    wanted.carrier_id = hold.carrier;
    wanted.connector = std::string(hold.connector.value_or(""));
    wanted.test_mode = hold.test_mode;
    wanted.format = std::string(hold.label_format.value_or("pdf"));
  }
  if (!wish.format.empty()) wanted.format = wish.format;
  if (!wish.max_price.empty()) wanted.max_price = domain::Money{wish.max_price, std::string(hold.currency)};
  return wanted;
}

/// The reason that no purchase can be requested for a held shipment.
std::optional<ChangeResult> refusal(const Hold& hold, const LabelWish& wish) {
  if (domain::is_over(hold.status))
    return ChangeResult{.kind = Kind::closed, .error = "the shipment is " + std::string(hold.status)};
  if (compares(hold, wish) ? hold.connected > 0 : hold.connector.has_value()) return std::nullopt;
  return skipped("NO_CONNECTOR", compares(hold, wish) ? "No configured carrier can buy labels."
                                                      : "The carrier of the shipment cannot buy labels.");
}

/// The hold of a new shipment. The parameters are views.
sql::record_changes::HoldLabel new_label(const Guid& business, const Guid& shipment,
                                         const std::string& cause) {
  return {.business = business, .shipment = shipment, .carriers = std::span<const Guid>(), .cause = cause};
}

}  // namespace

ChangeResult buy_label(Session& session, const Guid& business, const LabelPurchase& change, Time now) {
  const auto awaited = awaited_purchase(session, business, change.step);
  const Holds holds = hold(session, business, change.step, awaited, change.wish.carriers);
  if (auto not_held = problem(holds)) return *std::move(not_held);
  const Hold shipment = holds.front();
  const auto last = purchase_for(session, business, shipment.shipment, awaited);
  if (last && (awaited || last->facts.is_open_or_bought()))
    return bought_or_waits(session, *last, change.step, now);
  if (auto refused = refusal(shipment, change.wish)) return *std::move(refused);
  const auto requested =
      request_purchase(session, new_purchase(business, shipment, change.wish, change.step.cause));
  if (!requested) return {.kind = Kind::not_found, .error = "the shipment no longer exists"};
  return bought_or_waits(session, requested->purchase, change.step, now);
}

ChangeResult void_label(Session& session, const Guid& business, const LabelVoid& change, Time now) {
  const auto awaited = awaited_purchase(session, business, change.step);
  const Holds holds = hold(session, business, change.step, awaited, {});
  if (auto not_held = problem(holds)) return *std::move(not_held);
  const auto last = purchase_for(session, business, holds.front().shipment, awaited);
  if (!last || last->facts.status == PurchaseStatus::refused)
    return skipped("NO_LABEL", "The shipment has no label.");
  const domain::Purchase& facts = last->facts;
  if (facts.status == PurchaseStatus::voided)
    return {.kind = Kind::made, .moved = 1, .made = values_of(session, *last)};
  if (facts.status != PurchaseStatus::bought) return waits(*last, change.step, now);
  // A purchase that the run has waited for, and whose void was refused since it was bought.
  if (awaited && facts.void_state == domain::VoidState::refused)
    return failed("LABEL_REFUSED", error_of(facts.error, "The void was refused."));
  if (!domain::can_void(facts))
    return failed("LABEL_REFUSED", "A person noted this label, and the gateway has not confirmed it.");
  if (!has_mode_of_carrier(session, *last))
    return skipped("NO_CONNECTOR", "The label was bought in another testMode than that of its carrier now.");
  const auto changed = change_purchase(
      session,
      {.key = last->key,
       .make = [](StoredPurchase& purchase, Time at) { return domain::void_requested(purchase.facts, at); },
       .cause = change.step.cause});
  return waits(changed ? changed->purchase : *last, change.step, now);
}

bool request_label(Session& session, const Guid& business, const Guid& shipment, const std::string& cause) {
  const auto holds = session.run(new_label(business, shipment, cause));
  const auto found = holds.find();
  if (!found || !found->is_held || refusal(*found, {})) return false;
  request_purchase(session, new_purchase(business, *found, {}, cause));
  return true;
}

}  // namespace waybill::storage
