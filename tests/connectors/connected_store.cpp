#include "tests/connectors/connected_store.hpp"

#include "base/guid.hpp"

namespace waybill::tests {

std::string provider_guid(std::string_view code) {
  return Guid::from_name(namespace_url, "waybill:provider:" + std::string(code)).to_string();
}

json::object configuration(const WooCommerceSimulator& store, const json::object& settings) {
  return {
      {"providerId", provider_guid("woocommerce")},
      {"providerType", "ecommerce"},
      {"credentials", {{"apiKey", store.key()}, {"apiSecret", store.secret()}, {"storeUrl", store.url()}}},
      {"settings", settings}};
}

std::string push_tracking_workflow(Tenant& tenant) {
  return tenant.sql.value(
      "select guid from workflows where business_id = $1 and is_managed and action ->> 'type' = "
      "'push_tracking' and trigger_code = 'shipment_status_changed'",
      {tenant.id});
}

std::string push_changed_tracking_workflow(Tenant& tenant) {
  return tenant.sql.value(
      "select guid from workflows where business_id = $1 and is_managed and action ->> 'type' = "
      "'push_tracking' and trigger_code = 'shipment_updated'",
      {tenant.id});
}

}  // namespace waybill::tests
