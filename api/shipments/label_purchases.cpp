#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/endpoint/paging.hpp"
#include "api/gateways/connected_carriers.hpp"
#include "api/records/row_json.hpp"
#include "api/records/time_range.hpp"
#include "api/shipments/label_lock.hpp"
#include "api/shipments/purchase_plan.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/sql/purchases.sql.hpp"

namespace waybill::api {
namespace {

using domain::PurchaseStatus;

constexpr int accepted = 202;

/// An open purchase is 202, a final one 200.
Answer purchase_answer(const storage::TypedRows<sql::purchases::Answer>& rows) {
  return {.status = rows.front().is_final ? 200 : accepted, .data = json_object(rows.more())};
}

sql::purchases::Terms terms_of(const Call& call) {
  return {.business = call.business(), .shipment = call.id()};
}

/// Throws Failure for an open purchase that ends without a label.
void check_joined(const storage::StoredPurchase& purchase) {
  if (purchase.facts.status == PurchaseStatus::voiding) throw locked_by_label("voiding");
}

asio::awaitable<Answer> buy_label(Call& call, Services& services) {
  if ((co_await services.db.read(terms_of(call))).empty()) throw not_found("shipment");
  const auto rate = named_rate(call, services);
  const auto latest =
      co_await services.db.read(sql::purchases::Latest{.business = call.business(), .shipment = call.id()});
  if (!latest.empty()) {
    const auto purchase = storage::purchase_of(call.business(), latest.front());
    if (purchase.facts.is_open_or_bought()) {
      check_joined(purchase);
      co_return purchase_answer(co_await services.db.read(
          sql::purchases::Answer{.business = call.business(), .purchase = purchase.key.guid}));
    }
  }
  const auto transaction = co_await services.db.begin(call.cause());
  // The plan has the carrier and the service level of the shipment, which must not change until it is stored.
  co_await transaction->run(sql::purchases::LockShipment{.business = call.business(), .shipment = call.id()});
  const auto terms = co_await transaction->run(terms_of(call));
  if (terms.empty()) throw not_found("shipment");
  auto wanted = co_await planned_purchase(call, services, terms.front(), rate);
  const auto purchase = co_await request_label(*transaction, std::move(wanted));
  check_joined(purchase);
  const auto shown = co_await transaction->run(
      sql::purchases::Answer{.business = call.business(), .purchase = purchase.key.guid});
  co_await transaction->commit();
  co_return purchase_answer(shown);
}

/// The failure of a void without a label.
Failure nothing_to_void(const sql::purchases::Terms::Row& terms) {
  std::string message = "No label of a carrier was bought for the shipment";
  if (terms.carrier_id && terms.connector.value_or(manual_connector) == manual_connector)
    message += "; its carrier has the connector " + std::string(manual_connector) + ", which cannot buy one";
  return conflict(message + ".");
}

/// The failure of a void of a purchase that has no label to void.
Failure cannot_void(const domain::Purchase& purchase) {
  const std::string status(domain::text_of(purchase.status));
  std::string message = "The purchase of the carrier's label is " + status +
                        "; only a bought label can be voided, and only a requested purchase withdrawn.";
  if (purchase.status == PurchaseStatus::bought)
    message =
        "The gateway has not confirmed the label that an admin resolved as bought. Void it at the carrier, "
        "then resolve the purchase as not_bought.";
  return {ErrorCode::conflict, std::move(message), {{"status", status}}};
}

/// Locks the shipment. Throws Failure (409) for a label that the gateway does not void, because its carrier
/// is in another mode than when it was bought.
asio::awaitable<void> require_mode(storage::Transaction& transaction, storage::PurchaseKey key) {
  co_await transaction.run(
      sql::purchases::LockShipment{.business = key.business_id, .shipment = key.shipment_id});
  const auto rows =
      co_await transaction.run(sql::purchases::Get{.business = key.business_id, .purchase = key.guid});
  if (rows.empty()) co_return;
  const auto purchase = storage::purchase_of(key.business_id, rows.front());
  if (!domain::can_void(purchase.facts) || co_await storage::has_mode_of_carrier(transaction, purchase))
    co_return;
  const std::string mode = purchase.test_mode.value_or(false) ? "true" : "false";
  throw Failure(ErrorCode::conflict,
                "The label was bought with testMode " + mode +
                    ", and its carrier has another one now. Configure the carrier with testMode " + mode +
                    " and a key of this mode to void the label.",
                {{"testMode", "must be " + mode}});
}

/// The purchase that a call names, also one of a deleted shipment, for which a label may have turned up; or
/// else the last one of the shipment. Throws Failure: 404 for one of another shipment, 409 without a
/// purchase.
asio::awaitable<Guid> purchase_to_void(const Call& call, Services& services) {
  if (const auto named = Guid::parse(call.parameter("purchaseId").value_or(""))) {
    const auto found =
        co_await services.db.read(sql::purchases::Get{.business = call.business(), .purchase = *named});
    if (found.empty() || found.front().shipment_id != call.id()) throw not_found("purchase");
    co_return *named;
  }
  const auto terms = co_await services.db.read(terms_of(call));
  if (terms.empty()) throw not_found("shipment");
  const auto latest =
      co_await services.db.read(sql::purchases::Latest{.business = call.business(), .shipment = call.id()});
  if (latest.empty()) throw nothing_to_void(terms.front());
  co_return latest.front().guid;
}

/// Withdraws a purchase before its buy call, or requests the void of its label.
domain::Effect take_back(storage::StoredPurchase& purchase, Time now) {
  if (purchase.facts.status == PurchaseStatus::requested) return domain::withdraw(purchase.facts, now);
  return domain::void_requested(purchase.facts, now);
}

asio::awaitable<Answer> void_label(Call& call, Services& services) {
  const Guid purchase = co_await purchase_to_void(call, services);
  const storage::PurchaseKey key{call.business(), call.id(), purchase};
  const auto transaction = co_await services.db.begin(call.cause());
  co_await require_mode(*transaction, key);
  storage::PurchaseChange change{
      .key = key, .make = take_back, .cause = std::string()};  // that of the transaction
  const auto changed = co_await storage::change_purchase(*transaction, std::move(change));
  if (!changed) throw not_found("purchase");
  const domain::Purchase& facts = changed->purchase.facts;
  const bool is_withdrawn =
      facts.status == PurchaseStatus::refused && facts.error.code == domain::withdrawn_code;
  if (facts.status != PurchaseStatus::voiding && facts.status != PurchaseStatus::voided && !is_withdrawn)
    throw cannot_void(facts);
  const auto shown =
      co_await transaction->run(sql::purchases::Answer{.business = call.business(), .purchase = purchase});
  co_await transaction->commit();
  co_return purchase_answer(shown);
}

asio::awaitable<Answer> list_purchases_of_shipment(Call& call, Services& services) {
  const auto purchases = co_await services.db.read(
      sql::purchases::OfShipment{.business = call.business(), .shipment = call.id()});
  // A deleted shipment has its purchases still: a label may turn up.
  if (purchases.empty() && (co_await services.db.read(terms_of(call))).empty()) throw not_found("shipment");
  co_return Answer::of(json_array(purchases));
}

asio::awaitable<Answer> list_purchases(Call& call, Services& services) {
  const auto from = parse_bound(call.parameter("from"), false), to = parse_bound(call.parameter("to"), true);
  require_ascending(from, to);
  const auto status = call.parameter("status");
  const auto carrier = Guid::parse(call.parameter("carrierId").value_or(""));
  const Page page = page_of(call);
  const auto sums = co_await services.db.read(sql::purchases::Sums{
      .business = call.business(), .status = status, .carrier = carrier, .begin = from, .finish = to});
  std::int64_t total = 0;
  for (const auto& row : sums) total += row.purchases;
  std::string data = "[]";
  if (page.offset() < total)
    data = json_array(co_await services.db.read(sql::purchases::List{.business = call.business(),
                                                                     .status = status,
                                                                     .carrier = carrier,
                                                                     .begin = from,
                                                                     .finish = to,
                                                                     .most = page.limit(),
                                                                     .passed = page.offset()}));
  Answer answer = page_answer(std::move(data), page, total);
  answer.members = ",\"sums\":" + json_array(sums.all());
  co_return answer;
}

constexpr Parameter void_parameters[] = {
    {.name = "purchaseId",
     .kind = Kind::uuid,
     .description =
         "A purchase of the shipment, such as a label that turned up in addition (strayOf) and whose "
         "void was refused, also of a deleted shipment. Default: the last purchase, which such labels are "
         "not."}};

const Parameter list_parameters_of_purchases[] = {
    page_parameter,
    page_size_parameter,
    {.name = "status", .kind = Kind::one_of, .values = purchase_statuses()},
    {.name = "carrierId", .kind = Kind::uuid},
    {.name = "from", .kind = Kind::date_or_timestamp, .description = "The earliest time of the request."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time of the request; a date includes the day."},
};

const Endpoint purchase_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/label",
     .permission = Permission::operate,
     .handler = buy_label,
     .operation_id = "buyShipmentLabel",
     .summary = "Buys the label of a carrier for a shipment",
     .description =
         "The purchase is requested (202) and made at once in the background; shipment_label_bought or "
         "shipment_label_failed follows. A shipment has at most one purchase that is open or bought: later "
         "calls return it, with 200 once it is bought. 409 if no carrier that can buy is configured, or if "
         "the "
         "shipment is final.",
     .tag = "Shipments",
     .body = &label_request_schema,
     .body_check = check_label_request,
     .body_kind = BodyKind::object,
     .answer = &purchase_schema,
     .status = accepted,
     .may_change = true,
     .is_audited = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/void",
     .permission = Permission::operate,
     .handler = void_label,
     .operation_id = "voidShipmentLabel",
     .summary = "Voids the carrier's label of a shipment, or withdraws its purchase",
     .description =
         "The void is requested (202) and made in the background; shipment_label_voided follows. After a "
         "refused void the status is void_refused, and the label is bought as before; another call asks "
         "again. 200 if the label is voided already. A purchase that is requested is withdrawn (200): it is "
         "refused with the code WITHDRAWN. 409 with the status if a purchase is buying, unknown or refused, "
         "and with testMode if the carrier's is another than that of the label.",
     .tag = "Shipments",
     .query = void_parameters,
     .answer = &purchase_schema,
     .status = accepted,
     .may_change = true,
     .is_audited = true},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/purchases",
     .permission = Permission::read,
     .handler = list_purchases_of_shipment,
     .operation_id = "listShipmentPurchases",
     .summary = "Lists all purchases of a shipment's label, newest first",
     .description =
         "Also the refused and voided ones, and labels that turned up in addition (strayOf). Those "
         "of a deleted shipment, too.",
     .tag = "Shipments",
     .answer = &purchase_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/purchases/{purchaseId}/resolve",
     .permission = Permission::administer,
     .handler = resolve_purchase,
     .operation_id = "resolvePurchase",
     .summary = "Decides a purchase whose outcome is not known",
     .description =
         "For a purchase that is unknown, after a look at the carrier: bought, with the carrier's number and "
         "perhaps its label, or not_bought, which frees the shipment for another purchase. Also for a void "
         "without an answer, or one that was refused: not_bought means that it is voided. After bought the "
         "gateway is asked: if it knows the label, its number and price count. After not_bought a label that "
         "turns up is voided.",
     .tag = "Shipments",
     .body = &resolve_schema,
     .body_check = check_resolve,
     .body_kind = BodyKind::object,
     .answer = &purchase_schema},
    {.method = Method::get,
     .path = "/api/v1/purchases",
     .permission = Permission::read,
     .handler = list_purchases,
     .operation_id = "listPurchases",
     .summary = "Lists purchases of carriers' labels, newest first",
     .description =
         "`sums` has the number and prices of all that are selected, by currency. Test labels cost nothing.",
     .tag = "Shipments",
     .query = list_parameters_of_purchases,
     .answer = &purchase_schema,
     .paginated = true,
     .sums = &purchase_sum_schema},
};

}  // namespace

std::span<const Endpoint> purchase_endpoints() { return purchase_endpoint_table; }

}  // namespace waybill::api
