#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/http/language.hpp"
#include "api/tracking_page/page.hpp"
#include "domain/records/state_machines.hpp"
#include "tests/harness/packages.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {
namespace {

using api::TrackedShipment;

api::ZonedTime zoned(std::string_view utc, int offset_minutes = 60) {
  return {parse_timestamp(utc).value(), std::chrono::minutes(offset_minutes)};
}

TrackedShipment example(std::string_view status) {
  return {.tracking_number = "WB4711081551",
          .carrier = "Blue Post",
          .carrier_tracking_number = "00340434161094042557",
          .carrier_tracking_url = "https://post.example/track?number=00340434161094042557",
          .status = std::string(status),
          .estimated_delivery = zoned("2026-11-24T11:00:00Z"),
          .delivered_at = zoned("2026-11-24T10:14:00Z"),
          .created_at = zoned("2026-10-20T09:12:00Z", 120),
          .traces = {{.at = zoned("2026-11-24T06:48:00Z"),
                      .status = "out_for_delivery",
                      .description = "Loaded onto the vehicle",
                      .location = "Berlin"},
                     {.at = zoned("2026-11-23T19:55:00Z"), .status = "in_transit"}},
          .older_traces = 2,
          .city = "Berlin",
          .country = "DE",
          .business = "North Light",
          .time_zone = "Europe/Berlin"};
}

TrackedShipment hostile() {
  auto shipment = example("in_transit");
  const std::string text = "</style><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e";
  for (auto* const field : {&shipment.tracking_number, &shipment.carrier, &shipment.carrier_tracking_number,
                            &shipment.city, &shipment.country, &shipment.business, &shipment.time_zone}) {
    *field = text + std::string(200, 'W');
  }
  for (auto& trace : shipment.traces) trace.description = trace.location = text + std::string(400, 'W');
  return shipment;
}

Reply to_reply(const api::Answer& answer) {
  Headers headers{{"Content-Type", std::string(answer.media_type)}};
  std::string_view lines = answer.headers;
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find("\r\n"));
    const auto colon = line.find(": ");
    headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    lines.remove_prefix(line.size() + 2);
  }
  return Reply::with_status(answer.status, std::move(headers), answer.data);
}

// Each status, the languages in turn, and the least and the worst that a page can show.
std::map<std::string, Reply> pages() {
  std::map<std::string, Reply> result;
  std::size_t language = 0;
  const auto next_language = [&] { return api::language_tags[language++ % api::language_tags.size()]; };
  for (const auto status : domain::shipment_states().states) {
    result.emplace("/" + std::string(status), to_reply(api::tracking_page(example(status), next_language())));
  }
  const TrackedShipment bare{.tracking_number = "WB1",
                             .status = "created",
                             .created_at = zoned("2026-11-20T09:12:00Z", 0),
                             .business = "North Light",
                             .time_zone = "UTC"};
  auto branded = example("out_for_delivery");
  branded.color = "#ffd400";
  result.emplace("/bare", to_reply(api::tracking_page(bare, next_language())));
  result.emplace("/branded", to_reply(api::tracking_page(branded, next_language())));
  result.emplace("/hostile", to_reply(api::tracking_page(hostile(), next_language())));
  result.emplace("/unknown", to_reply(api::tracking_page_not_found(next_language())));
  return result;
}

TEST(TrackingPageInChromium, HasNoFindings) {
  const auto replies = pages();
  Receiver server;
  server.on_request([&](const Received& request) {
    const auto found = replies.find(request.target);
    return found == replies.end() ? Reply::with_status(404) : found->second;
  });
  const auto check = package_folder("browser") / "tracking_page.mjs";
  std::vector<std::string> command{"node", check};
  for (const auto& [path, reply] : replies) command.push_back(server.url(path));
  const auto checked = run(std::move(command), {}, std::chrono::minutes(4));
  EXPECT_EQ(checked.status, 0) << checked.standard_output << checked.standard_error;
}

}  // namespace
}  // namespace waybill::tests
