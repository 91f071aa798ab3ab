#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/gateways/connected_carriers.hpp"
#include "api/records/fields.hpp"
#include "api/shipments/label_lock.hpp"
#include "api/shipments/purchase_plan.hpp"
#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "api/shipments/shipment_text.hpp"
#include "base/blanks.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/observe.hpp"
#include "domain/records/packed_items.hpp"
#include "domain/values/tracking_number.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/orders.sql.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view shipments_path = "/api/v1/shipments/";
constexpr int number_attempts = 3;

std::string random_tracking_number() {
  std::array<std::uint8_t, 8> bytes{};
  fill_random(bytes);
  std::uint64_t number = 0;
  for (const auto byte : bytes) number = number << 8U | byte;
  return domain::tracking_number(static_cast<std::uint32_t>(number % domain::tracking_number_count));
}

bool is_number_taken(const storage::StatementError& error) {
  return error.constraint() == "shipments_tracking_unique";
}

/// Returns the values of a shipment, without the packages. `rows` are those of sql::shipments::Values or
/// sql::shipments::Lock.
template <typename Rows>
ShipmentValues values_of(const Rows& rows) {
  const auto row = rows.front();
  return {.customer = row.customer_id,
          .carrier = row.carrier_id,
          .service_level = std::optional<std::string>(row.service_level),
          .made_tracking_url = std::optional<std::string>(row.made_tracking_url),
          .is_return = row.is_return,
          .columns = ColumnValues(domain::EntityType::shipment, rows.more())};
}

/// Checks that the customer and carrier that `values` newly names exist and fit. `before` has the shipment's
/// current values.
asio::awaitable<void> check_references(Services& services, const Guid& business, const ShipmentValues& values,
                                       const ShipmentValues& before, FieldErrors& errors) {
  const bool new_customer = values.customer && values.customer != before.customer;
  const bool new_terms = values.carrier != before.carrier || values.service_level != before.service_level;
  const bool new_carrier = values.carrier && new_terms;
  if (!new_customer && !new_carrier) co_return;
  const auto rows = co_await services.db.read(storage::sql::orders::References{
      .business = business, .customer = values.customer, .carrier = values.carrier});
  const auto found = rows.front();
  if (new_customer && !found.customer_exists) throw not_found("customer");
  if (new_carrier && !found.levels) throw not_found("carrier");
  if (new_carrier && values.service_level) check_service_level(*values.service_level, *found.levels, errors);
}

/// Checks the change of the shipment in `rows`, and returns its entry for shipments/update.sql.
template <typename Rows>
asio::awaitable<std::string> change_of(Call& call, Services& services, Rows rows) {
  const auto& body = call.object();
  const auto row = rows.front();
  const auto before = values_of(rows);
  auto values = before;
  FieldErrors errors;
  values.merge(body, errors);
  // The stored ones have the carrier's numbers and all digits that SQL wrote.
  if (values.packages && are_same_packages(row.packages, *values.packages)) values.packages.reset();
  if (const auto status = text_at(body, "status"); status && *status != row.status) {
    errors.push_back({"status", "is " + std::string(row.status) + "; use POST …/traces to change it"});
  }
  if (values.is_return != before.is_return) {
    errors.push_back({"isReturn", std::string("is ") + (before.is_return ? "true" : "false") +
                                      " since the shipment was created, and cannot be changed"});
  }
  check_not_cleared(body, values, before, errors);
  co_await check_references(services, call.business(), values, before, errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  if (is_label_locked(row.label_status)) {
    auto changes = changes_of_labelled(values, before);
    if (!changes.empty()) throw locked_by_label(*row.label_status, std::move(changes));
  }
  const auto& number = values.columns.at("carrierTrackingNumber");
  const auto& url = values.columns.at("carrierTrackingUrl");
  const bool new_number =
      number != before.columns.at("carrierTrackingNumber") || url != before.columns.at("carrierTrackingUrl");
  const bool new_link = values.carrier != before.carrier && number && !url;
  if ((new_number || new_link) && is_final_shipment(row.status)) throw final_shipment(row.status);
  co_return shipment_change_text(call.id(), row.version, values);
}

/// Changes a shipment that others change at the same time.
asio::awaitable<void> update_locked(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked =
      co_await transaction->run(sql::shipments::Lock{.business = call.business(), .shipment = call.id()});
  if (locked.empty()) throw not_found("shipment");
  const auto changes = '[' + co_await change_of(call, services, locked) + ']';
  co_await transaction->run(sql::shipments::Update{.business = call.business(), .shipments = changes});
  co_await transaction->commit();
}

/// Returns the items of a stored order that the body names, or all. Throws Failure (404) for a guid that no
/// item has.
json::array picked_items(const json::array& items, const json::object& body) {
  const auto* const requested = find_value(body, "itemIds");
  if (requested == nullptr) return items;
  std::map<Guid, const json::value*> left;  // null for an item that is picked
  for (const auto& item : items) {
    const auto guid = item.is_object() ? guid_at(item.get_object(), "guid") : std::nullopt;
    if (guid) left.emplace(*guid, &item);
  }
  json::array picked;
  for (const auto& entry : requested->get_array()) {
    const auto found = left.find(Guid::parse(entry.get_string()).value());
    if (found == left.end()) throw not_found("item");
    if (const auto* const item = std::exchange(found->second, nullptr)) picked.push_back(*item);
  }
  return picked;
}

/// Returns the guids of items as a JSON array.
std::string guids_of(const json::array& items) {
  json::array guids;
  for (const auto& item : items) guids.push_back(item.at("guid"));
  return to_json(guids);
}

/// Returns the values of a new shipment of the locked order.
ShipmentValues values_of_order(const storage::TypedRows<sql::shipments::LockOrder>& rows,
                               const json::object& body) {
  const auto row = rows.front();
  const auto items = picked_items(stored_list(row.items), body);
  ShipmentValues values{.customer = row.customer_id,
                        .carrier = row.carrier_id,
                        .service_level = std::optional<std::string>(row.service_level),
                        .packages = packages_text(domain::packed_items(items))};
  if (find_value(body, "itemIds") != nullptr) values.order_items = guids_of(items);
  if (const auto pieces = domain::pieces_by_item(items)) values.order_pieces = to_json(*pieces);
  values.columns.take(rows.more());
  return values;
}

/// Throws Failure if the order lacks an address that a shipment needs.
void check_deliverable(const ShipmentValues& values) {
  FieldErrors errors;
  const auto require = [&](const std::optional<std::string>& value, const std::string& path) {
    if (!value || is_blank(*value)) errors.push_back({path, "is missing in the order"});
  };
  require(values.columns.at("recipient.address.street"), "deliveryAddress.street");
  require(values.columns.at("recipient.address.city"), "deliveryAddress.city");
  if (!errors.empty()) throw invalid(std::move(errors));
}

/// The carriers with a gateway; none if the shipment has a carrier of its own.
asio::awaitable<std::vector<ConnectedCarrier>> carriers_to_compare(const Call& call, const Services& services,
                                                                   storage::Transaction& transaction,
                                                                   const PurchaseTerms& terms) {
  std::vector<ConnectedCarrier> carriers;
  if (terms.carrier_id) co_return carriers;
  const auto rows = co_await transaction.run(
      storage::sql::carriers::Connections{.business = call.business(), .carriers = std::span<const Guid>()});
  for (const auto& row : rows) {
    if (auto carrier = connectors::connected_carrier(row, call.business(), services.secrets))
      carriers.push_back(*std::move(carrier));
  }
  co_return carriers;
}

/// Requests the label of a new shipment in its transaction. Returns false if its carrier, or for a shipment
/// without one each carrier, sells none.
asio::awaitable<bool> request_usual_label(Call& call, Services& services, storage::Transaction& transaction,
                                          const Guid& shipment) {
  const auto rows = co_await transaction.run(
      storage::sql::purchases::Terms{.business = call.business(), .shipment = shipment});
  const auto terms = rows.front();
  const auto carriers = co_await carriers_to_compare(call, services, transaction, terms);
  auto wanted = usual_purchase(call, shipment, terms, carriers);
  if (!wanted) co_return false;
  co_await request_label(transaction, *std::move(wanted));
  co_return true;
}

/// Creates the shipment in one transaction under the order's lock, so that only one of several simultaneous
/// callers succeeds. Returns true if the caller wants waybill's own label.
asio::awaitable<bool> insert_for_order(Call& call, Services& services, const Guid& guid,
                                       const std::string& tracking_number) {
  const auto& business = call.business();
  const auto& order = call.id();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto rows =
      co_await transaction->run(sql::shipments::LockOrder{.business = business, .order = order});
  const auto locked = rows.find();
  if (!locked) throw not_found("order");
  if (locked->status == "cancelled") throw invalid("status", "a cancelled order cannot be shipped");
  const auto shipment =
      co_await transaction->run(sql::shipments::HasOpenShipment{.business = business, .order = order});
  if (shipment.front().has_open) throw conflict("The order already has a shipment.");
  const auto values = values_of_order(rows, call.object());
  check_deliverable(values);
  const auto shipments = '[' + shipment_text(guid, tracking_number, order, values) + ']';
  co_await transaction->run(sql::shipments::Create{.business = business, .shipments = shipments});
  const auto* const wants_label = find_value(call.object(), "generateLabel");
  const bool wants_own = wants_label != nullptr && wants_label->get_bool() &&
                         !co_await request_usual_label(call, services, *transaction, guid);
  co_await transaction->commit();
  co_return wants_own;
}

/// Stores the shipment's label. A failure is only logged: the shipment is committed, and a GET renders a
/// missing label.
asio::awaitable<void> try_label(Call& call, Services& services, const Guid& guid) {
  try {
    co_await make_label(services, call.business(), guid);
  } catch (const std::exception& error) {
    observe(Observable::statement_failed, {{"statement", "label"}, {"error", error.what()}});
  }
}

}  // namespace

asio::awaitable<Answer> create_shipment(Call& call, Services& services) {
  ShipmentValues values;
  FieldErrors errors;
  values.merge(call.object(), errors);
  co_await check_references(services, call.business(), values, {}, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now()));
  for (int attempt = 1;; ++attempt) {
    try {
      const auto entry = shipment_text(guid, random_tracking_number(), {}, values);
      co_await services.db.write<sql::shipments::Create>(storage::SharedEntry{guid, entry}, call.cause());
      break;
    } catch (const storage::StatementError& error) {
      if (!is_number_taken(error) || attempt == number_attempts) throw;
    }
  }
  co_return Answer::created({}, std::string(shipments_path) + guid.to_string());
}

asio::awaitable<Answer> update_shipment(Call& call, Services& services) {
  const auto shipment = call.id();
  const auto values =
      co_await services.db.read(sql::shipments::Values{.business = call.business(), .shipment = shipment});
  if (values.empty()) throw not_found("shipment");
  const auto change = co_await change_of(call, services, values);
  const auto changed = co_await services.db.write<sql::shipments::Update>(
      storage::SharedEntry{shipment, change}, call.cause());
  if (changed.empty()) co_await update_locked(call, services);
  co_return Answer::of(R"({"guid":")" + shipment.to_string() + R"("})");
}

asio::awaitable<Answer> schedule_shipment(Call& call, Services& services) {
  const auto& body = call.object();
  const auto guid = guid_at(body, "shipmentId").value();
  const auto time_at = [&](std::string_view name) {
    return parse_timestamp(text_at(body, name).value_or(""));
  };
  const auto rows = co_await services.db.write(
      sql::shipments::Schedule{.business = call.business(),
                               .shipment = guid,
                               .set_collection_date = body.contains("collectionDate"),
                               .collection_date = time_at("collectionDate"),
                               .set_delivery_date = body.contains("deliveryDate"),
                               .delivery_date = time_at("deliveryDate"),
                               .set_carrier_number = body.contains("carrierTrackingNumber"),
                               .carrier_number = text_at(body, "carrierTrackingNumber"),
                               .set_carrier_url = body.contains("carrierTrackingUrl"),
                               .carrier_url = text_at(body, "carrierTrackingUrl")},
      call.cause());
  if (rows.empty()) throw not_found("shipment");
  if (const auto row = rows.front(); row.is_refused) {
    if (is_label_locked(row.label_status)) throw locked_by_label(*row.label_status);
    throw final_shipment(row.status);
  }
  co_return Answer::of(R"({"guid":")" + guid.to_string() + R"("})");
}

asio::awaitable<Answer> ship_order(Call& call, Services& services) {
  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now()));
  std::string tracking_number;
  bool wants_own_label = false;
  for (int attempt = 1;; ++attempt) {
    try {
      tracking_number = random_tracking_number();
      wants_own_label = co_await insert_for_order(call, services, guid, tracking_number);
      break;
    } catch (const storage::StatementError& error) {
      if (!is_number_taken(error) || attempt == number_attempts) throw;
    }
  }
  if (wants_own_label) co_await try_label(call, services, guid);
  co_return Answer::created(R"({"guid":")" + guid.to_string() + R"(","trackingNumber":")" + tracking_number +
                                R"(","orderId":")" + call.id().to_string() + R"(","status":"created"})",
                            std::string(shipments_path) + guid.to_string());
}

}  // namespace waybill::api
