#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/purchases/purchase.hpp"

namespace waybill::storage {

struct PurchaseKey {
  Guid business_id, shipment_id, guid;

  bool operator==(const PurchaseKey&) const = default;
};

/// A purchase as it is stored.
struct StoredPurchase {
  PurchaseKey key;
  int attempt = 1;
  std::optional<Guid> stray_of;
  Guid reference;  // that the gateway gets
  std::optional<Guid> carrier_id;
  std::string service_level;  // ours; may be empty
  std::string wanted;         // JSON of the request
  std::string format = "pdf";
  std::optional<bool> test_mode;
  domain::Purchase facts;
};

/// Reads JSON of texts; others are left out.
std::vector<std::string> texts_of(std::string_view json);
domain::VoidState void_state_of(std::optional<std::string_view> text);
domain::Resolution resolution_of(std::optional<std::string_view> text);

/// Reads a row with the columns of storage/sql/purchases/facts.inc.
template <typename Row>
StoredPurchase purchase_of(const Guid& business, const Row& row) {
  const auto text = [](const std::optional<std::string_view>& value) {
    return std::string(value.value_or(""));
  };
  StoredPurchase stored;
  stored.key = {business, row.shipment_id, row.guid};
  stored.attempt = row.attempt;
  stored.stray_of = row.stray_of;
  stored.reference = row.reference;
  stored.carrier_id = row.carrier_id;
  stored.service_level = text(row.service_level);
  stored.wanted = std::string(row.wanted);
  stored.format = std::string(row.format);
  stored.test_mode = row.test_mode;
  domain::Purchase& facts = stored.facts;
  facts.status = domain::purchase_status(row.status);
  facts.is_stray = row.stray_of.has_value();
  facts.connector = std::string(row.connector);
  facts.gateway_id = text(row.gateway_id);
  facts.quote = {text(row.rate_id),
                 text(row.service_code),
                 text(row.service_name),
                 {text(row.quote), text(row.quote_currency)},
                 row.estimated_delivery};
  if (row.max_price) facts.max_price = domain::Money{text(row.max_price), text(row.max_currency)};
  facts.price = {text(row.price), text(row.currency)};
  facts.is_dearer = row.is_dearer;
  facts.service_code = facts.quote.service_code;
  facts.service_name = facts.quote.service_name;
  facts.estimated_delivery = facts.quote.estimated_delivery;
  facts.tracking_numbers = texts_of(row.tracking_numbers);
  facts.tracking_url = text(row.tracking_url);
  facts.has_label = row.has_label;
  facts.error = {text(row.error_code), text(row.error_text)};
  facts.void_state = void_state_of(row.void_state);
  facts.resolution = resolution_of(row.resolution);
  facts.requested_at = row.requested_at;
  facts.looked_up_at = row.looked_up_at;
  facts.draft_begun_at = row.draft_begun_at;
  facts.buy_begun_at = row.buy_begun_at;
  facts.unknown_since = row.unknown_since;
  facts.resolved_at = row.resolved_at;
  facts.bought_at = row.bought_at;
  facts.voiding_since = row.voiding_since;
  facts.void_begun_at = row.void_begun_at;
  facts.voided_at = row.voided_at;
  facts.erased_at = row.erased_at;
  facts.attempts = row.attempts;
  facts.lookups = row.lookups;
  facts.next_at = row.next_at;
  return stored;
}

/// The JSON that storage/sql/purchases/record.inc reads. Texts are made storable: valid UTF-8 without NUL,
/// and cut. An amount that cannot be read is left out.
std::string facts_json(const StoredPurchase& purchase);

}  // namespace waybill::storage
