#include "tests/api/api_test.hpp"

namespace waybill::tests {

json::object order_body(const json::object& fields) {
  json::object body{{"customer", {{"name", "Ada Lovelace"}, {"email", "ada@example.com"}}},
                    {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}}}},
                    {"deliveryAddress", {{"street", "Rua Augusta 1"}, {"city", "Lisbon"}}}};
  for (const auto& [key, value] : fields) body[key] = value;
  return body;
}

}  // namespace waybill::tests
