#pragma once

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// GET /api/v1/shipments
asio::awaitable<Answer> list_shipments(Call& call, Services& services);
/// GET /api/v1/shipments/{shipmentId}
asio::awaitable<Answer> get_shipment(Call& call, Services& services);
/// GET /api/v1/shipments/overview
asio::awaitable<Answer> get_shipment_overview(Call& call, Services& services);
/// GET /api/v1/shipments/unassigned
asio::awaitable<Answer> list_unassigned_shipments(Call& call, Services& services);
/// GET /api/v1/shipments/{shipmentId}/history
asio::awaitable<Answer> get_shipment_history(Call& call, Services& services);
/// DELETE /api/v1/shipments/{shipmentId}
asio::awaitable<Answer> delete_shipment(Call& call, Services& services);
/// POST /api/v1/shipments/delete
asio::awaitable<Answer> delete_shipments(Call& call, Services& services);
/// POST /api/v1/shipments
asio::awaitable<Answer> create_shipment(Call& call, Services& services);
/// PUT /api/v1/shipments/{shipmentId}
asio::awaitable<Answer> update_shipment(Call& call, Services& services);
/// PATCH /api/v1/shipments
asio::awaitable<Answer> schedule_shipment(Call& call, Services& services);
/// POST /api/v1/Orders/{orderId}/shipment
asio::awaitable<Answer> ship_order(Call& call, Services& services);
/// GET and POST /api/v1/shipments/{shipmentId}/traces
asio::awaitable<Answer> list_traces(Call& call, Services& services);
asio::awaitable<Answer> report_trace(Call& call, Services& services);
/// POST /api/v1/traces
asio::awaitable<Answer> report_scans(Call& call, Services& services);
/// POST /api/v1/shipments/{shipmentId}/rates
asio::awaitable<Answer> get_rates(Call& call, Services& services);
/// POST /api/v1/shipments/{shipmentId}/track
asio::awaitable<Answer> track_shipment(Call& call, Services& services);
/// GET /api/v1/shipments/{shipmentId}/label
asio::awaitable<Answer> get_label(Call& call, Services& services);
/// The same of the carrier's label. Throws Failure (409) while there is none, or if it has another format
/// than the call wants. `name`: of the file, without its type.
asio::awaitable<Answer> get_carrier_label(Call& call, Services& services, std::string name);
/// POST /api/v1/shipments/{shipmentId}/purchases/{purchaseId}/resolve
asio::awaitable<Answer> resolve_purchase(Call& call, Services& services);
/// POST /api/v1/labels
asio::awaitable<Answer> print_labels(Call& call, Services& services);

/// Renders and stores a shipment's label, so that a later GET need not render it.
asio::awaitable<void> make_label(Services& services, Guid business, Guid shipment);

}  // namespace waybill::api
