#include "api/route.hpp"

namespace waybill::api {

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (const auto rows : {order_routes(), customer_routes(), carrier_routes(), workflow_routes(),
                          run_routes(), insight_routes(), system_routes()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace waybill::api
