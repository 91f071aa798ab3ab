#include "worker/stores/import_claim.hpp"

#include "base/json.hpp"
#include "connectors/stored_credentials.hpp"

namespace waybill::worker {

ImportClaim claim_of(const storage::sql::imports::Claim::Row& row) {
  return {.business = row.business_id,
          .integration = row.integration_id,
          .run = row.run_id.value_or(Guid()),
          .provider = std::string(row.provider),
          .store_url = std::string(row.store_url),
          .sealed_key = std::string(row.sealed_key),
          .sealed_secret = std::optional<std::string>(row.sealed_secret),
          .wants_orders = row.wants_orders,
          .wants_products = row.wants_products,
          .is_requested = row.is_requested,
          .due_at = row.due_at,
          .failures = row.failures,
          .products_failures = row.products_failures,
          .orders = believable({row.orders_reached, row.orders_moved_at, row.orders_swept_at}),
          .products = believable({row.products_reached, row.products_moved_at, row.products_swept_at}),
          .services = service_rules(row.service_mapping),
          .import_since = row.import_since};
}

std::string cause_of(const ImportClaim& claim, std::string_view provider_name) {
  return to_json(json::object{
      {"by",
       {{"type", "import"}, {"guid", claim.integration.to_string()}, {"name", std::string(provider_name)}}},
      {"depth", 0}});
}

connectors::StoreCredentials credentials_of(const SecretBox& secrets, const ImportClaim& claim) {
  return connectors::open_credentials(secrets, claim.business, claim.integration, claim.sealed_key,
                                      claim.sealed_secret, claim.store_url);
}

}  // namespace waybill::worker
