// The public pages of shipments.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/endpoint/static_file.hpp"
#include "api/http/client_network.hpp"
#include "api/http/message.hpp"
#include "api/records/fields.hpp"
#include "api/tracking_page/page.hpp"
#include "api/tracking_page/private_texts.hpp"
#include "base/ascii.hpp"
#include "storage/sql/tracking_pages.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view json_suffix = ".json";

/// Reads the 32 hex digits of a token; nullopt for any other text.
std::optional<Guid> parse_token(std::string_view digits) {
  constexpr std::size_t length = 32;
  if (digits.size() != length) return std::nullopt;
  std::string text(digits);
  for (const std::size_t at : {20, 16, 12, 8}) text.insert(at, 1, '-');
  return Guid::parse(text);
}

/// `clock` is the time in the business's zone as if it were UTC.
ZonedTime zoned(Time at, Time clock) {
  return {.at = at, .utc_offset = std::chrono::floor<std::chrono::minutes>(clock - at)};
}

std::optional<ZonedTime> zoned(const std::optional<Time>& at, const std::optional<Time>& clock) {
  if (!at) return std::nullopt;
  return zoned(*at, clock.value());
}

/// Reads arrays of time, clock (without an offset), status, description and location.
std::vector<TrackedTrace> tracked_traces(std::string_view text) {
  const auto entries = stored_list(text);
  std::vector<TrackedTrace> traces;
  traces.reserve(entries.size());
  for (const auto& entry : entries) {
    const auto& trace = entry.as_array();
    const auto time = [&](std::size_t position) -> std::string_view {
      return trace.at(position).as_string();
    };
    const auto& location = trace.at(4);
    traces.push_back(
        {.at = zoned(parse_timestamp(time(0)).value(), parse_timestamp(std::string(time(1)) + "Z").value()),
         .status = std::string(trace.at(2).as_string()),
         .description = std::string(trace.at(3).as_string()),
         .location = location.is_null() ? std::string() : std::string(location.as_string())});
  }
  return traces;
}

TrackedShipment shipment_of(const sql::tracking_pages::Get::Row& row) {
  const auto text = [](const std::optional<std::string_view>& value) {
    return std::string(value.value_or(""));
  };
  auto traces = tracked_traces(row.traces.value_or("[]"));
  hide_private(traces, {.street = text(row.recipient_street),
                        .phone = text(row.recipient_phone),
                        .email = text(row.recipient_email)});
  return {.tracking_number = std::string(row.tracking_number),
          .carrier = text(row.carrier),
          .carrier_tracking_number = text(row.carrier_tracking_number),
          .carrier_tracking_url = text(row.carrier_tracking_url),
          .status = std::string(row.status),
          .estimated_delivery = zoned(row.estimated_delivery, row.estimated_clock),
          .delivered_at = zoned(row.delivered_at, row.delivered_clock),
          .created_at = zoned(row.created_at, row.created_clock),
          .traces = std::move(traces),
          .older_traces = static_cast<std::size_t>(row.older_traces),
          .city = text(row.city),
          .country = text(row.country),
          .business = std::string(row.business),
          .logo_url = text(row.logo_url),
          .color = text(row.color),
          .time_zone = std::string(row.time_zone)};
}

asio::awaitable<Answer> show_page(Call& call, Services& services) {
  const auto wait = services.public_limits.page_views.count(network_of(call.peer), services.clock.now());
  std::string_view name = call.path_text;
  const bool is_json = name.ends_with(json_suffix);
  if (is_json) name.remove_suffix(json_suffix.size());
  const std::string language(find_field(call.head, "accept-language").value_or(""));
  if (wait && is_json) {
    throw Failure(ErrorCode::rate_limited, "Too many pages were requested; try again later.")
        .with_retry_after(*wait);
  }
  if (wait) co_return tracking_page_limited(language, *wait);
  std::optional<TrackedShipment> shipment;
  if (const auto token = parse_token(name)) {
    const auto rows =
        co_await services.db.read(sql::tracking_pages::Get{.token = *token}, storage::Format::binary);
    if (const auto row = rows.find()) shipment = shipment_of(*row);
  }
  if (is_json) {
    if (!shipment) throw not_found("shipment");
    co_return tracking_json(*std::move(shipment));
  }
  co_return shipment ? tracking_page(*std::move(shipment), language) : tracking_page_not_found(language);
}

constexpr ErrorCode page_errors[] = {ErrorCode::not_found, ErrorCode::rate_limited};

constexpr Endpoint tracking_page_endpoint_table[] = {
    {.method = Method::get,
     .path = "/track/{token:text}",
     .permission = Permission::everyone,
     .handler = show_page,
     .operation_id = "getTrackingPage",
     .summary = "Returns the public page of a shipment",
     .description = "The token is that of the shipment's trackingUrl. With the suffix .json, the answer has "
                    "the same facts as JSON. At most 120 requests a minute from one address.",
     .tag = "Shipments",
     .errors = page_errors,
     .media_type = html_type},
};

}  // namespace

std::span<const Endpoint> tracking_page_endpoints() { return tracking_page_endpoint_table; }

}  // namespace waybill::api
