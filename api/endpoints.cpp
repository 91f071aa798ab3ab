#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

std::vector<Endpoint> all_endpoints() {
  static constexpr std::span<const Endpoint> (*resources[])() = {
      order_endpoints,
      order_sheet_endpoints,
      customer_endpoints,
      customer_list_endpoints,
      customer_upload_endpoints,
      customer_privacy_endpoints,
      product_endpoints,
      variant_endpoints,
      preset_endpoints,
      carrier_endpoints,
      shipment_endpoints,
      purchase_endpoints,
      dispatch_endpoints,
      driver_endpoints,
      route_plan_endpoints,
      tracking_endpoints,
      vehicle_endpoints,
      vehicle_travel_endpoints,
      workflow_endpoints,
      template_endpoints,
      run_endpoints,
      message_endpoints,
      trial_endpoints,
      insight_endpoints,
      upcoming_endpoints,
      discovery_endpoints,
      watching_endpoints,
      version_endpoints,
      event_feed_endpoints,
      send_test_endpoints,
      system_endpoints,
      user_endpoints,
      session_endpoints,
      preference_endpoints,
      business_endpoints,
      business_user_endpoints,
      alert_endpoints,
      token_endpoints,
      audit_endpoints,
      subscription_endpoints,
      reference_endpoints,
      console_endpoints,
      mailed_link_endpoints,
      integration_endpoints,
      integration_run_endpoints,
      inbound_endpoints,
      password_endpoints,
      workflow_header_endpoints,
      tracking_page_endpoints,
      search_endpoints,
      today_endpoints,
      job_endpoints,
      destination_endpoints,
  };
  std::vector<Endpoint> all;
  for (const auto rows_of : resources) {
    const auto rows = rows_of();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace waybill::api
