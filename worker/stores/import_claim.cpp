#include "worker/stores/import_claim.hpp"

#include "base/crypto.hpp"
#include "base/json.hpp"
#include "storage/integration_secrets.hpp"

namespace waybill::worker {
namespace {

std::optional<Time> optional_time(const storage::RowView& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.time(column));
}

std::string credential(const SecretBox& secrets, const ImportClaim& claim, std::string_view column,
                       const std::string& sealed) {
  if (sealed.empty()) return {};
  return secrets.open(unhex(sealed).value(),
                      storage::integration_purpose(claim.business, claim.integration, column));
}

}  // namespace

ImportClaim claim_of(const storage::RowView& row) {
  enum Column {
    business,
    integration,
    provider,
    store_url,
    api_key,
    api_secret,
    wants_orders,
    wants_products,
    run,
    requested,
    due_at,
    failures,
    orders_reached,
    orders_moved,
    orders_swept,
    products_reached,
    products_moved,
    products_swept
  };
  return {.business = row.guid(business),
          .integration = row.guid(integration),
          .run = row.guid(run),
          .provider = row.string(provider),
          .store_url = row.string(store_url),
          .sealed_key = row.string(api_key),
          .sealed_secret = row.string(api_secret),
          .wants_orders = row.boolean(wants_orders),
          .wants_products = row.boolean(wants_products),
          .is_requested = row.boolean(requested),
          .due_at = row.string(due_at),
          .failures = row.number<int>(failures),
          .orders = {optional_time(row, orders_reached), optional_time(row, orders_moved),
                     optional_time(row, orders_swept)},
          .products = {optional_time(row, products_reached), optional_time(row, products_moved),
                       optional_time(row, products_swept)}};
}

std::string cause_of(const ImportClaim& claim, std::string_view provider_name) {
  return to_json(json::object{
      {"by",
       {{"type", "import"}, {"guid", claim.integration.to_string()}, {"name", std::string(provider_name)}}},
      {"depth", 0}});
}

connectors::StoreCredentials credentials_of(const SecretBox& secrets, const ImportClaim& claim) {
  return {.api_key = credential(secrets, claim, "key", claim.sealed_key),
          .api_secret = credential(secrets, claim, "secret", claim.sealed_secret),
          .store_url = claim.store_url};
}

}  // namespace waybill::worker
