#include "tests/api/shipments_fixture.hpp"

namespace waybill::tests {

json::object shipment_body(const json::object& fields) {
  json::object body{{"sender", {{"name", "Engines Ltd"}, {"street", "Rua 1"}, {"city", "Lisbon"}}},
                    {"recipient", {{"name", "Ada Lovelace"}, {"street", "Main St 1"}, {"city", "New York"}}},
                    {"packages", {{{"length", 30}, {"width", 20}, {"height", 10.5}, {"weight", 2.25}}}}};
  for (const auto& [key, value] : fields) body[key] = value;
  return body;
}

}  // namespace waybill::tests
