#include "api/route/route.hpp"

namespace waybill::api {

std::vector<Route> all_routes() {
  static constexpr std::span<const Route> (*resources[])() = {
      order_routes,
      customer_routes,
      customer_list_routes,
      customer_upload_routes,
      customer_privacy_routes,
      product_routes,
      variant_routes,
      preset_routes,
      carrier_routes,
      shipment_routes,
      dispatch_routes,
      driver_routes,
      route_plan_routes,
      tracking_routes,
      vehicle_routes,
      vehicle_travel_routes,
      workflow_routes,
      template_routes,
      run_routes,
      trial_routes,
      insight_routes,
      discovery_routes,
      watching_routes,
      version_routes,
      event_feed_routes,
      send_test_routes,
      system_routes,
      user_routes,
      business_routes,
      business_user_routes,
      alert_routes,
      token_routes,
      audit_routes,
      subscription_routes,
      reference_routes,
      mailed_link_routes,
      integration_routes,
      integration_run_routes,
      inbound_routes,
      password_routes,
      workflow_header_routes,
      tracking_page_routes,
  };
  std::vector<Route> all;
  for (const auto rows_of : resources) {
    const auto rows = rows_of();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace waybill::api
